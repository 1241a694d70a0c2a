// Pins and unpins keys without leaving the page; the board's next frame shows the result.
// Upgrades: [data-pin-form], the form behind all [data-pin] buttons. Listens to: its submit. Sends: the form.

import { removeCard } from "./cards.js";
import { submitForm } from "./submit.js";

export function startPins(form, settled, toast) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = event.submitter;
    const { name, value } = button;
    const refusal = await submitForm(form, button);
    if (refusal) {
      toast(refusal);
      return;
    }
    toast(name === "pin" ? `Pinned ${value}` : `Unpinned ${value}`);
    // The server knows nothing of a card that is gone: it stayed here because of the pin alone.
    const gone = name === "unpin" && button.closest(".card.is-gone");
    if (gone) removeCard(gone);
    settled();
  });
}
