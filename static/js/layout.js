// Changes heights and order of cards without leaving the page; the next "view" frame shows it, in every tab.
// Upgrades: [data-layout-form], the form behind the buttons of card menus, and [data-fit]. Listens to: its submit and
// clicks. Sends: the form.

import { closeMenuOf } from "./menus.js";
import { submitForm } from "./submit.js";

// Heights in pixels of a card by size: whole board units and the gaps between them.
const HEIGHTS = { xs: 152, s: 232, m: 312, l: 432, xl: 592 };

export function startLayout(page, settled, toast) {
  const form = page.querySelector("[data-layout-form]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    closeMenuOf(event.submitter);
    const refusal = await submitForm(form, event.submitter);
    if (refusal) toast(refusal);
    else settled();
  });
  page.addEventListener("click", (event) => {
    const button = event.target.closest("[data-fit]");
    if (!button) return;
    const size = sizeFor(button.closest(".card"));
    const wish = document.createElement("button");
    Object.assign(wish, { type: "submit", name: `size-${size}`, value: button.dataset.fit, hidden: true });
    form.append(wish);
    form.requestSubmit(wish);
    wish.remove();
    closeMenuOf(button);
  });
}

// The smallest height that shows the whole value.
function sizeFor(card) {
  const body = card.querySelector(".card__body");
  const needed = card.offsetHeight - body.clientHeight + body.scrollHeight;
  return Object.keys(HEIGHTS).find((size) => HEIGHTS[size] >= needed) ?? "xl";
}
