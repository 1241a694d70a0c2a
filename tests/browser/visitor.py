"""A person in a browser of their own: signed in, watched for faults, every frame of their sockets kept."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Response, WebError

from tests.browser.product import Product

# Leaving a page while its socket still opens is no fault.
LEFT_EARLY = "WebSocket is closed before the connection is established"
# How the browser itself says that a server is away: tests that do that on purpose expect it.
SERVER_AWAY = (
    r"WebSocket connection to .* failed|net::ERR_(CONNECTION_REFUSED|EMPTY_RESPONSE|CONNECTION_RESET)"
)


@dataclass(frozen=True)
class Screen:
    """What a person looks at; the width in CSS pixels."""

    width: int = 1440
    theme: str = "light"

    @property
    def height(self) -> int:
        return 800 if self.width < 1000 else 900

    def __str__(self) -> str:
        return f"{self.width}-{self.theme}"


@dataclass(frozen=True)
class Frame:
    """A frame that a page received; ``at`` is the browser's clock in seconds."""

    at: float
    text: str

    @property
    def content(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.text)
        return content


@dataclass
class Tab:
    """One page, what its sockets received, and the answer to its first request."""

    page: Page
    frames: list[Frame] = field(default_factory=list)
    response: Response | None = None

    def frames_of(self, *types: str) -> list[Frame]:
        return [frame for frame in self.frames if frame.content["type"] in types]

    def card(self, key: str) -> Locator:
        return self.page.get_by_role("article", name=key, exact=True)

    def value(self, key: str) -> Locator:
        return self.page.get_by_role("group", name=f"{key}, value", exact=True)

    def pin(self, key: str) -> Locator:
        """Return the pin button on the card."""
        return self.card(key).get_by_role("button", name=f"Pin {key}", exact=True)

    def pin_from_tray(self, key: str) -> None:
        self.page.locator("#tray > summary").click()
        self.page.locator("#tray").get_by_role("button", name=f"Pin {key}", exact=True).click()

    def choose(self, key: str, action: str) -> None:
        """Open the card's menu and take what it offers under that name."""
        self.card(key).locator("summary").click()
        self.card(key).locator(".menu__item", has_text=action).click()

    @property
    def connection(self) -> Locator:
        """What the page says about its socket."""
        return self.page.locator("[data-live-text]")


class Visitor:
    """One browser profile.

    Attributes:
        faults: console errors and uncaught exceptions of all pages, except the expected ones.
        tabs: every page that was opened.
    """

    def __init__(
        self,
        browser: Browser,
        product: Product,
        cookie: str = "",
        *,
        screen: Screen = Screen(),
        has_scripts: bool = True,
    ) -> None:
        self.faults: list[str] = []
        self.tabs: list[Tab] = []
        self._product = product
        self._expected = [LEFT_EARLY]
        self._context = browser.new_context(
            viewport={"width": screen.width, "height": screen.height},
            color_scheme="dark" if screen.theme == "dark" else "light",
            java_script_enabled=has_scripts,
        )
        self._context.on("console", self._on_console)
        self._context.on("weberror", self._on_error)
        if cookie:
            self._context.add_cookies([{"name": "sessionid", "value": cookie, "url": product.urls[0]}])

    def open(self, path: str, *, web: int = 0) -> Tab:
        """Open a path in a new tab, at one of the product's web processes."""
        tab = self.blank()
        self.go(tab, path, web=web)
        return tab

    def blank(self) -> Tab:
        """Open a new tab that goes nowhere yet."""
        page = self._context.new_page()
        tab = Tab(page)
        self.tabs.append(tab)
        wire = self._context.new_cdp_session(page)
        wire.send("Network.enable")
        wire.on("Network.webSocketFrameReceived", lambda event: _keep(tab, event))
        return tab

    def go(self, tab: Tab, path: str, *, web: int = 0) -> None:
        """Let a tab go to a path, at one of the product's web processes."""
        tab.response = tab.page.goto(self._product.urls[web % len(self._product.urls)] + path)

    def expect_faults(self, *patterns: str) -> None:
        """Ignore faults that match, from now on and those already seen."""
        self._expected += patterns
        self.faults = [fault for fault in self.faults if not _matches(fault, patterns)]

    def close(self) -> None:
        self._context.close()

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self._note(f"{message.type}: {message.text} ({message.location.get('url')})")

    def _on_error(self, error: WebError) -> None:
        self._note(f"uncaught: {error.error}")

    def _note(self, fault: str) -> None:
        if not _matches(fault, self._expected):
            self.faults.append(fault)


def _keep(tab: Tab, event: dict[str, Any]) -> None:
    tab.frames.append(Frame(float(event["timestamp"]), event["response"]["payloadData"]))


def _matches(fault: str, patterns: Iterable[str]) -> bool:
    return any(re.search(pattern, fault) for pattern in patterns)
