// Searches, sorts and filters the fleet in place, so that focus and caret stay; the address says what is shown.
// Upgrades: [data-fleet-tools], the links that sort and filter. Listens to: typing, choices, clicks, Enter.
// Sends: requests for the page of another list; calls back when it is shown.

import { patchFromPage } from "./patch.js";

const PAUSE_MS = 300;

export function startFinding(page, onShown) {
  const tools = page.querySelector("[data-fleet-tools]");
  let timer = 0;
  let asked = null;

  async function show(address) {
    clearTimeout(timer);
    asked?.abort();
    const wish = new AbortController();
    asked = wish;
    try {
      const answer = await fetch(address, { signal: wish.signal });
      const html = await answer.text();
      if (wish.signal.aborted) return;
      // Somebody who was signed out gets another page.
      if (!patchFromPage(html, "[data-fleet-part]")) throw new TypeError("not the fleet");
    } catch {
      // The browser shows what comes instead, or says why nothing does.
      if (!wish.signal.aborted) location.assign(address);
      return;
    }
    history.replaceState(null, "", address);
    followChoices(tools);
    onShown();
  }

  const find = () => show(addressOf(tools));
  tools.addEventListener("input", ({ target }) => {
    if (target.type !== "search") return;
    clearTimeout(timer);
    timer = setTimeout(find, PAUSE_MS);
  });
  tools.addEventListener("change", ({ target }) => target.matches("select, [type=radio]") && find());
  tools.addEventListener("submit", (event) => {
    event.preventDefault();
    find();
  });
  page.addEventListener("click", (event) => {
    const link = event.target.closest(".facet, thead a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    show(addressOf(tools, new URL(link.href).searchParams));
  });
}

// What the search field holds counts, also if a link was made before it was typed.
function addressOf(tools, said = new URLSearchParams(new FormData(tools))) {
  const search = tools.elements.namedItem("q").value.trim();
  if (search) said.set("q", search);
  else said.delete("q");
  return `${tools.action}?${said}`;
}

// A choice of the reader's own hides from its field what a link chose later.
function followChoices(tools) {
  const sort = tools.elements.namedItem("sort");
  sort.value = sort.querySelector("option[selected]").value;
}
