// Wires the parts of a session page to its socket.
// Upgrades: [data-socket]. Listens to: the frames and states of its connection. Sends: nothing itself.

import { Board } from "./board.js";
import { startComposer } from "./composer.js";
import { Connection } from "./connection.js";
import { Conversation } from "./conversation.js";
import { Cursor } from "./cursor.js";
import { startIndicator } from "./indicator.js";
import { startLayout } from "./layout.js";
import { startMaximise } from "./maximise.js";
import { startPins } from "./pins.js";
import { startReorder } from "./reorder.js";
import { SessionHead } from "./session.js";
import { startTurnForms } from "./turn-forms.js";

export function startSessionPage(page, announcer, toast) {
  const askAgain = () => connection.send({ type: "resync" });
  const cursors = {
    board: new Cursor(Number(page.dataset.boardCursor), askAgain),
    conversation: new Cursor(Number(page.dataset.conversationCursor), askAgain),
  };
  const board = new Board(page, cursors.board, announcer);
  const conversation = new Conversation(page, cursors.conversation, announcer, () => {
    connection.send({ type: "resync", part: "draft" });
  });
  const connection = new Connection(page.dataset.socket, () => ({
    board: cursors.board.restart(),
    conversation: cursors.conversation.restart(),
    view: board.view,
  }));

  const head = new SessionHead(announcer);
  const parts = {
    board: (frame) => board.receive(frame),
    view: (frame) => board.receiveView(frame),
    receipts: (frame) => board.receiveReceipts(frame),
    conversation: (frame) => conversation.receive(frame),
    piece: (frame) => conversation.receivePiece(frame),
    block: (frame) => conversation.receiveBlock(frame),
    draft: (frame) => conversation.receiveDraft(frame),
    session: (frame) => head.receive(frame),
    fleet: (frame) => head.receiveRail(frame),
  };
  connection.addEventListener("frame", ({ detail }) => parts[detail.type]?.(detail));

  connection.addEventListener("state", ({ detail }) => {
    if (detail.name === "ended" && !detail.isSignedOut) head.leaveRail();
  });

  // What a person did shows through the socket; without one, the page is loaded again to show it.
  const settled = () => {
    if (!connection.isLive) location.reload();
  };
  startPins(page.querySelector("[data-pin-form]"), settled, toast);
  startLayout(page, settled, toast);
  startMaximise(page.querySelector("[data-cards]"));
  startReorder(page, toast, announcer);
  startTurnForms(page.querySelectorAll("[data-turn-form]"), settled, toast);
  startComposer(page.querySelector("[data-composer]"), settled);
  startIndicator(connection, announcer);
  connection.open();
}
