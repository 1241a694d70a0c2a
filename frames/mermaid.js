// Draws Mermaid diagrams.
// Upgrades: nothing. Listens to and sends: see answering.js.

import mermaid from "mermaid";
import { answer, svgOf } from "./answering.js";

const LIMITS = {
  htmlLabels: false,
  flowchart: { htmlLabels: false },
  // As wide as a card: a picture that shrinks has labels that nobody reads.
  gantt: { useWidth: 560 },
  maxEdges: 300,
  maxTextSize: 20_000,
  securityLevel: "strict",
  startOnLoad: false,
  suppressErrorRendering: true,
};
// What no diagram may change by its own directives.
const SECURE = [
  ...Object.keys(LIMITS).filter((name) => name !== "gantt"),
  "secure", "altFontFamily", "dompurifyConfig", "fontFamily", "theme", "themeCSS", "themeVariables",
];

let drawn = 0;

answer(async ({ source, theme }) => {
  mermaid.initialize({
    ...LIMITS,
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
  return svgOf(svg);
});
