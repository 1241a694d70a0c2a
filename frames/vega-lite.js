// Draws Vega-Lite charts from the data they hold: expressions are interpreted, nothing is loaded.
// Upgrades: nothing. Listens to and sends: see answering.js.

import { parse, View } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile } from "vega-lite";
import { answer, svgOf } from "./answering.js";

const refuse = () => Promise.reject(new Error("a chart may not load anything; put its data into data.values"));
const loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse };
// Renderer options that a chart must not choose, and links, which a picture cannot follow.
const DROPPED = new Set(["usermeta", "href", "loader"]);

answer(async ({ source, theme }) => {
  const spec = JSON.parse(source, (key, value) => (DROPPED.has(key) ? undefined : value));
  const { spec: compiled } = compile(spec, { config: configOf(theme), logger: quiet });
  const runtime = parse(compiled, {}, { ast: true });
  const view = new View(runtime, { expr: expressionInterpreter, loader, renderer: "none", logger: quiet });
  const svg = svgOf(await view.toSVG());
  view.finalize();
  return svg;
});

const quiet = {
  level: () => quiet,
  error(...words) { throw new Error(words.map((word) => word?.message ?? word).join(" ")); },
  warn: () => quiet,
  info: () => quiet,
  debug: () => quiet,
};

function configOf(theme) {
  const label = { labelColor: theme.text, titleColor: theme.text, labelFontSize: 12, titleFontSize: 12 };
  return {
    background: null,
    font: theme.font,
    axis: { ...label, domainColor: theme.control, gridColor: theme.line, tickColor: theme.control, titleFontWeight: 500 },
    legend: { ...label, titleFontWeight: 500 },
    header: label,
    title: { color: theme.text, subtitleColor: theme.quiet, fontSize: 14, fontWeight: 600 },
    text: { color: theme.text },
    rule: { color: theme.quiet },
    mark: { color: theme.series[0] },
    // With its axes as high as the place that the page keeps for it (static/css/diagram.css).
    view: { continuousHeight: 200, stroke: theme.line },
    range: { category: theme.series },
  };
}
