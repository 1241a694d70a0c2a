// Shows how the page is connected.
// Upgrades: [data-live], [data-banner]. Listens to: "state" of the connection, its own "Try now". Sends: nothing.

import { clockText } from "./ages.js";
import { keepFocus } from "./focus.js";

const BANNER_AFTER_MS = 10_000;

const TEXTS = {
  live: () => "Live",
  reconnecting: ({ tries }) => `Reconnecting, try ${tries}`,
  offline: ({ since }) => `Offline since ${clockText(since)}`,
  ended: ({ isSignedOut }) => (isSignedOut ? "Signed out" : "Closed"),
};

const BANNERS = {
  reconnecting: ({ since }) => `Reconnecting. You see the state of ${clockText(since)}.`,
  offline: ({ since }) => `Offline since ${clockText(since)}. What you write stays in the box.`,
  ended: ({ isSignedOut }) =>
    isSignedOut
      ? "Your session ended. Your message is still in the box and will be there when you return."
      : "This session is not open to you any more.",
};

export function startIndicator(connection, announcer) {
  const live = document.querySelector("[data-live]");
  const banner = document.querySelector("[data-banner]");
  const retry = banner.querySelector("[data-banner-retry]");
  const login = banner.querySelector("[data-banner-login]");
  const content = document.querySelector("main [tabindex]");
  let current = { name: "live" };
  let timer = 0;

  retry.addEventListener("click", () => connection.retryNow());
  connection.addEventListener("state", ({ detail }) => {
    const wasLive = current.name === "live";
    speak(current, detail, announcer);
    current = detail;
    live.hidden = false;
    live.dataset.state = detail.name === "ended" ? "offline" : detail.name;
    live.querySelector("[data-live-text]").textContent = TEXTS[detail.name](detail);
    if (detail.name === "live" || wasLive) clearTimeout(timer);
    if (detail.name === "live") keepFocus(banner, hide, () => [content]);
    else if (detail.name === "ended" || !banner.hidden) show();
    else if (wasLive) timer = setTimeout(show, BANNER_AFTER_MS);
  });

  function hide() {
    banner.hidden = true;
  }

  function show() {
    keepFocus(banner, tell, () => [login, content]);
  }

  function tell() {
    banner.hidden = false;
    banner.classList.toggle("banner--danger", current.name !== "reconnecting");
    banner.querySelector("[data-banner-text]").textContent = BANNERS[current.name](current);
    retry.hidden = current.name === "ended";
    login.hidden = !current.isSignedOut;
  }
}

function speak(before, after, announcer) {
  if (before.name === after.name) return;
  if (after.name === "live") announcer.sayNow("Live again");
  else if (after.name === "reconnecting") announcer.sayNow("Reconnecting");
  else announcer.sayNow(BANNERS[after.name](after), { isUrgent: true });
}
