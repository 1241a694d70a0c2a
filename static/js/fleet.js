// The fleet: rows change where they stand; the order waits while somebody is busy with the table.
// Upgrades: [data-fleet-table], [data-held] and the parts around them. Listens to: "fleet" frames, its button.
// Sends: nothing.

import { showTimes } from "./ages.js";
import { elementOf, patch } from "./patch.js";
import { Quiet } from "./quiet.js";

const INK_MS = 2600;

export class Fleet {
  #rows;
  #order = [];
  #fresh = new Map();
  #quiet;
  #text;
  #idleText;
  #button;
  #page;
  #settle = () => this.#reorder();

  constructor(page) {
    this.#page = page;
    const table = page.querySelector("[data-fleet-table]");
    this.#rows = table.tBodies[0];
    this.#quiet = new Quiet(table);
    this.#text = page.querySelector("[data-held-text]");
    this.#idleText = this.#text.textContent;
    this.#button = page.querySelector("[data-held-now]");
    this.#button.addEventListener("click", () => this.#reorder());
  }

  // The page shows another list now.
  renew() {
    this.#order = [...this.#rows.children].map((row) => row.id);
    this.#fresh.clear();
    this.#idleText = this.#text.textContent;
    showTimes(this.#rows);
  }

  receive({ rows, order, parts }) {
    for (const { id, html } of rows) this.#place(id, html);
    for (const [id, html] of Object.entries(parts)) patch(document.getElementById(id), html);
    this.#order = order;
    const moved = this.#moved();
    if (moved && this.#quiet.isBusy) this.#hold(moved);
    else this.#reorder();
  }

  #place(id, html) {
    const row = document.getElementById(id);
    if (!row) {
      this.#fresh.set(id, elementOf(html));
      return;
    }
    const next = elementOf(html);
    if (row.dataset.version === next.dataset.version) return;
    patch(row, html);
    showTimes(row);
    row.classList.add("is-changed");
    setTimeout(() => row.classList.remove("is-changed"), INK_MS);
  }

  // How many rows do not stand where they should: those that come, and those out of the longest run.
  #moved() {
    const shown = [...this.#rows.children].map((row) => row.id);
    const here = new Set(shown);
    const wanted = this.#order.filter((id) => here.has(id));
    const stay = shown.filter((id) => this.#order.includes(id));
    const leaving = shown.length - stay.length;
    return this.#order.length - wanted.length + leaving + wanted.filter((id, index) => id !== stay[index]).length;
  }

  #hold(moved) {
    this.#text.textContent = `Order held while you read. ${moved} session${moved > 1 ? "s" : ""} would move.`;
    this.#button.hidden = false;
    this.#quiet.whenQuiet(this.#settle);
  }

  #reorder() {
    const wanted = new Set(this.#order);
    for (const row of [...this.#rows.children]) if (!wanted.has(row.id)) row.remove();
    let place = this.#rows.firstElementChild;
    for (const id of this.#order) {
      const row = document.getElementById(id) ?? this.#fresh.get(id);
      if (!row) continue;
      if (row === place) place = place.nextElementSibling;
      else this.#rows.insertBefore(row, place);
    }
    this.#fresh.clear();
    showTimes(this.#rows);
    const blank = this.#page.querySelector(".blank");
    if (blank) blank.hidden = this.#rows.childElementCount > 0;
    this.#text.textContent = this.#idleText;
    if (this.#button === document.activeElement) this.#rows.querySelector("a")?.focus();
    this.#button.hidden = true;
  }
}
