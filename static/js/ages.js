// Keeps ages true and shows clock times in the reader's own time zone.
// Upgrades: time[data-age], time[data-clock]. Listens to: a tick each second. Sends: nothing.

const TICK_MS = 1000;
const CLOCKS = {
  "": { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
  short: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
};

// The server's clock counts: a fresh page says what it showed when the page was made.
const isFresh = performance.getEntriesByType("navigation")[0]?.type !== "back_forward";
const skewMs = isFresh ? Number(document.body.dataset.now) * 1000 - Date.now() : 0;

export function startAges() {
  showTimes(document);
  setInterval(() => showTimes(document, "time[data-age]"), TICK_MS);
}

export function showTimes(root, selector = "time[data-age], time[data-clock]") {
  const now = Date.now() + skewMs;
  for (const element of root.querySelectorAll(selector)) {
    const at = Date.parse(element.dateTime);
    if (Number.isNaN(at)) continue;
    const text = "age" in element.dataset ? ageText(now - at) : clockText(at, element.dataset.clock);
    if (element.textContent !== text) element.textContent = text;
  }
}

function ageText(ageMs) {
  const seconds = Math.max(0, Math.floor(ageMs / 1000));
  if (seconds < 1) return "now";
  if (seconds < 60) return `${seconds}\u00a0s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}\u00a0min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}\u00a0h ago`;
  return `${Math.floor(seconds / 86_400)}\u00a0d ago`;
}

// Returns a time of the day as every page writes it; form: "short" is without seconds.
export function clockText(at, form = "") {
  return new Date(at).toLocaleTimeString("en", CLOCKS[form] ?? CLOCKS[""]);
}
