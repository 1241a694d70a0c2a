// Draws mind maps from outlines {content, children}; content is HTML that the server made and sanitized.
// Upgrades: nothing. Listens to and sends: see answering.js.

import { Markmap } from "markmap-view";
import { answer } from "./answering.js";

const MARGIN = 8;
const LOOK_MS = 30;

answer(async ({ source, theme }) => {
  document.querySelector("svg")?.remove();
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  document.body.append(svg);
  const map = new Markmap(svg, {
    autoFit: false,
    color: (node) => theme.series[Number(node.state.path.split(".")[1] ?? 0) % theme.series.length],
    duration: 0,
    maxWidth: 320,
    pan: false,
    style: (id) => `.${id} { --markmap-font: 14px/20px ${theme.font}; --markmap-text-color: ${theme.text};
      --markmap-code-bg: ${theme.sunken}; --markmap-code-color: ${theme.text}; --markmap-circle-open-bg: ${theme.surface}; }`,
    zoom: false,
  });
  await map.setData(JSON.parse(source));
  // Even without duration, nodes move and fade in by timers, which leave a mark on each as long as they run.
  while ([...svg.querySelectorAll("*")].some((node) => node.__transition)) {
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
  const { x1, x2, y1, y2 } = map.state.rect;
  map.g.attr("transform", null);
  svg.setAttribute("viewBox", [x1 - MARGIN, y1 - MARGIN, x2 - x1 + 2 * MARGIN, y2 - y1 + 2 * MARGIN].join(" "));
  const copy = svg.cloneNode(true);
  map.destroy();
  return copy;
});
