"""A session page in Chromium whose socket the test plays."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from django.template.loader import render_to_string
from playwright.sync_api import Page, ViewportSize, WebSocketRoute, expect

from tests.static.still_site import StillSite
from tests.templates.samples import SESSION_ID, summary

DESK = ViewportSize(width=1440, height=900)
PATH = f"/sessions/{SESSION_ID}/"


class LivePage:
    """The page, its sockets, and the frames it is sent.

    Attributes:
        sockets: every socket the page opened, the newest last.
        said: what the page sent over them.
        problems: errors of scripts and of the content policy.
        refusal: code with which new sockets are closed at once; None lets them stay.
    """

    def __init__(self, page: Page, site: StillSite) -> None:
        self.page = page
        self.site = site
        self.sockets: list[WebSocketRoute] = []
        self.said: list[dict[str, Any]] = []
        self.problems: list[str] = []
        self.refusal: int | None = None
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda line: self.problems.append(line.text) if line.type == "error" else None)
        page.route_web_socket("**/ws/**", self._take)

    def rewind(self) -> "LivePage":
        """Let the page forget what it keeps for itself, and forget what happened on it."""
        if self.sockets:
            self.page.evaluate("sessionStorage.clear()")
        self.page.set_viewport_size(DESK)
        self.page.mouse.move(0, 0)
        self.sockets, self.said, self.refusal = [], [], None
        self.problems.clear()
        return self

    def open(self) -> "LivePage":
        """Load the page and wait until it is live."""
        self.page.goto(self.site.address + PATH)
        self.expect_state("live")
        return self

    def expect_state(self, state: str) -> None:
        """Wait until the indicator shows the state."""
        expect(self.page.locator("[data-live]")).to_have_attribute("data-state", state)

    def send(self, *frames: dict[str, Any]) -> None:
        """Send frames and wait until the page has taken them all."""
        for frame in frames:
            self.sockets[-1].send(json.dumps(frame))
        self.wait_for_answer(lambda: self.sockets[-1].send('{"type":"ping"}'), {"type": "pong"})

    def wait_for_answer(self, act: Callable[[], None], message: dict[str, Any]) -> None:
        """Wait until the page has said the message once more than before."""
        before = self.said.count(message)
        act()
        self.wait_until(lambda: self.said.count(message) > before)

    def wait_until(self, condition: Callable[[], bool], patience_ms: int = 10_000) -> None:
        """Let the page work until the condition holds."""
        for _ in self._moments(patience_ms):
            if condition():
                return
        raise AssertionError("the page never came to it")

    def card(self, dom_id: str) -> str:
        """Return the classes of a card; an empty text when it is not there."""
        classes: list[str] = self.page.locator(f"#{dom_id}").evaluate_all(
            "cards => cards.map((card) => card.className)"
        )
        return "".join(classes)

    def text(self, selector: str) -> str:
        """Return the text of the one element."""
        return " ".join(self.page.locator(selector).inner_text().split())

    def _take(self, socket: WebSocketRoute) -> None:
        if self.refusal is not None:
            socket.close(code=self.refusal)
            return
        self.sockets.append(socket)
        socket.on_message(lambda message: self.said.append(json.loads(message)))

    def _moments(self, patience_ms: int) -> Iterator[None]:
        step_ms = 10
        for _ in range(patience_ms // step_ms):
            yield
            self.page.wait_for_timeout(step_ms)


def card_frame(card: Any, *, changed: bool = True) -> dict[str, Any]:
    """Return a card as it stands in a frame."""
    context = {"card": card, "session_id": SESSION_ID, "may_act": True}
    parts = {
        part: render_to_string(f"memory/_card_{part}.html", context) for part in ("head", "body", "foot")
    }
    return {"key": card.key, "id": card.dom_id, "size": card.size, **parts, "changed": changed, "by": "agent"}


def gone(card: Any, reason: str) -> dict[str, str]:
    """Return a card that leaves as it stands in a frame."""
    return {"key": card.key, "id": card.dom_id, "reason": reason}


def board_frame(start: int, end: int, *cards: Any, snapshot: bool = False, **changes: Any) -> dict[str, Any]:
    """Return a frame of the board; its summary counts as many entries as its last revision."""
    return {
        "type": "board",
        "snapshot": snapshot,
        "from": start,
        "to": end,
        "view": "seen",
        "cards": [card_frame(card, changed=not snapshot) for card in cards],
        "gone": [],
        "tray": render_to_string("memory/_tray.html", {"tray": changes.pop("tray", [])}),
        "summary": render_to_string("memory/_board_summary.html", {"summary": summary(entries=end)}),
        "dock": "",
    } | changes


def conversation_frame(start: int, end: int, *messages: Any, turn: Any = None) -> dict[str, Any]:
    """Return a frame of the conversation."""
    lines = [
        {"id": str(message.id), "html": render_to_string("agents/_message.html", {"message": message})}
        for message in messages
    ]
    state = render_to_string("agents/_turn_state.html", {"turn": turn, "may_act": True})
    frame = {"type": "conversation", "snapshot": False, "from": start, "to": end}
    return {**frame, "messages": lines, "turn": state, "spoken": None, "waiting": []}
