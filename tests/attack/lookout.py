"""A browser without a content policy that counts what runs, what leaves, and what is on no list."""

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from playwright.sync_api import Browser, Page, Request

from tests.memory.rendering import markup

SITE = "http://attack.test/"
BATCH = 250

TRAP = """
window.ran = [];
for (const name of ["alert", "confirm", "prompt", "print", "open"]) window[name] = () => { ran.push(name); };
document.write = () => { ran.push("write"); };
"""
# Every handler gets its event; then the markup is read again by the other parser, as a patched page would.
LOOK = """async (lists) => {
  const EVENTS = ["click", "mouseover", "mouseenter", "pointerenter", "focus", "blur", "toggle",
    "beforetoggle", "load", "error", "animationstart", "transitionend", "wheel", "copy", "paste", "scroll",
    "input", "submit"];
  const patterns = (values) => Object.fromEntries(
    Object.entries(values).map(([name, text]) => [name, RegExp(`^(?:${text})$`)]));
  const allowed = { html: patterns(lists.values), math: patterns(lists.formulaValues) };
  const faults = [];
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.hasAttribute("data-case")) continue;
      const tag = element.localName;
      const isMath = element.namespaceURI === "http://www.w3.org/1998/Math/MathML";
      const isHtml = element.namespaceURI === "http://www.w3.org/1999/xhtml";
      const tags = isMath ? lists.formulaElements : lists.elements;
      if ((!isMath && !isHtml) || !tags.includes(tag)) faults.push(`element ${element.namespaceURI} ${tag}`);
      for (const { name, value } of element.attributes) {
        const html = allowed.html[`${tag} ${name}`] ?? allowed.html[`* ${name}`];
        const pattern = isMath ? allowed.math[name] : html;
        if (!pattern?.test(value)) faults.push(`attribute ${tag} ${name}`);
      }
      for (const name of EVENTS) {
        try { element.dispatchEvent(new Event(name)); } catch { /* a broken handler */ }
      }
    }
  };
  look(document.body);
  for (const place of document.querySelectorAll("[data-case]")) {
    const again = document.createElement("div");
    document.body.append(again);
    again.setAttribute("data-case", "");
    again.innerHTML = place.innerHTML;
    look(again);
    again.remove();
  }
  await new Promise((done) => setTimeout(done, 60));
  return { ran: ran.length, faults };
}"""


@dataclass
class Verdict:
    """What a browser saw.

    Attributes:
        executed: calls of functions that only a hostile script makes.
        foreign: requests beyond the page itself.
        faults: elements and attributes that are on no list.
    """

    outputs: int = 0
    executed: int = 0
    foreign: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.outputs:,} outputs: {self.executed} scripts executed, "
            f"{len(self.foreign)} foreign requests, "
            f"{len(self.faults)} elements or attributes outside the lists"
        )


class Lookout:
    """One page that is loaded anew for every batch of outputs."""

    def __init__(self, browser: Browser) -> None:
        self._context = browser.new_context()
        self._page: Page = self._context.new_page()
        self._page.add_init_script(TRAP)
        self._body = ""
        self._foreign: list[str] = []
        self._page.on("request", self._note)
        self._page.on("dialog", lambda dialog: dialog.dismiss())
        self._context.route("**/*", lambda route: route.abort())
        self._context.route(
            SITE, lambda route: route.fulfill(body=self._body, content_type="text/html; charset=utf-8")
        )

    def judge(self, outputs: Iterable[str]) -> Verdict:
        """Return what happens when the outputs are read, touched, and read again."""
        verdict = Verdict()
        for batch in _batches(outputs):
            self._judge(batch, verdict)
        return verdict

    def close(self) -> None:
        self._context.close()

    def _judge(self, batch: list[str], verdict: Verdict) -> None:
        self._foreign.clear()
        cases = "".join(f"<div data-case>{output}</div>" for output in batch)
        # A lone surrogate cannot be sent; the renderer lets none through.
        self._body = f"<!doctype html><body>{cases}".encode(errors="replace").decode()
        self._page.goto(SITE, wait_until="domcontentloaded")
        seen = self._page.evaluate(LOOK, _lists())
        verdict.outputs += len(batch)
        verdict.executed += seen["ran"]
        verdict.faults += seen["faults"]
        verdict.foreign += self._foreign

    def _note(self, request: Request) -> None:
        # Pictures come from our own origin, and only from there.
        ours = ("data:", f"{SITE}cards/picture/", f"{SITE}sessions/")
        if request.url != SITE and not request.url.startswith(ours):
            self._foreign.append(request.url[:100])


def _batches(outputs: Iterable[str]) -> Iterator[list[str]]:
    remaining = iter(outputs)
    while batch := list(itertools.islice(remaining, BATCH)):
        yield batch


def _lists() -> dict[str, object]:
    """Return the lists of `markup`, which were written apart from the sanitizer's, in the browser's terms."""
    return {
        "elements": sorted(markup.ELEMENTS),
        "values": {" ".join(name): _pattern(text) for name, text in markup.VALUES.items()},
        "formulaElements": sorted(markup.FORMULA_ELEMENTS),
        "formulaValues": {name: _pattern(text) for name, text in markup.FORMULA_VALUES.items()},
    }


def _pattern(text: str) -> str:
    return re.sub(r"^\(\?s\)\.\*$", r"[\\s\\S]*", text)
