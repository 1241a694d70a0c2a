// The colours of the page for what is drawn elsewhere, and when they change.
// Upgrades: nothing. Listens to: the theme of the page and of the system. Sends: nothing.

const COLOURS = {
  surface: "surface", raised: "raised", sunken: "sunken", text: "text", quiet: "text-2", line: "line",
  control: "control", accentBg: "accent-bg", note: "warn-line", noteBg: "warn-bg", danger: "danger", onSeries: "on-accent",
};
const SERIES = ["board", "tools", "plugin", "notes", "input", "system", "conv", "reserve"];
const DARK_BELOW = 3 * 128;

const probe = document.createElement("span");

export function palette() {
  if (!probe.isConnected) {
    probe.hidden = true;
    document.body.append(probe);
  }
  const colours = Object.fromEntries(Object.entries(COLOURS).map(([name, token]) => [name, colourOf(token)]));
  return {
    ...colours,
    dark: brightness(colours.surface) < DARK_BELOW,
    font: getComputedStyle(document.body).fontFamily,
    series: SERIES.map((name) => colourOf(`seg-${name}`)),
  };
}

export function onPaletteChange(listener) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", listener);
  const attributes = { attributes: true, attributeFilter: ["data-theme"] };
  new MutationObserver(listener).observe(document.documentElement, attributes);
}

function colourOf(token) {
  probe.style.color = `var(--${token})`;
  return getComputedStyle(probe).color;
}

function brightness(colour) {
  return (colour.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
}
