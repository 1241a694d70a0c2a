// Keeps one socket to the server open for as long as the page lives.
// Upgrades: nothing visible. Listens to: the socket, the network, the page's life.
// Sends: ack, pong, and what others ask for; dispatches "frame" and "state" (live, reconnecting, offline, ended).

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;
const OFFLINE_AFTER_MS = 30_000;
const SILENCE_MS = 50_000; // two and a half of the server's keepalives
const ACK_CHARACTERS = 64 * 1024;
const TRIES_BETWEEN_CHECKS = 4;
const SIGNED_OUT = 4401;
const NOT_ALLOWED = 4403;

export class Connection extends EventTarget {
  #path;
  #resume;
  #socket = null;
  #tries = 0;
  #lostAt = Date.now();
  #timer = 0;
  #silence = 0;
  #unacknowledged = 0;
  #state = { name: "connecting" };

  // Resume returns what the page has of each stream, for the address of the next socket.
  constructor(path, resume) {
    super();
    this.#path = path;
    this.#resume = resume;
    addEventListener("online", () => this.retryNow());
    addEventListener("offline", () => this.#socket?.close());
    addEventListener("pagehide", () => this.#leave());
    addEventListener("pageshow", (event) => event.persisted && this.open());
  }

  // A new socket, for what the page has and wants now.
  reopen() {
    this.#leave();
    this.open();
  }

  get isLive() {
    return this.#state.name === "live";
  }

  open() {
    clearTimeout(this.#timer);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const query = new URLSearchParams(this.#resume());
    const socket = new WebSocket(`${scheme}//${location.host}${this.#path}?${query}`);
    this.#socket = socket;
    this.#unacknowledged = 0;
    socket.addEventListener("open", () => this.#opened());
    socket.addEventListener("message", (event) => this.#received(event.data));
    socket.addEventListener("close", (event) => socket === this.#socket && this.#closed(event.code));
  }

  send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  retryNow() {
    if (this.#socket || this.#state.name === "ended") return;
    this.open();
  }

  #opened() {
    this.#tries = 0;
    this.#watchSilence();
    this.#enter({ name: "live" });
  }

  #received(text) {
    this.#watchSilence();
    this.#unacknowledged += text.length;
    const frame = JSON.parse(text);
    if (frame.type === "ping") this.send({ type: "pong" });
    else this.dispatchEvent(new CustomEvent("frame", { detail: frame }));
    if (this.#unacknowledged < ACK_CHARACTERS) return;
    this.send({ type: "ack", bytes: this.#unacknowledged });
    this.#unacknowledged = 0;
  }

  #watchSilence() {
    clearTimeout(this.#silence);
    const socket = this.#socket;
    this.#silence = setTimeout(() => {
      // A dead line never fires "close" by itself, and not soon after close().
      if (socket !== this.#socket) return;
      socket.close();
      this.#closed(0);
    }, SILENCE_MS);
  }

  #closed(code) {
    clearTimeout(this.#silence);
    this.#socket = null;
    if (code === SIGNED_OUT || code === NOT_ALLOWED) {
      this.#end(code === SIGNED_OUT);
      return;
    }
    if (this.#state.name !== "reconnecting" && this.#state.name !== "offline") this.#lostAt = Date.now();
    this.#tries += 1;
    const isOffline = !navigator.onLine || Date.now() - this.#lostAt > OFFLINE_AFTER_MS;
    this.#enter({ name: isOffline ? "offline" : "reconnecting", tries: this.#tries, since: this.#lostAt });
    if (this.#tries % TRIES_BETWEEN_CHECKS === 0) this.#checkPermission();
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.#tries - 1));
    this.#timer = setTimeout(() => this.open(), wait * (0.5 + Math.random() / 2));
  }

  // A refused handshake looks like a lost server; the page's own address tells them apart.
  async #checkPermission() {
    const answer = await fetch(location.href, { method: "HEAD", redirect: "manual" }).catch(() => null);
    if (!answer || this.isLive) return;
    if (answer.type === "opaqueredirect") this.#end(true);
    else if (answer.status === 403 || answer.status === 404) this.#end(false);
  }

  #end(isSignedOut) {
    this.#leave();
    this.#enter({ name: "ended", isSignedOut });
  }

  #leave() {
    const socket = this.#socket;
    this.#socket = null;
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
    socket?.close();
  }

  #enter(state) {
    this.#state = state;
    this.dispatchEvent(new CustomEvent("state", { detail: state }));
  }
}
