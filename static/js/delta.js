// Counts the lines that a change of a card added and took away, and shows them until the reader looked.
// Upgrades: [data-delta] inside cards. Listens to: nothing. Sends: nothing.

const SHOWN_MS = 30_000;

const timers = new WeakMap();

// Returns the lines of a card's value, as people read them.
export function linesOf(article) {
  return article.querySelector(".card__body").innerText.split("\n");
}

export function showDelta(article, before) {
  const badge = article.querySelector("[data-delta]");
  if (!badge) return;
  const after = linesOf(article);
  const added = without(after, before);
  const removed = without(before, after);
  if (!added && !removed) return;
  badge.replaceChildren(
    part("delta__add", `+${added}`),
    " ",
    part("delta__del", `\u2212${removed}`),
    part("sr-only", " lines in the last change, open history"),
  );
  badge.hidden = false;
  clearTimeout(timers.get(badge));
  timers.set(
    badge,
    setTimeout(() => {
      badge.hidden = true;
    }, SHOWN_MS),
  );
}

function without(lines, others) {
  const left = new Map();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  }).length;
}

function part(name, text) {
  const span = document.createElement("span");
  span.className = name;
  span.textContent = text;
  return span;
}
