// Starts each behaviour on the parts of the page that ask for it.
// Upgrades: nothing itself. Listens to: nothing. Sends: nothing.

import { startAges } from "./ages.js";
import { Announcer } from "./announce.js";
import { startCopy } from "./copy.js";
import { startDiagrams } from "./diagrams.js";
import { startFleetPage } from "./fleet-page.js";
import { startHits } from "./hits.js";
import { startMenus } from "./menus.js";
import { startSessionPage } from "./session-page.js";
import { startShortcuts } from "./shortcuts.js";
import { startSliders } from "./slider.js";
import { startTheme } from "./theme.js";
import { startToast } from "./toast.js";
import { startUnsaved } from "./unsaved.js";
import { startWall } from "./wall.js";

const announcer = new Announcer(document.querySelector("#announce"));
const toast = startToast(document.querySelector("[data-toast]"), announcer);
startAges();
startCopy(toast);
startDiagrams();
startHits();
startMenus();
startShortcuts();
startSliders();
startTheme(document.querySelector("[data-theme-form]"));
const unsaved = document.querySelector("form[data-unsaved]");
if (unsaved) startUnsaved(unsaved);
const page = document.querySelector("[data-socket]");
if (page) startSessionPage(page, announcer, toast);
const fleet = document.querySelector("[data-fleet]");
if (fleet) startFleetPage(fleet, announcer);
const wall = document.querySelector("[data-wall]");
if (wall) startWall(wall, announcer);
