// What our scripts may use and how long they may be; no plugin, no preset.

const browser = [
  "AbortController", "CSS", "CustomEvent", "DOMParser", "DataTransfer", "Date", "EventTarget", "FormData", "IntersectionObserver",
  "MutationObserver", "Node", "URL", "URLSearchParams", "WebSocket", "XMLSerializer", "addEventListener", "clearInterval", "clearTimeout",
  "createImageBitmap", "crypto", "devicePixelRatio", "document", "fetch", "getComputedStyle", "getSelection", "history", "location", "matchMedia", "navigator", "parent",
  "performance", "removeEventListener", "requestAnimationFrame", "sessionStorage", "setInterval", "setTimeout",
];
const htmlSinks = ["innerHTML", "outerHTML", "insertAdjacentHTML"].map((property) => ({
  property,
  message: "Only patch.js reads HTML, and only the server's.",
}));

export default [
  {
    files: ["static/js/**/*.js", "frames/*.js"],
    languageOptions: { globals: Object.fromEntries(browser.map((name) => [name, "readonly"])) },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "complexity": ["error", 10],
      "eqeqeq": "error",
      "max-lines": ["error", 150],
      "max-lines-per-function": ["error", 50],
      "max-params": ["error", 5],
      "no-empty": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-restricted-properties": ["error", ...htmlSinks],
      "no-shadow": "error",
      "no-undef": "error",
      "no-unused-vars": "error",
      "no-var": "error",
      "prefer-const": "error",
    },
  },
  { files: ["static/js/patch.js"], rules: { "no-restricted-properties": "off" } },
];
