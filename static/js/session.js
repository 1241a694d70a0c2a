// The head of a session page: status, context budget, and the rail of other sessions.
// Upgrades: #session-status, #budget, #rail. Listens to: "session" frames. Sends: nothing.

import { patch } from "./patch.js";

const WARNINGS = {
  warn: "The context is above its reclaim mark",
  critical: "The context is above its compaction mark",
};

export class SessionHead {
  #announcer;

  constructor(announcer) {
    this.#announcer = announcer;
  }

  receive({ status, budget, rail }) {
    const bar = document.getElementById("budget");
    const before = bar.dataset.level;
    if (status) patch(document.getElementById("session-status"), status);
    if (budget) patch(bar, budget);
    if (rail) patch(document.getElementById("rail"), rail);
    const after = bar.dataset.level;
    if (after !== before && after in WARNINGS) this.#announcer.say(WARNINGS[after]);
  }
}
