// Tells screen readers what happened: at most one sentence in ten seconds, unless a person waits for it.
// Upgrades: #announce. Listens to: nothing. Sends: nothing.

const GAP_MS = 10_000;
const LONGEST_QUEUE = 5;

export class Announcer {
  #region;
  #sentences = [];
  #changedKeys = new Set();
  #lastAt = -Infinity;
  #timer = 0;

  constructor(region) {
    this.#region = region;
  }

  say(sentence) {
    this.#sentences.push(sentence);
    if (this.#sentences.length > LONGEST_QUEUE) this.#sentences.shift();
    this.#plan();
  }

  cardChanged(key) {
    this.#changedKeys.add(key);
    this.#plan();
  }

  sayNow(sentence, { isUrgent = false } = {}) {
    this.#region.setAttribute("aria-live", isUrgent ? "assertive" : "polite");
    this.#region.textContent = sentence;
    this.#lastAt = Date.now();
  }

  #plan() {
    if (this.#timer) return;
    const wait = Math.max(0, this.#lastAt + GAP_MS - Date.now());
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.sayNow(this.#next());
      if (this.#sentences.length || this.#changedKeys.size) this.#plan();
    }, wait);
  }

  #next() {
    if (this.#sentences.length) return this.#sentences.shift();
    const [first, ...others] = this.#changedKeys;
    this.#changedKeys.clear();
    if (!others.length) return `${first} changed`;
    return `${first} and ${others.length} more card${others.length > 1 ? "s" : ""} changed`;
  }
}
