// Keeps the keyboard's place when what has the focus leaves the page or is hidden.
// Upgrades: nothing itself. Listens to: nothing. Sends: nothing.

// Returns what the work on a part of the page returns. When that part loses the focused element by it, the first of
// the places that can be seen gets the focus.
export function keepFocus(part, work, places) {
  const focused = document.activeElement;
  if (!part.contains(focused)) return work();
  const result = work();
  const now = document.activeElement;
  if (now === focused || now === document.body) {
    const place = [focused, ...places(focused)].find((each) => each?.checkVisibility());
    place?.focus({ preventScroll: true });
  }
  return result;
}

// Takes a row away; the focus goes on to the next row of those that stay, or back to the last one before.
export function removeRow(row, stays) {
  if (row.contains(document.activeElement)) {
    const rows = [...row.parentElement.children];
    const place = rows.indexOf(row);
    const next = [...rows.slice(place), ...rows.slice(0, place).reverse()].find(stays);
    (next?.querySelector("a, button") ?? next)?.focus({ preventScroll: true });
  }
  row.remove();
}
