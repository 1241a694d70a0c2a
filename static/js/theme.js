// Keeps the chosen theme at once; the radios alone already show it.
// Upgrades: [data-theme-form]. Listens to: its change. Sends: the form.

export function startTheme(form) {
  form?.addEventListener("change", () => {
    const theme = new FormData(form).get("theme");
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    fetch(form.action, { method: "POST", body: new FormData(form), redirect: "manual" }).catch(() => {
      // Not stored: this page shows the theme all the same, the next one asks again.
    });
  });
}
