// A drawing as the page shows it: a picture that can only be looked at, in a box of its own that scrolls sideways.
// Upgrades: nothing. Listens to: nothing. Sends: nothing.

const MOST_CHARACTERS = 3_000_000;
// Of a side; browsers leave larger pictures empty.
const MOST_PIXELS = 32_000;
// Text of 14 pixels is read at 9.
const LEAST_SCALE = 0.65;

// What a frame answers is hostile: an image runs and loads nothing.
export function pictureOf({ svg, width, height }, name) {
  if (typeof svg !== "string" || svg.length > MOST_CHARACTERS) throw new Error("the picture is too large");
  if (!(width > 0 && height > 0)) throw new Error("the picture is empty");
  if (width > MOST_PIXELS) throw new Error("too wide to draw");
  if (height > MOST_PIXELS) throw new Error("too high to draw");
  const image = document.createElement("img");
  image.className = "md-picture";
  image.alt = `${name}; what it shows is written below.`;
  image.width = Math.ceil(width);
  image.height = Math.ceil(height);
  image.style.minInlineSize = `${Math.floor(width * LEAST_SCALE)}px`;
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  return boxOf(image, name);
}

export function noticeOf(text) {
  const notice = document.createElement("div");
  const line = document.createElement("p");
  notice.className = "notice notice--warn";
  line.textContent = text;
  notice.append(line);
  return notice;
}

function boxOf(image, name) {
  const box = document.createElement("div");
  box.className = "scroll-x";
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", name);
  box.append(image);
  return box;
}
