// Asks before a page is left whose form holds what was not saved.
// Upgrades: form[data-unsaved]. Listens to: its fields, its buttons, the page's end. Sends: nothing.

export function startUnsaved(form) {
  // What was refused is not saved either.
  let isChanged = form.querySelector("[aria-invalid]") !== null;
  form.addEventListener("input", () => {
    isChanged = true;
  });
  for (const end of ["submit", "reset"]) {
    form.addEventListener(end, () => {
      isChanged = false;
    });
  }
  addEventListener("beforeunload", (event) => {
    if (isChanged) event.preventDefault();
  });
}
