// Turns one element of the page into another rendering of it, changing only what differs, so that focus, selection,
// scroll places and open menus stay. The only module that reads HTML: all of it was sanitized by our server.
// Upgrades: what it is given. Listens to: nothing. Sends: nothing.

import { removeRow } from "./focus.js";

// Returns the one element that the server's HTML holds.
export function elementOf(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.firstElementChild;
}

// Returns whether anything was different.
export function patch(element, html) {
  const next = elementOf(html);
  if (!next || element.isEqualNode(next)) return false;
  sync(element, next);
  return true;
}

// Patches the parts of this page that the selector names from another page of the server's; returns whether it has all.
export function patchFromPage(html, selector) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const fresh = [...template.content.querySelectorAll(selector)];
  const parts = [...document.querySelectorAll(selector)];
  if (fresh.length !== parts.length) return false;
  parts.forEach((part, index) => sync(part, fresh[index]));
  return true;
}

function sync(node, next) {
  // What a script of ours keeps there; the server only says where.
  if (node.dataset && "own" in node.dataset) return;
  if (node.nodeType !== next.nodeType || node.nodeName !== next.nodeName) {
    node.replaceWith(next);
  } else if (node.nodeType === Node.ELEMENT_NODE) {
    // What the page fills itself is not the server's to change.
    if (node.hasAttribute("data-own")) return;
    syncAttributes(node, next);
    syncChildren(node, next);
  } else if (node.data !== next.data) {
    node.data = next.data;
  }
}

function syncAttributes(node, next) {
  for (const { name } of [...node.attributes]) {
    if (!next.hasAttribute(name) && !belongsToReader(node, name)) node.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (node.getAttribute(name) !== value && !belongsToReader(node, name)) node.setAttribute(name, value);
  }
}

function belongsToReader(node, name) {
  return name === "open" && node.localName === "details";
}

function syncChildren(node, next) {
  if (next.firstElementChild?.dataset.key && node.firstElementChild?.dataset.key) {
    syncKeyed(node, next);
    return;
  }
  const fresh = [...next.childNodes];
  const old = [...node.childNodes];
  fresh.forEach((child, index) => {
    if (index < old.length) sync(old[index], child);
    else node.append(child);
  });
  for (const child of old.slice(fresh.length)) child.remove();
}

// Rows that name what they are about keep their element, so that focus stays with its row.
function syncKeyed(node, next) {
  const fresh = [...next.children];
  const keys = new Set(fresh.map((row) => row.dataset.key));
  const stays = (row) => keys.has(row.dataset.key);
  for (const row of [...node.children]) if (!stays(row)) removeRow(row, stays);
  const old = new Map([...node.children].map((row) => [row.dataset.key, row]));
  let place = node.firstElementChild;
  for (const row of fresh) {
    const same = old.get(row.dataset.key);
    if (same) sync(same, row);
    if (same && same === place) place = place.nextElementSibling;
    else node.insertBefore(same ?? row, place);
  }
}
