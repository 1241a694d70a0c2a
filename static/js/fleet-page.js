// Wires the fleet page to its socket, and applies its filters as they are chosen.
// Upgrades: [data-fleet], [data-fleet-tools]. Listens to: the frames and states of its connection, the tools.
// Sends: the form of the tools.

import { Connection } from "./connection.js";
import { Fleet } from "./fleet.js";
import { startIndicator } from "./indicator.js";

export function startFleetPage(page, announcer) {
  const fleet = new Fleet(page);
  const connection = new Connection(page.dataset.fleet, () => new URLSearchParams(location.search));
  connection.addEventListener("frame", ({ detail }) => detail.type === "fleet" && fleet.receive(detail));
  const tools = page.querySelector("[data-fleet-tools]");
  tools.addEventListener("change", ({ target }) => target.matches("select, [type=radio]") && tools.requestSubmit());
  startIndicator(connection, announcer);
  connection.open();
}
