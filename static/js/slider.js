// Shows the version that a slider is moved to; keys and clicks work the same.
// Upgrades: [data-slider]. Listens to: its change. Sends: the form.

export function startSliders() {
  for (const form of document.querySelectorAll("[data-slider]")) {
    const range = form.querySelector("[type=range]");
    const label = form.querySelector(".slider__now");
    range.addEventListener("input", () => {
      label.textContent = label.textContent.replace(/\d+/, range.value);
    });
    range.addEventListener("change", () => form.requestSubmit());
  }
}
