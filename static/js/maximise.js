// Opens a card over the whole page and puts it back; it stays the same element, so it stays live.
// Upgrades: [data-maximise] in cards. Listens to: clicks, and the end of the popover. Sends: nothing.

export function startMaximise(grid) {
  grid.addEventListener("click", (event) => {
    const button = event.target.closest("[data-maximise]");
    if (!button) return;
    const card = button.closest(".card");
    if (card.popover) card.hidePopover();
    else open(card, button);
  });
}

function open(card, button) {
  const place = document.createElement("div");
  place.className = "card-place";
  place.dataset.size = card.dataset.size;
  card.before(place);
  card.popover = "auto";
  card.classList.add("maxi");
  card.showPopover();
  card.addEventListener("toggle", function close({ newState }) {
    if (newState !== "closed") return;
    card.removeEventListener("toggle", close);
    card.removeAttribute("popover");
    card.classList.remove("maxi");
    place.remove();
    button.focus({ preventScroll: true });
  });
}
