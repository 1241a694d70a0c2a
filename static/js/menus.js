// Menus by keyboard: Escape closes, arrows move, leaving closes.
// Upgrades: details.menu. Listens to: keys, focus and clicks anywhere. Sends: nothing.

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

export function startMenus() {
  document.addEventListener("keydown", (event) => {
    const menu = event.target.closest?.("details.menu[open]") ?? document.querySelector("details.menu[open]");
    if (!menu) return;
    if (event.key === "Escape") close(menu);
    else if (event.key in STEPS && menu.contains(event.target)) move(menu, event);
  });
  document.addEventListener("focusout", (event) => {
    const menu = event.target.closest?.("details.menu[open]");
    // Without a next element the window lost focus, or the pointer did it: the menu's own overlay closes it then.
    if (menu && event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
  });
  // What opens over the page gives the focus back to where it was, which must not be inside a closed menu.
  document.addEventListener("click", ({ target }) => closeMenuOf(target.closest?.("[popovertarget]")));
}

// Closes the menu in which somebody chose this control, if it is in one; the focus goes back to the menu's button.
export function closeMenuOf(control) {
  const menu = control?.closest("details.menu");
  if (menu) close(menu);
}

function close(menu) {
  const hadFocus = menu.contains(document.activeElement);
  menu.open = false;
  if (hadFocus) menu.querySelector("summary").focus();
}

function move(menu, event) {
  const items = [...menu.querySelectorAll(".menu__item")].filter((item) => item.checkVisibility());
  if (!items.length || event.target.matches("input")) return;
  event.preventDefault();
  const place = items.indexOf(document.activeElement);
  const start = place < 0 && event.key === "ArrowUp" ? 0 : place;
  items[(start + STEPS[event.key] + items.length) % items.length].focus();
}
