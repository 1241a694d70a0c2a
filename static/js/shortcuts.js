// Single keys press buttons, follow links and go to fields, unless a person switched them off or is typing.
// Upgrades: [data-shortcut]; in a card, those of that card come first. Listens to: keys anywhere. Sends: nothing itself.

const SEQUENCE_MS = 1000;
const STEPS = {
  j: [".fleet__link", 1],
  k: [".fleet__link", -1],
  "]": [".card [data-grip]", 1],
  "[": [".card [data-grip]", -1],
};
const TYPING = "input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable]";

let earlier = { key: "", at: 0 };

export function startShortcuts() {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.shiftKey) use(event, find("shift+escape", event.target));
    else if (isMeant(event)) press(event, event.key.toLowerCase());
  });
}

function isMeant(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return false;
  return document.documentElement.dataset.shortcuts !== "off" && !event.target.closest?.(TYPING);
}

function press(event, key) {
  const sequence = Date.now() - earlier.at < SEQUENCE_MS ? `${earlier.key} ${key}` : key;
  earlier = { key, at: Date.now() };
  const target = find(sequence, event.target) ?? find(key, event.target);
  if (target) use(event, target);
  else if (key in STEPS) step(event, ...STEPS[key]);
}

function find(shortcut, from) {
  const all = [...document.querySelectorAll(`[data-shortcut="${CSS.escape(shortcut)}"]`)];
  const card = from.closest?.(".card");
  if (card) return all.find((each) => card.contains(each)) ?? all.find((each) => !each.closest(".card"));
  return all.find((each) => !each.closest(".card") && !each.hidden);
}

function use(event, target) {
  if (!target) return;
  event.preventDefault();
  if (target.matches(`${TYPING}, [data-shortcut-focus]`)) target.focus();
  else target.click();
}

function step(event, selector, by) {
  const stops = [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility());
  if (!stops.length) return;
  event.preventDefault();
  const here = stops.findIndex((each) => (each.closest(".card, tr") ?? each).contains(event.target));
  const next = here < 0 ? (by > 0 ? 0 : stops.length - 1) : Math.min(Math.max(here + by, 0), stops.length - 1);
  stops[next].focus();
}
