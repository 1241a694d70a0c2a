// Stops, retries, wakes and answers a turn without leaving the page; the next frames show what came of it.
// Upgrades: [data-turn-form]. Listens to: their submit. Sends: the form.

import { submitForm } from "./submit.js";

export function startTurnForms(forms, settled, toast) {
  for (const form of forms) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const refusal = await submitForm(form, event.submitter);
      if (refusal) toast(refusal);
      else settled();
    });
  }
}
