// The head of a session page: title, status, context budget, and the rail of other sessions.
// Upgrades: [data-title], #session-status, #budget, #rail. Listens to: "session" and "fleet" frames, leaving the rail.
// Sends: nothing.

import { removeRow } from "./focus.js";
import { patch } from "./patch.js";

const WARNINGS = {
  warn: "The context is above its reclaim mark",
  critical: "The context is above its compaction mark",
};

export class SessionHead {
  #announcer;
  #waitingRail = "";

  constructor(announcer) {
    this.#announcer = announcer;
    // A wallboard has none.
    const rail = document.getElementById("rail") ?? new EventTarget();
    for (const end of ["pointerleave", "focusout"]) rail.addEventListener(end, () => this.#showRail());
    document.querySelector("#rail [aria-current]")?.scrollIntoView({ block: "center" });
  }

  receive({ title, status, budget }) {
    if (title) showTitle(title);
    const bar = document.getElementById("budget");
    const before = bar.dataset.level;
    if (status) patch(document.getElementById("session-status"), status);
    if (budget) patch(bar, budget);
    const after = bar.dataset.level;
    if (after !== before && after in WARNINGS) this.#announcer.say(WARNINGS[after]);
  }

  // The list keeps its order under the pointer.
  receiveRail({ parts }) {
    this.#waitingRail = parts.rail ?? this.#waitingRail;
    if (!document.getElementById("rail").matches(":hover")) this.#showRail();
  }

  // The session was deleted, or this person may not see it any more: no frame comes that would say so.
  leaveRail() {
    this.#waitingRail = "";
    const item = document.querySelector("#rail [aria-current]");
    if (item) removeRow(item, (other) => other !== item);
  }

  #showRail() {
    if (this.#waitingRail) patch(document.getElementById("rail"), this.#waitingRail);
    this.#waitingRail = "";
  }
}

// The heading says what stands before the title in the browser's tab; the product's name stays behind it.
function showTitle(title) {
  const heading = document.querySelector("[data-title]");
  heading.textContent = title;
  document.title = `${heading.dataset.title}${title}${document.title.slice(document.title.lastIndexOf(" · "))}`;
}
