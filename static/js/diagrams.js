// Shows diagrams, charts and mind maps above their source, as pictures that a sandboxed frame draws once they are in view.
// Upgrades: .md-widget. Listens to: what enters the view, changes of the page and of its theme. Sends: sources to frames.

import { Frame } from "./frame.js";
import { outlineOf } from "./outline.js";
import { onPaletteChange, palette } from "./palette.js";
import { noticeOf, pictureOf } from "./picture.js";

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
      if (!watched.has(figure)) sight.observe(figure);
      else if (inView.has(figure)) artist.show(figure);
      watched.add(figure);
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
  #frames = new Map();
  #pictures = new Map();
  #shown = new WeakMap();

  constructor(address) {
    this.#address = address;
  }

  async show(figure) {
    const kind = Object.keys(NAMES).find((name) => figure.classList.contains(`md-widget-${name}`));
    const source = sourceOf(figure, kind);
    const theme = palette();
    const key = JSON.stringify([kind, source, theme]);
    if (this.#shown.get(figure) === key) return;
    this.#shown.set(figure, key);
    try {
      const picture = await this.#picture(kind, key, source, theme);
      if (this.#shown.get(figure) === key) fill(figure, pictureOf(picture, NAMES[kind]), false);
    } catch (error) {
      if (this.#shown.get(figure) === key) fill(figure, noticeOf(`${NAMES[kind]} not drawn: ${error.message}`), true);
    }
  }

  #picture(kind, key, source, theme) {
    if (!this.#frames.has(kind)) this.#frames.set(kind, new Frame(`${this.#address}${kind}/`));
    const known = this.#pictures.get(key) ?? this.#frames.get(kind).draw(source, theme);
    this.#pictures.delete(key);
    this.#pictures.set(key, known);
    if (this.#pictures.size > MOST_PICTURES) this.#pictures.delete(this.#pictures.keys().next().value);
    return known;
  }
}

function sourceOf(figure, kind) {
  if (kind === "markmap") return JSON.stringify(outlineOf(figure.querySelector(".md-outline")));
  return figure.querySelector("pre").textContent;
}

// The picture's own part of the figure is the page's: the server's renderings leave it alone.
function fill(figure, content, isOpen) {
  const place = figure.querySelector(".md-widget-out");
  place.dataset.own = "";
  if (!place.firstChild || isOpen) figure.querySelector("details").open = isOpen;
  place.replaceChildren(content);
}
