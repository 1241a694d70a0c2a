// Makes values readable on a wall, where nobody scrolls: long texts in tables wrap, and a table that still is too wide
// gets smaller letters or a row of its own, before a number would be cut.
// Upgrades: the cards it is given. Listens to: nothing. Sends: nothing.

const SHORT = 20; // characters of a cell that stay in one line
const SMALLEST = 4; // steps of the letters in the stylesheet
const LARGEST_ALONE = 1;

export function fitCard(card) {
  const tables = [...card.querySelectorAll(".card__body .scroll-x")];
  for (const cell of tables.flatMap((table) => [...table.querySelectorAll("td, tbody th")])) markCell(cell);
  for (const step of steps()) {
    card.classList.toggle("is-wide", step.isWide);
    card.dataset.fit = step.size;
    if (tables.every(isWhole)) return;
  }
}

// Says whether there is more below than the card shows.
export function markCut(card) {
  const body = card.querySelector(".card__body");
  card.classList.toggle("is-cut", body.scrollHeight > body.clientHeight + 1);
}

// Returns the cards page by page, as they fit into the rows; a wide one takes a row alone.
export function pagesOf(cards, rows, columns) {
  const pages = [];
  let [wide, narrow] = [0, 0];
  for (const card of cards) {
    if (card.classList.contains("is-wide")) wide += 1;
    else narrow += 1;
    if (!pages.length || wide + Math.ceil(narrow / columns) > rows) {
      pages.push([]);
      [wide, narrow] = card.classList.contains("is-wide") ? [1, 0] : [0, 1];
    }
    pages.at(-1).push(card);
  }
  return pages;
}

function* steps() {
  for (let size = 0; size <= LARGEST_ALONE; size += 1) yield { isWide: false, size };
  for (let size = 0; size <= SMALLEST; size += 1) yield { isWide: true, size };
}

function markCell(cell) {
  const text = cell.textContent.trim();
  cell.classList.toggle("is-long", text.length > SHORT);
  cell.classList.toggle("is-number", text.length <= SHORT && /\d/.test(text));
}

function isWhole(table) {
  return table.scrollWidth <= table.clientWidth + 1;
}
