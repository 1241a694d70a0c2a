// The wallboard: cards change where they hang; more than fit take turns.
// Upgrades: [data-wall]. Listens to: "board", "view" and "session" frames, a tick, its button. Sends: nothing.

import { clockText } from "./ages.js";
import { placeCard, markChanged } from "./cards.js";
import { Connection } from "./connection.js";
import { Cursor } from "./cursor.js";
import { startIndicator } from "./indicator.js";
import { SessionHead } from "./session.js";
import { fitCard, markCut, pagesOf } from "./wall-fit.js";

const ROWS = 2;
const COLUMNS = 3;
const TURN_MS = 20_000;
const TICK_MS = 1000;

class Wall {
  #grid;
  #page = 0;
  #label;
  #hold;
  #unfit = new Set();

  constructor(wall) {
    this.#grid = wall.querySelector("[data-cards]");
    this.#label = wall.querySelector("[data-wall-page]");
    this.#hold = wall.querySelector("[data-wall-hold]");
    this.#hold.addEventListener("click", () => {
      const held = this.#hold.getAttribute("aria-pressed") !== "true";
      this.#hold.setAttribute("aria-pressed", String(held));
    });
    setInterval(() => this.#turn(), TURN_MS);
    addEventListener("resize", () => this.#fitAll());
    document.fonts.ready.then(() => this.#fitAll());
    this.#fitAll();
  }

  receive(frame) {
    for (const card of frame.cards) {
      const { article } = placeCard(this.#grid, card);
      if (card.changed) markChanged(article);
      this.#unfit.add(article);
    }
    for (const { id } of frame.gone) document.getElementById(id)?.remove();
    if (frame.snapshot) {
      const listed = new Set(frame.cards.map(({ id }) => id));
      for (const card of this.#cards) if (!listed.has(card.id)) card.remove();
    }
    this.show();
  }

  show() {
    const cards = this.#cards;
    this.#fit();
    const pages = pagesOf(cards, ROWS, COLUMNS);
    this.#page %= Math.max(1, pages.length);
    const shown = pages[this.#page] ?? [];
    for (const card of cards) card.hidden = !shown.includes(card);
    shown.forEach(markCut);
    const count = `${cards.length} card${cards.length === 1 ? "" : "s"}`;
    this.#label.textContent = pages.length > 1 ? `Page ${this.#page + 1} of ${pages.length}, ${count}` : count;
    this.#hold.hidden = pages.length < 2;
  }

  #fitAll() {
    this.#unfit = new Set(this.#cards);
    this.show();
  }

  // What is hidden has no size to measure.
  #fit() {
    for (const card of this.#unfit) card.hidden = false;
    for (const card of this.#unfit) fitCard(card);
    this.#unfit.clear();
  }

  #turn() {
    if (this.#hold.getAttribute("aria-pressed") === "true" || this.#grid.matches(":focus-within")) return;
    this.#page += 1;
    this.show();
  }

  get #cards() {
    return [...this.#grid.querySelectorAll(":scope > .card")];
  }
}

export function startWall(page, announcer) {
  const wall = new Wall(page);
  const cursor = new Cursor(Number(page.dataset.boardCursor), () => connection.send({ type: "resync" }));
  let { view } = page.dataset;
  const connection = new Connection(page.dataset.wall, () => ({ board: cursor.restart(), view }));
  const head = new SessionHead(announcer);
  const parts = {
    board: (frame) => cursor.accepts(frame) && wall.receive(frame),
    view: (frame) => wall.receive(frame),
    session: (frame) => head.receive(frame),
  };
  connection.addEventListener("frame", ({ detail }) => {
    view = detail.view ?? view;
    parts[detail.type]?.(detail);
  });
  startIndicator(connection, announcer);
  connection.open();
  const clock = page.querySelector("[data-wall-clock]");
  const tick = () => {
    clock.textContent = clockText(Date.now(), "short");
  };
  tick();
  setInterval(tick, TICK_MS);
}
