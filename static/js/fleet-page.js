// Wires the fleet page to its socket, and the socket to the list that is shown.
// Upgrades: [data-fleet]. Listens to: the frames and states of its connection. Sends: nothing.

import { Connection } from "./connection.js";
import { Fleet } from "./fleet.js";
import { startFinding } from "./fleet-find.js";
import { startIndicator } from "./indicator.js";

export function startFleetPage(page, announcer) {
  const fleet = new Fleet(page);
  const connection = new Connection(page.dataset.fleet, () => new URLSearchParams(location.search));
  connection.addEventListener("frame", ({ detail }) => detail.type === "fleet" && fleet.receive(detail));
  startFinding(page, () => {
    fleet.renew();
    connection.reopen();
    announcer.sayNow(page.querySelector("[data-fleet-found]").textContent.trim());
  });
  startIndicator(connection, announcer);
  connection.open();
}
