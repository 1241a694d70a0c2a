// The frame's side of drawing. It has no origin, no cookies and no network: all it can do is answer the page.
// Upgrades: nothing. Listens to: messages {id, source, theme} of the page around it.
// Sends: {ready} once, then for each message {id, svg, width, height} or {id, error}.

const MOST_ERROR_CHARACTERS = 400;
// As errors read that libraries caught and threw anew.
const UNFORESEEN = /call stack|Cannot (read|set) (property|properties)|is not (a function|iterable|defined)|Invalid array length|out of memory/i;

// Draw gets a message and returns an <svg> element, at once or later.
export function answer(draw) {
  addEventListener("message", async ({ data, source }) => {
    if (source !== parent) return;
    try {
      parent.postMessage({ id: data.id, ...picture(await draw(data)) }, "*");
    } catch (error) {
      parent.postMessage({ id: data.id, error: reasonOf(error) }, "*");
    }
  });
  parent.postMessage({ ready: true }, "*");
}

// What libraries did not foresee says nothing to people: it comes after what it means.
function reasonOf(error) {
  // The lines after the first draw arrows below the source.
  const [reason] = String(error?.message ?? error).slice(0, MOST_ERROR_CHARACTERS).split(/:?\n/, 1);
  const isUnforeseen = [RangeError, ReferenceError, TypeError].some((kind) => error instanceof kind);
  return isUnforeseen || UNFORESEEN.test(reason) ? `too large or not valid (${reason})` : reason;
}

// An image has no size of its own unless its root names it.
function picture(svg) {
  const { width, height } = svg.viewBox.baseVal;
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  svg.style.maxWidth = "";
  return { svg: new XMLSerializer().serializeToString(svg), width, height };
}

export function svgOf(markup) {
  return new DOMParser().parseFromString(markup, "text/html").querySelector("svg");
}
