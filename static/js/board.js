// The whiteboard: cards change where they lie, new ones come last, gone ones leave when nobody is busy with the board.
// Upgrades: [data-board], #tray, #board-summary, #dock-line. Listens to: "board", "view" and "receipts" frames. Sends: nothing.

import { showTimes } from "./ages.js";
import { isPinned, markChanged, markGone, placeCard, removeCard, versionOf } from "./cards.js";
import { keepFocus } from "./focus.js";
import { patch } from "./patch.js";
import { arrange } from "./reorder.js";
import { Quiet } from "./quiet.js";

export class Board {
  #part;
  #grid;
  #cursor;
  #announcer;
  #quiet;
  #newDot = document.querySelector("[data-newdot]");
  #paneSwitch = document.querySelector("#pane-board");

  constructor(page, cursor, announcer) {
    // Names how this person sees the board; the server sends everything to a page with another view.
    this.view = page.dataset.view;
    this.#part = page.querySelector("[data-board]");
    this.#grid = page.querySelector("[data-cards]");
    this.#cursor = cursor;
    this.#announcer = announcer;
    this.#quiet = new Quiet(this.#part);
    this.#paneSwitch.addEventListener("change", () => {
      this.#newDot.hidden = true;
    });
  }

  receive(frame) {
    if (!this.#cursor.accepts(frame)) return;
    this.#change(() => {
      frame.cards.forEach((card) => this.#place(card));
      frame.gone.forEach(({ key, id, reason }) => this.#leave(id, key, reason));
      if (frame.snapshot) this.#clearUnlisted(frame);
      this.#patchAround(frame);
    });
  }

  // This person's own pins or layout changed: they wait for it.
  receiveView(frame) {
    this.#change(() => {
      for (const card of frame.cards) placeCard(this.#grid, card);
      for (const { id } of frame.gone) {
        const article = document.getElementById(id);
        if (article) removeCard(article);
      }
      arrange(this.#grid, frame.order ?? []);
      this.#patchAround(frame);
    });
  }

  // The model has seen these cards as they are.
  receiveReceipts({ cards }) {
    for (const { id, html } of cards) {
      const receipt = document.getElementById(`${id}-seen`);
      if (receipt) patch(receipt, html);
    }
  }

  // Keeps the keyboard's place: in its card, on the card that was pinned, or on the board.
  #change(work) {
    const card = document.activeElement.closest(".card");
    keepFocus(this.#part, work, ({ value }) => [
      card?.querySelector(".card__body"),
      card?.querySelector("[data-grip]"),
      value && this.#grid.querySelector(`[data-entry="${CSS.escape(value)}"] [data-pin]`),
      this.#grid.parentElement,
    ]);
  }

  #place(card) {
    const { article, isNew } = placeCard(this.#grid, card);
    if (isNew) this.#announcer.say(`${card.key} added`);
    if (!card.changed) return;
    markChanged(article);
    if (!this.#paneSwitch.checked) this.#newDot.hidden = false;
    if (isNew) return;
    if (article.contains(document.activeElement)) {
      this.#announcer.sayNow(`${card.key}, version ${versionOf(article)}`);
    } else {
      this.#announcer.cardChanged(card.key);
    }
  }

  #leave(id, key, reason) {
    const article = document.getElementById(id);
    if (!article || article.classList.contains("is-gone")) return;
    const stays = isPinned(article) && (reason === "evicted" || reason === "deleted");
    markGone(article, reason);
    if (reason !== "unlisted") this.#announcer.say(`${key} ${reason}`);
    if (stays) return;
    this.#quiet.whenQuiet(() => {
      if (article.classList.contains("is-gone")) removeCard(article);
    });
  }

  #clearUnlisted(frame) {
    const listed = new Set([...frame.cards, ...frame.gone].map(({ id }) => id));
    for (const article of this.#grid.querySelectorAll(":scope > .card")) {
      if (!listed.has(article.id)) this.#leave(article.id, "", "unlisted");
    }
  }

  #patchAround({ view, tray, summary, dock }) {
    this.view = view;
    for (const [id, html] of Object.entries({ tray, "board-summary": summary, "dock-line": dock })) {
      if (html && patch(document.getElementById(id), html)) showTimes(document.getElementById(id));
    }
  }
}
