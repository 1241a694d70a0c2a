// Puts cards in another order: by their grip with the pointer or the keyboard, or with Alt and the arrow keys.
// Upgrades: [data-cards] and its [data-grip]. Listens to: pointer and keys on cards. Sends: the whole order.

import { submitForm } from "./submit.js";

const STEPS = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 };

let lifted = null;

export function startReorder(page, toast, announcer) {
  const grid = page.querySelector("[data-cards]");
  const form = page.querySelector("[data-layout-form]");
  const keep = async () => {
    const order = cardsOf(grid).map((card) => card.dataset.entry);
    const refusal = await submitForm(form, null, order.map((key) => ["order", key]));
    if (refusal) toast(refusal);
  };
  const step = (card, by) => {
    if (shift(grid, card, by)) announcer.sayNow(placeText(grid, card));
  };
  grid.addEventListener("keydown", (event) => {
    const card = event.target.closest(".card");
    const by = STEPS[event.key];
    if (!card) return;
    if (event.altKey && by) {
      event.preventDefault();
      step(card, by);
      keep();
    } else if (event.target.closest("[data-grip]")) {
      useGrip(event, card, { grid, step, keep, announcer });
    }
  });
  grid.addEventListener("focusout", ({ target }) => lifted?.card.contains(target) && !lifted.isMoving && drop(keep));
  grid.addEventListener("pointerdown", (event) => {
    const grip = event.target.closest("[data-grip]");
    if (grip && event.button === 0) drag(event, grip, { grid, keep, announcer });
  });
}

// Puts the cards with these ids in this order; what a person is just moving stays in their hand.
export function arrange(grid, ids) {
  if (lifted || !ids.length) return;
  const wanted = ids.map((id) => document.getElementById(id)).filter(Boolean);
  const others = cardsOf(grid).filter((card) => !wanted.includes(card));
  for (const [place, card] of [...wanted, ...others].entries()) {
    if (cardsOf(grid)[place] !== card) put(grid, card, cardsOf(grid)[place] ?? null);
  }
}

function useGrip(event, card, { grid, step, keep, announcer }) {
  if (event.key === " ") {
    event.preventDefault();
    if (lifted) drop(keep);
    else lift(grid, card, announcer);
  } else if (lifted && event.key in STEPS) {
    event.preventDefault();
    step(card, STEPS[event.key]);
  } else if (lifted && event.key === "Escape") {
    lifted.back();
    drop(() => announcer.sayNow("Put back"));
  }
}

function lift(grid, card, announcer) {
  const before = card.nextElementSibling;
  lifted = { card, isMoving: false, back: () => put(grid, card, before) };
  card.classList.add("is-lifted");
  announcer.sayNow(`Lifted ${placeText(grid, card)}`);
}

function drop(then) {
  lifted.card.classList.remove("is-lifted");
  lifted = null;
  then();
}

function shift(grid, card, by) {
  const cards = cardsOf(grid);
  const place = cards.indexOf(card);
  const target = cards[place + by];
  if (!target) return false;
  put(grid, card, by > 0 ? target.nextElementSibling : target);
  return true;
}

function drag(event, grip, { grid, keep, announcer }) {
  const card = grip.closest(".card");
  lift(grid, card, announcer);
  const before = cardsOf(grid).indexOf(card);
  grip.setPointerCapture(event.pointerId);
  const over = new AbortController();
  const move = ({ clientX, clientY }) => {
    const other = document.elementFromPoint(clientX, clientY)?.closest(".card");
    if (!other || other === card || other.parentElement !== grid) return;
    const cards = cardsOf(grid);
    put(grid, card, cards.indexOf(other) > cards.indexOf(card) ? other.nextElementSibling : other);
  };
  const end = ({ type }) => {
    over.abort();
    if (!lifted) return;
    if (type === "pointercancel") lifted.back();
    const isMoved = cardsOf(grid).indexOf(card) !== before;
    drop(() => isMoved && keep());
  };
  for (const [name, listen] of Object.entries({ pointermove: move, pointerup: end, pointercancel: end })) {
    grip.addEventListener(name, listen, { signal: over.signal });
  }
}

// Moves an element and keeps the focus and what is loaded inside, as far as the browser can.
function put(grid, card, before) {
  const focused = card.contains(document.activeElement) ? document.activeElement : null;
  if (lifted) lifted.isMoving = true;
  if (grid.moveBefore) grid.moveBefore(card, before);
  else grid.insertBefore(card, before);
  if (focused && document.activeElement !== focused) focused.focus({ preventScroll: true });
  if (lifted) lifted.isMoving = false;
}

function cardsOf(grid) {
  return [...grid.querySelectorAll(":scope > .card")];
}

function placeText(grid, card) {
  const cards = cardsOf(grid);
  return `${card.dataset.entry}, place ${cards.indexOf(card) + 1} of ${cards.length}`;
}
