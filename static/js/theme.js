// Keeps the chosen look at once: theme, row height, shortcuts.
// Upgrades: [data-theme-form]. Listens to: its change. Sends: the form.

const PLAIN = { theme: "auto", density: "compact", shortcuts: "on" };

export function startTheme(form) {
  form?.addEventListener("change", () => {
    const chosen = new FormData(form);
    for (const [name, plain] of Object.entries(PLAIN)) {
      if (chosen.get(name) === plain) delete document.documentElement.dataset[name];
      else document.documentElement.dataset[name] = chosen.get(name);
    }
    fetch(form.action, { method: "POST", body: chosen, redirect: "manual" }).catch(() => {
      // Not stored: this page shows the look all the same, the next one asks again.
    });
  });
}
