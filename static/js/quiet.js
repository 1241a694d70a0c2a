// Waits for a moment when nobody is busy with a part of the page.
// Upgrades: nothing visible. Listens to: pointer, focus and keys on that part. Sends: nothing.

const QUIET_MS = 5000;
const LOOK_MS = 1000;

export class Quiet {
  #part;
  #waiting = new Set();
  #busyAt = 0;
  #timer = 0;

  constructor(part) {
    this.#part = part;
    for (const sign of ["pointermove", "pointerdown", "pointerleave", "focusin", "focusout", "keydown", "wheel"]) {
      part.addEventListener(sign, () => this.#touch(), { passive: true });
    }
  }

  // Calls back once, when from now on there was neither pointer nor focus for five seconds.
  whenQuiet(callback) {
    this.#touch();
    this.#waiting.add(callback);
    if (!this.#timer) this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  get isBusy() {
    return this.#part.matches(":hover, :focus-within") || Date.now() - this.#busyAt < QUIET_MS;
  }

  #touch() {
    this.#busyAt = Date.now();
  }

  #look() {
    if (this.isBusy) return;
    clearInterval(this.#timer);
    this.#timer = 0;
    const callbacks = [...this.#waiting];
    this.#waiting.clear();
    for (const callback of callbacks) callback();
  }
}
