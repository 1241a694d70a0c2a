// One short message at the bottom: what a person just did, or why it was not done.
// Upgrades: [data-toast]. Listens to: its close button, pointer and focus on it. Sends: nothing.

import { keepFocus } from "./focus.js";

const SHOWN_MS = 6000;

export function startToast(toast, announcer) {
  const text = toast.querySelector("[data-toast-text]");
  let timer = 0;
  let before = null;

  const hide = () => {
    const work = () => {
      toast.hidden = true;
    };
    keepFocus(toast, work, () => [before]);
  };
  const hideLater = () => {
    clearTimeout(timer);
    timer = setTimeout(hide, SHOWN_MS);
  };
  const hold = () => clearTimeout(timer);

  toast.querySelector("[data-toast-close]").addEventListener("click", hide);
  toast.addEventListener("pointerenter", hold);
  toast.addEventListener("focusin", ({ relatedTarget }) => {
    before = relatedTarget;
    hold();
  });
  toast.addEventListener("pointerleave", hideLater);
  toast.addEventListener("focusout", hideLater);
  if (!toast.hidden) hideLater();

  return (sentence) => {
    text.textContent = sentence;
    toast.hidden = false;
    announcer.sayNow(sentence);
    hideLater();
  };
}
