// Shows diagrams, charts and mind maps above their source, as pictures that a sandboxed frame draws once they are in view.
// Upgrades: .md-widget. Listens to: what enters the view, changes of the page and of its theme. Sends: sources to frames.

import { Frame, TooLong } from "./frame.js";
import { outlineOf } from "./outline.js";
import { onPaletteChange, palette } from "./palette.js";
import { noticeOf, pictureOf } from "./picture.js";
import { Turns } from "./turns.js";

const NAMES = { mermaid: "Diagram", "vega-lite": "Chart", markmap: "Mind map" };
const NEARBY = { rootMargin: "200px" };
const MOST_PICTURES = 60;

export function startDiagrams() {
  const address = document.body.dataset.frames;
  if (!address) return;
  const artist = new Artist(address);
  const inView = new Set();
  const watched = new WeakSet();
  const sight = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) inView.add(target);
      else inView.delete(target);
      if (isIntersecting) artist.show(target);
    }
  }, NEARBY);
  let isDue = false;
  const look = () => {
    isDue = false;
    for (const figure of document.querySelectorAll(".md-widget")) {
      if (watched.has(figure)) {
        if (inView.has(figure)) artist.show(figure);
        continue;
      }
      watched.add(figure);
      prepare(figure);
      sight.observe(figure);
    }
  };
  const lookSoon = () => {
    if (!isDue) requestAnimationFrame(look);
    isDue = true;
  };
  new MutationObserver(lookSoon).observe(document.body, { childList: true, characterData: true, subtree: true });
  onPaletteChange(lookSoon);
  look();
}

class Artist {
  #address;
  #lines = new Map();
  #pictures = new Map();
  #shown = new WeakMap();
  // What takes too long in one theme takes too long in any.
  #tooLong = new Set();

  constructor(address) {
    this.#address = address;
  }

  async show(figure) {
    const kind = Object.keys(NAMES).find((name) => figure.classList.contains(`md-widget-${name}`));
    const source = sourceOf(figure, kind);
    const theme = palette();
    const job = { figure, kind, source, theme, name: JSON.stringify([kind, source]) };
    job.key = JSON.stringify([job.name, theme]);
    const wanted = this.#isSkipped(job) ? `${job.key} skipped` : job.key;
    if (this.#shown.get(figure) === wanted) return;
    this.#shown.set(figure, wanted);
    let content;
    let state = "drawn";
    try {
      content = pictureOf(await this.#picture(job), NAMES[kind]);
    } catch (error) {
      content = noticeOf(`${NAMES[kind]} not drawn: ${error.message}`);
      state = error instanceof TooLong ? "late" : "failed";
    }
    if (this.#shown.get(figure) === wanted) fill(figure, content, state);
  }

  // A card that holds one drawing that takes too long may hold more of them: those would keep others waiting.
  #isSkipped({ figure, key }) {
    if (this.#pictures.has(key)) return false;
    const late = figure.closest(".prose")?.querySelectorAll(".md-widget-out[data-state=late]") ?? [];
    return [...late].some((place) => place !== placeOf(figure));
  }

  async #picture(job) {
    const known = this.#pictures.get(job.key);
    if (known) return this.#keep(job.key, known);
    if (!this.#lines.has(job.kind)) this.#lines.set(job.kind, this.#lineOf(job.kind));
    const { frame, turns } = this.#lines.get(job.kind);
    return turns.take(job.figure.closest(".prose"), () => this.#draw(frame, job));
  }

  #lineOf(kind) {
    return { frame: new Frame(`${this.#address}${kind}/`), turns: new Turns() };
  }

  async #draw(frame, job) {
    if (this.#isSkipped(job)) throw new Error("an earlier drawing of this card took too long");
    try {
      if (this.#tooLong.has(job.name)) throw new TooLong(frame.limitMs);
      return await this.#keep(job.key, this.#pictures.get(job.key) ?? frame.draw(job.source, job.theme));
    } catch (error) {
      if (error instanceof TooLong) this.#giveUp(job);
      throw error;
    }
  }

  // At once: the next in line may be of the same card.
  #giveUp({ figure, name }) {
    this.#tooLong.add(name);
    placeOf(figure).dataset.state = "late";
  }

  #keep(key, picture) {
    this.#pictures.delete(key);
    this.#pictures.set(key, picture);
    if (this.#pictures.size > MOST_PICTURES) this.#pictures.delete(this.#pictures.keys().next().value);
    return picture;
  }
}

function sourceOf(figure, kind) {
  if (kind === "markmap") return JSON.stringify(outlineOf(figure.querySelector(".md-outline")));
  return figure.querySelector("pre").textContent;
}

function placeOf(figure) {
  return figure.querySelector(".md-widget-out");
}

function prepare(figure) {
  const line = document.createElement("p");
  line.className = "muted";
  line.textContent = "Waiting to be drawn";
  figure.querySelector("details").open = false;
  fill(figure, line, "waiting");
}

// The picture's own part of the figure is the page's: the server's renderings leave it alone.
function fill(figure, content, state) {
  const place = placeOf(figure);
  place.dataset.own = "";
  place.dataset.state = state;
  place.replaceChildren(content);
  if (state === "failed" || state === "late") figure.querySelector("details").open = true;
}
