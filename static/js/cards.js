// The cards on the board as elements: made, patched part by part, marked as changed or gone, taken away.
// Upgrades: .card. Listens to: nothing. Sends: nothing.

import { showTimes } from "./ages.js";
import { linesOf, showDelta } from "./delta.js";
import { elementOf, patch } from "./patch.js";

const INK_MS = 2600;
const INK_STILL_MS = 5000; // without movement the outline stays longer
const GONE_WORDS = { evicted: "Evicted", deleted: "Deleted", hidden: "Not shown any more", unlisted: "Gone" };

const inkTimers = new WeakMap();

// Returns the article and whether it is new. Card: id, size, head, body, foot as the server sends them.
export function placeCard(grid, card) {
  const found = document.getElementById(card.id);
  const article = found ?? newCard(card);
  const before = found && card.changed ? linesOf(found) : null;
  if (found) {
    found.dataset.size = card.size;
    for (const part of ["head", "body", "foot"]) {
      patch(document.getElementById(`${card.id}-${part}`), card[part]);
    }
  } else {
    grid.append(article);
  }
  article.classList.toggle("is-gone", article.querySelector("[data-gone]") !== null);
  showTimes(article);
  if (before) showDelta(article, before);
  return { article, isNew: !found };
}

function newCard(card) {
  const article = document.createElement("article");
  article.className = "card";
  article.id = card.id;
  article.dataset.size = card.size;
  article.dataset.entry = card.key;
  article.setAttribute("aria-labelledby", `${card.id}-key`);
  article.append(elementOf(card.head), elementOf(card.body), elementOf(card.foot));
  return article;
}

export function markChanged(article) {
  clearTimeout(inkTimers.get(article));
  for (const animation of article.getAnimations({ subtree: true })) {
    if (animation.animationName === "ink") animation.currentTime = 0;
  }
  article.classList.add("is-changed");
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  inkTimers.set(
    article,
    setTimeout(() => article.classList.remove("is-changed"), isStill ? INK_STILL_MS : INK_MS),
  );
}

export function markGone(article, reason) {
  article.classList.add("is-gone");
  const origin = article.querySelector(".origin");
  origin.className = "origin";
  origin.textContent = GONE_WORDS[reason];
}

export function isPinned(article) {
  return article.querySelector("[data-pin]")?.getAttribute("aria-pressed") === "true";
}

// Keeps the keyboard's place when the card under it leaves.
export function removeCard(article) {
  if (article.contains(document.activeElement)) article.closest("[tabindex]")?.focus({ preventScroll: true });
  article.remove();
}

export function versionOf(article) {
  return article.querySelector(".card__version")?.textContent.match(/\d+/)?.[0] ?? "";
}
