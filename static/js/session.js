// The head of a session page: status, context budget, and the rail of other sessions.
// Upgrades: #session-status, #budget, #rail. Listens to: "session" and "fleet" frames, leaving the rail. Sends: nothing.

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
  }

  receive({ status, budget }) {
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

  #showRail() {
    if (this.#waitingRail) patch(document.getElementById("rail"), this.#waitingRail);
    this.#waitingRail = "";
  }
}
