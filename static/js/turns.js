// Work that is done one piece at a time, each owner's in turn: nobody waits for all that somebody else wants.
// Upgrades: nothing. Listens to: nothing. Sends: nothing.

export class Turns {
  #isBusy = false;
  #waiting = new Map();

  // Returns what the work returns, or fails as it fails, once its turn has come.
  take(owner, work) {
    return new Promise((resolve, reject) => {
      const pieces = this.#waiting.get(owner) ?? [];
      pieces.push(async () => {
        try {
          resolve(await work());
        } catch (error) {
          reject(error);
        }
      });
      this.#waiting.set(owner, pieces);
      this.#work();
    });
  }

  async #work() {
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#waiting.size > 0) {
      const [owner, [piece, ...rest]] = this.#waiting.entries().next().value;
      // Whoever has more to do stands in line again.
      this.#waiting.delete(owner);
      if (rest.length > 0) this.#waiting.set(owner, rest);
      await piece();
    }
    this.#isBusy = false;
  }
}
