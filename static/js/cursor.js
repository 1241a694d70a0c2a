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

  // A new socket starts from the value in its address: nothing asked of the old one will come.
  restart() {
    this.#isWaiting = false;
  }

  #reportGap() {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#askAgain();
  }
}
