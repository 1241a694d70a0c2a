// Draws Mermaid diagrams.
// Upgrades: nothing. Listens to and sends: see answering.js.

import mermaid from "mermaid";
import { answer, svgOf } from "./answering.js";

const LIMITS = {
  htmlLabels: false,
  flowchart: { htmlLabels: false },
  maxEdges: 300,
  maxTextSize: 20_000,
  securityLevel: "strict",
  startOnLoad: false,
  suppressErrorRendering: true,
};
// As wide as a card: a picture that shrinks has labels that nobody reads.
const LAYOUT = {
  c4: { c4ShapeInRow: 2, c4ShapeMargin: 40, diagramMarginX: 16 },
  gantt: { useWidth: 560 },
  journey: { leftMargin: 90, taskMargin: 24, width: 120 },
  sankey: { labelStyle: "outlined" },
};
// What no diagram may change by its own directives.
const SECURE = [
  ...Object.keys(LIMITS),
  "secure", "altFontFamily", "dompurifyConfig", "fontFamily", "theme", "themeCSS", "themeVariables",
];

// Of the labels of a time axis, in pixels.
const DATE_CHARACTER = 6.5;

let drawn = 0;

answer(async ({ source, theme }) => {
  mermaid.initialize({
    ...LIMITS,
    ...LAYOUT,
    secure: SECURE,
    theme: "base",
    fontFamily: theme.font,
    themeVariables: {
      darkMode: theme.dark,
      background: theme.surface,
      fontFamily: theme.font,
      fontSize: "14px",
      primaryColor: theme.raised,
      primaryTextColor: theme.text,
      primaryBorderColor: theme.control,
      secondaryColor: theme.accentBg,
      tertiaryColor: theme.sunken,
      lineColor: theme.quiet,
      textColor: theme.text,
      noteBkgColor: theme.noteBg,
      noteTextColor: theme.text,
      noteBorderColor: theme.note,
      errorTextColor: theme.danger,
      edgeLabelBackground: theme.surface,
      useGradient: false,
      dropShadow: "none",
      ...tasksOf(theme),
      ...Object.fromEntries(theme.series.flatMap((color, index) => [
        [`cScale${index}`, color], [`pie${index + 1}`, color], [`git${index}`, color],
        [`cScaleLabel${index}`, theme.onSeries], [`gitBranchLabel${index}`, theme.onSeries],
      ])),
      xyChart: { plotColorPalette: theme.series.join(";").replaceAll(",", " ").replaceAll(";", ",") },
      pieOpacity: "1",
      pieSectionTextColor: theme.onSeries,
      pieStrokeColor: theme.surface,
      pieOuterStrokeColor: theme.line,
    },
  });
  drawn += 1;
  const { svg } = await mermaid.render(`drawing-${drawn}`, source);
  const drawing = svgOf(svg);
  drawAxis(drawing, theme.line);
  if (drawing.getAttribute("aria-roledescription") === "c4") recolour(drawing, theme.quiet);
  return drawing;
});

function tasksOf(theme) {
  return {
    sectionBkgColor: theme.sunken, sectionBkgColor2: theme.sunken, altSectionBkgColor: theme.surface,
    taskBkgColor: theme.accentBg, taskBorderColor: theme.control,
    taskTextColor: theme.text, taskTextLightColor: theme.text, taskTextDarkColor: theme.text, taskTextOutsideColor: theme.text,
    activeTaskBkgColor: theme.accentBg, activeTaskBorderColor: theme.series[0],
    doneTaskBkgColor: theme.raised, doneTaskBorderColor: theme.control,
    critBkgColor: theme.noteBg, critBorderColor: theme.danger,
    gridColor: theme.line, todayLineColor: theme.danger,
  };
}

// The lines of a time axis are black, and its dates overlap when there are many.
function drawAxis(drawing, colour) {
  let end = -Infinity;
  for (const tick of drawing.querySelectorAll(".grid .tick")) {
    tick.querySelector("line").setAttribute("stroke", colour);
    const label = tick.querySelector("text");
    const x = Number(/\(([-\d.]+)/.exec(tick.getAttribute("transform"))?.[1]);
    const width = label.textContent.length * DATE_CHARACTER;
    if (x - width / 2 < end) label.remove();
    else end = x + width / 2;
  }
}

// Its lines have one colour, which is made for light pages.
function recolour(drawing, colour) {
  for (const name of ["fill", "stroke"]) {
    for (const element of drawing.querySelectorAll(`[${name}="#444444"]`)) element.setAttribute(name, colour);
  }
}
