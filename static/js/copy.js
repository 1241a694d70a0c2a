// Copies the text of a part of the page.
// Upgrades: [data-copy] (the id of that part) and [data-copy-next] (the text of the same block). Listens to: clicks.
// Sends: the text to the clipboard.

import { closeMenuOf } from "./menus.js";

export function startCopy(toast) {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy], [data-copy-next]");
    if (!button) return;
    const part = button.dataset.copy
      ? document.getElementById(button.dataset.copy)
      : button.closest(".code").querySelector("pre");
    closeMenuOf(button);
    toast(await copy(part, button.dataset.copyName));
  });
}

async function copy(part, name) {
  try {
    await navigator.clipboard.writeText(part.innerText);
    return `Copied ${name}`;
  } catch {
    // Browsers keep the clipboard from pages without HTTPS and from pages nobody allowed.
    getSelection().selectAllChildren(part);
    return `Selected ${name}. Copy it with the keyboard.`;
  }
}
