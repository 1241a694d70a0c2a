// An answer while it is being written: plain text as it comes, finished blocks as the server renders them.
// Upgrades: [data-draft], [data-draft-template]. Listens to: "piece", "block" and "draft" frames. Sends: the wish for
// the draft when a piece is missing.

import { elementOf } from "./patch.js";

const ASK_MS = 400;

export class Draft {
  #list;
  #template;
  #ask;
  #element;
  #place = { turn: 0, call: 0 };
  #spoken = { turn: 0, call: 0 };
  #written = { text: "", thinking: "" };
  #shown = 0; // characters of the text that stand there as finished blocks
  #held = [];
  #blocks = []; // finished blocks that wait for what stands before them
  #timer = 0;

  constructor(list, template, ask) {
    this.#list = list;
    this.#template = template;
    this.#ask = ask;
    this.#element = list.querySelector("[data-draft]");
    if (!this.#element) return;
    this.#place = { turn: Number(this.#element.dataset.turn), call: Number(this.#element.dataset.call) };
    this.#written.text = this.#part("text").textContent;
    this.#written.thinking = this.#part("thought").textContent;
  }

  // Returns whether a new answer began.
  receivePiece(piece) {
    if (compare(piece, this.#spoken) <= 0 || compare(piece, this.#place) < 0) return false;
    if (piece.is_over) {
      this.settle(piece);
      return false;
    }
    const isNew = this.#begin(piece);
    this.#showState(piece);
    this.#take(piece);
    return isNew;
  }

  // The draft as the server saved it, which may be less than what is here.
  receiveDraft(draft) {
    if (!draft || compare(draft, this.#spoken) <= 0 || compare(draft, this.#place) < 0) return false;
    const isNew = this.#begin(draft);
    this.#showState(draft);
    for (const voice of ["text", "thinking"]) {
      this.#take({ ...draft, voice, offset: 0, text: draft[voice] });
    }
    const held = this.#held;
    this.#held = [];
    held.forEach((piece) => this.#take(piece));
    return isNew;
  }

  // A finished block takes the place of its plain text, once both are here.
  receiveBlock(block) {
    if (!this.#element || compare(block, this.#place) !== 0) return;
    this.#blocks.push(block);
    this.#showBlocks();
  }

  // This call and those before it are over: their messages are in the conversation.
  settle(spoken) {
    if (!spoken || compare(spoken, this.#spoken) <= 0) return;
    this.#spoken = { turn: spoken.turn, call: spoken.call };
    if (this.#element && compare(this.#place, spoken) <= 0) this.#remove();
  }

  #showBlocks() {
    const before = this.#shown;
    for (const { start, end, html } of this.#blocks.sort((one, other) => one.start - other.start)) {
      if (start !== this.#shown || end > this.#written.text.length) continue;
      this.#part("blocks").append(elementOf(html));
      this.#shown = end;
    }
    this.#blocks = this.#blocks.filter(({ end }) => end > this.#shown);
    if (this.#shown > before) this.#part("text").textContent = this.#written.text.slice(this.#shown);
  }

  #begin({ turn, call }) {
    if (this.#element && compare({ turn, call }, this.#place) === 0) return false;
    this.#remove();
    this.#place = { turn, call };
    this.#element = this.#template.content.firstElementChild.cloneNode(true);
    this.#list.insertBefore(this.#element, this.#list.querySelector("[data-waiting]"));
    return true;
  }

  #remove() {
    clearTimeout(this.#timer);
    this.#element?.remove();
    this.#element = null;
    this.#written = { text: "", thinking: "" };
    this.#held = [];
    this.#blocks = [];
    this.#shown = this.#timer = 0;
  }

  #take(piece) {
    const have = this.#written[piece.voice].length;
    if (piece.offset > have) {
      this.#held.push(piece);
      this.#askSoon();
      return;
    }
    const more = piece.text.slice(have - piece.offset);
    if (!more) return;
    this.#written[piece.voice] += more;
    this.#part(piece.voice === "text" ? "text" : "thought").append(more);
    if (piece.voice === "text") this.#showBlocks();
    if (piece.voice === "thinking") this.#part("thinking").hidden = false;
  }

  #askSoon() {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      if (this.#held.length) this.#ask();
    }, ASK_MS);
  }

  #showState({ note, calls }) {
    this.#part("note").textContent = note || "writing";
    const list = this.#part("calls");
    for (const name of calls.slice(list.children.length)) {
      const line = document.createElement("li");
      const title = document.createElement("span");
      title.className = "call__name";
      title.textContent = name;
      line.append(title, " writing arguments");
      list.append(line);
    }
  }

  #part(name) {
    return this.#element.querySelector(`[data-draft-${name}]`);
  }
}

function compare(one, other) {
  return one.turn - other.turn || one.call - other.call;
}
