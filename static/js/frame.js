// A hidden frame that draws: sandboxed, without origin or network, one source at a time, ended when it takes too long.
// Upgrades: nothing visible. Listens to: messages of its frame. Sends: {id, source, theme} to its frame.

const LIMIT_MS = 8000;

export class TooLong extends Error {
  constructor(limitMs) {
    super(`drawing took longer than ${limitMs / 1000} s`);
  }
}

export class Frame {
  #address;
  #element = null;
  #last = Promise.resolve();
  #number = 0;
  // How long a drawing may take.
  limitMs = LIMIT_MS;

  constructor(address) {
    this.#address = address;
  }

  // Returns {svg, width, height}; fails with the reason when there is no picture.
  draw(source, theme) {
    const drawing = this.#last.then(() => this.#draw(source, theme));
    this.#last = drawing.catch(() => {});
    return drawing;
  }

  async #draw(source, theme) {
    if (!this.#element?.isConnected) await this.#start();
    this.#number += 1;
    const id = this.#number;
    const reply = this.#reply((data) => data.id === id, new TooLong(this.limitMs));
    this.#element.contentWindow.postMessage({ id, source, theme }, "*");
    const { error, ...picture } = await reply;
    if (error !== undefined) throw new Error(String(error));
    return picture;
  }

  #start() {
    const element = document.createElement("iframe");
    element.sandbox = "allow-scripts";
    element.src = this.#address;
    element.className = "frame-host";
    element.tabIndex = -1;
    element.title = "Draws diagrams";
    element.setAttribute("aria-hidden", "true");
    this.#element = element;
    const ready = this.#reply((data) => data.ready === true, new Error("the drawing frame did not start"));
    document.body.append(element);
    return ready;
  }

  // The next message of this frame that is wanted; a frame that is silent for too long is ended.
  #reply(isWanted, complaint) {
    const element = this.#element;
    return new Promise((resolve, reject) => {
      const listen = ({ source, data }) => {
        if (source !== element.contentWindow || typeof data !== "object" || data === null || !isWanted(data)) return;
        stop();
        resolve(data);
      };
      const timer = setTimeout(() => {
        stop();
        element.remove();
        reject(complaint);
      }, this.limitMs);
      const stop = () => {
        clearTimeout(timer);
        removeEventListener("message", listen);
      };
      addEventListener("message", listen);
    });
  }
}
