// Decides which frames of one stream apply, by the revisions they lead from and to.
// Upgrades: nothing. Listens to: nothing. Sends: asks for everything again, once per gap.

export class Cursor {
  #askAgain;
  #isWaiting = false;

  constructor(value, askAgain) {
    this.value = value;
    this.#askAgain = askAgain;
  }

  // Moves on and returns true when the frame is to be applied.
  accepts(frame) {
    if (frame.snapshot) {
      this.#isWaiting = false;
    } else if (frame.to <= this.value) {
      return false;
    } else if (frame.from > this.value) {
      this.#reportGap();
      return false;
    }
    this.value = frame.to;
    return true;
  }

  // Returns where a new socket goes on: what was asked of the old one will not come.
  restart() {
    this.#isWaiting = false;
    return this.value;
  }

  #reportGap() {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#askAgain();
  }
}
