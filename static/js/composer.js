// The message box: Enter sends, Shift and Enter start a new line, a draft survives leaving the page.
// Upgrades: [data-composer]. Listens to: its keys, input and submit. Sends: the form, with a key that makes a repeat
// harmless.

import { Attachments } from "./attachments.js";
import { submitForm } from "./submit.js";

export function startComposer(form, settled) {
  if (!form) return;
  const box = form.elements.message;
  const problem = form.querySelector("[data-composer-error]");
  const button = form.querySelector("[type=submit]");
  const draft = `draft:${form.dataset.composer}`;
  const images = new Attachments(form, show);
  let tried;
  form.elements.idempotency_key.value = freshKey();
  if (!box.value) box.value = sessionStorage.getItem(draft) ?? "";

  box.addEventListener("input", () => {
    sessionStorage.setItem(draft, box.value);
    show("");
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.ariaDisabled || (!box.value.trim() && !images.all.length)) return;
    const sent = box.value;
    const sentImages = images.all;
    // What was tried before may have arrived; something else is another message.
    if (tried && (tried.text !== sent || tried.images !== sentImages)) {
      form.elements.idempotency_key.value = freshKey();
    }
    tried = { text: sent, images: sentImages };
    // A button that is really disabled loses the focus.
    button.ariaDisabled = "true";
    const refusal = await submitForm(form, event.submitter);
    button.ariaDisabled = null;
    show(refusal ?? "");
    if (refusal) return;
    tried = undefined;
    form.elements.idempotency_key.value = freshKey();
    // What was typed while it was on its way stays.
    box.value = box.value.startsWith(sent) ? box.value.slice(sent.length) : box.value;
    images.remove(sentImages);
    sessionStorage.setItem(draft, box.value);
    settled();
  });

  function show(text) {
    problem.textContent = text;
    problem.hidden = !text;
  }
}

function freshKey() {
  return crypto.getRandomValues(new BigUint64Array(2)).join("-");
}
