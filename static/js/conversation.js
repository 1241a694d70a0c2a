// The conversation: lines come and change, the reader's place stays.
// Upgrades: [data-conversation] in [data-log], [data-jump], #turn-state. Listens to: "conversation", "piece", "block" and
// "draft" frames, scrolling. Sends: the wish for the draft.

import { showTimes } from "./ages.js";
import { Draft } from "./draft.js";
import { keepFocus } from "./focus.js";
import { elementOf, patch } from "./patch.js";

const AT_END_PX = 40;
const WAITING = "[data-draft], [data-waiting]"; // what every message stands before
const ACTIVE = new Set(["queued", "running", "waiting"]);

export class Conversation {
  #list;
  #log;
  #jump;
  #cursor;
  #announcer;
  #unseen = 0;
  #draft;

  constructor(page, cursor, announcer, askForDraft) {
    this.#list = page.querySelector("[data-conversation]");
    this.#log = page.querySelector("[data-log]");
    this.#jump = page.querySelector("[data-jump]");
    this.#cursor = cursor;
    this.#announcer = announcer;
    this.#draft = new Draft(this.#list, page.querySelector("[data-draft-template]"), askForDraft);
    this.#jump.addEventListener("click", () => {
      this.#log.scrollTo({ top: 0 });
      this.#log.focus({ preventScroll: true });
    });
    // Retry becomes Stop where it stands: the second click of two, and a key held down, are meant for neither.
    const state = page.querySelector("#turn-state");
    state.addEventListener("click", (event) => event.detail > 1 && event.preventDefault());
    state.addEventListener("keydown", (event) => event.repeat && event.preventDefault());
    this.#log.addEventListener("scroll", () => this.#isAtEnd && this.#countUnseen(0), { passive: true });
  }

  receive(frame) {
    if (!this.#cursor.accepts(frame)) return;
    this.#change(() => {
      const added = frame.messages.filter(({ html }) => this.#place(html)).length;
      this.#draft.settle(frame.spoken);
      this.#dropWithdrawn(frame.waiting);
      return added;
    });
    if (frame.turn) this.#showTurn(frame.turn);
  }

  receivePiece(frame) {
    this.#change(() => Number(this.#draft.receivePiece(frame)));
  }

  receiveBlock(frame) {
    this.#change(() => this.#draft.receiveBlock(frame) ?? 0);
  }

  receiveDraft({ draft }) {
    this.#change(() => Number(this.#draft.receiveDraft(draft)));
  }

  // Keeps the reader's place while ``work`` changes lines; it returns how many are new.
  #change(work) {
    const wasAtEnd = this.#isAtEnd;
    const height = this.#log.scrollHeight;
    // An approval that was answered leaves the call it was about.
    const item = document.activeElement.closest("li");
    const added = keepFocus(this.#list, work, () => [item?.querySelector("summary"), this.#log]);
    if (wasAtEnd) {
      this.#log.scrollTop = 0;
    } else {
      // The log is laid out from its end: what is added below would push the reader's line up.
      const moved = this.#log.scrollHeight - height;
      if (!CSS.supports("overflow-anchor", "auto")) this.#log.scrollTop -= moved;
      if (added) this.#countUnseen(this.#unseen + added);
    }
  }

  // Returns whether the line is new.
  #place(html) {
    const fresh = elementOf(html);
    const old = document.getElementById(fresh.id);
    if (old) this.#renew(old, fresh, html);
    else this.#list.insertBefore(fresh, "waiting" in fresh.dataset ? null : this.#list.querySelector(WAITING));
    showTimes(old ?? fresh);
    return !old;
  }

  #renew(line, fresh, html) {
    const isTakenUp = "waiting" in line.dataset && !("waiting" in fresh.dataset);
    patch(line, html);
    // Its answer may have begun before this was heard of, and then stands in front of it.
    if (isTakenUp) this.#list.insertBefore(line, this.#list.querySelector(WAITING) ?? line.nextSibling);
  }

  #dropWithdrawn(waiting) {
    for (const line of this.#list.querySelectorAll("[data-waiting]")) {
      if (!waiting.includes(line.id)) line.remove();
    }
  }

  #showTurn(html) {
    const state = document.getElementById("turn-state");
    const before = state.dataset.status;
    keepFocus(state, () => patch(state, html), () => [this.#log]);
    const after = state.dataset.status;
    if (after === before) return;
    if (after === "failed") this.#announcer.sayNow(state.firstElementChild.textContent.trim(), { isUrgent: true });
    else if (after === "waiting") this.#announcer.sayNow(state.firstElementChild.textContent.trim(), { isUrgent: true });
    else if (ACTIVE.has(before) && !ACTIVE.has(after)) this.#announcer.say("Answer finished");
  }

  get #isAtEnd() {
    return this.#log.scrollTop > -AT_END_PX;
  }

  #countUnseen(count) {
    this.#unseen = count;
    this.#jump.hidden = count === 0;
    this.#jump.querySelector("[data-jump-text]").textContent = `${count} new, go to the latest`;
  }
}
