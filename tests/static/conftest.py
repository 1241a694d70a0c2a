import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.test import RequestFactory
from playwright.sync_api import Browser, Page, sync_playwright

from memory.rendering.sanitize import SafeHTML
from tests.static.live_page import DESK, PATH, LivePage
from tests.static.still_site import StillSite
from tests.templates.samples import budget, call, card, hidden, message, session, summary, turn

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")

FIRST = card(key="progress", dom_id="card-1")
PINNED = card(key="limits", dom_id="card-2", pinned=True, show_in_ui=False)
LONG = card(
    key="log", dom_id="card-3", size="xs", body=SafeHTML("".join(f"<p>Line {n}</p>" for n in range(40)))
)


# Not for the whole session: while it is open, no other test could run an event loop.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("needs Chromium in the search path, or named by CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def server() -> Iterator[StillSite]:
    server = StillSite()
    stop = server.start()
    yield server
    stop()


@pytest.fixture
def site(server: StillSite) -> StillSite:
    """Return the site with one session page, and nothing posted yet."""
    server.reset()
    server.pages[PATH] = session_html()
    return server


@pytest.fixture(scope="package")
def shared(chromium: Browser, server: StillSite) -> Iterator[LivePage]:
    """Return the page that all tests load anew: a new one each would start a process each."""
    context = chromium.new_context(viewport=DESK)
    yield LivePage(context.new_page(), server)
    context.close()


@pytest.fixture(scope="package")
def shared_clock(chromium: Browser, server: StillSite) -> Iterator[LivePage]:
    """Return the page of all tests that move its clock."""
    context = chromium.new_context(viewport=DESK)
    page = context.new_page()
    page.clock.install()
    yield LivePage(page, server)
    context.close()


@pytest.fixture
def page_alone(chromium: Browser) -> Iterator[Page]:
    """Return a page whose network and time of day a test may change."""
    context = chromium.new_context(viewport=DESK)
    yield context.new_page()
    context.close()


@pytest.fixture
def unopened(shared: LivePage, site: StillSite) -> Iterator[LivePage]:
    """Return a session page that is still to be loaded; scripts must not fail on it."""
    yield shared.rewind()
    assert shared.problems == []


@pytest.fixture
def live(unopened: LivePage) -> LivePage:
    """Return a session page of three cards, one of them pinned, that is live."""
    return unopened.open()


@pytest.fixture
def timed(shared_clock: LivePage, site: StillSite) -> LivePage:
    """Return a live page whose clock the test moves."""
    return shared_clock.rewind().open()


def session_html(**changes: Any) -> str:
    given: dict[str, Any] = {
        "session": session(),
        "conversation": [message(id="1", role="user"), message(id="2", calls=[call()])],
        "turn": turn(status="succeeded"),
        "draft": None,
        "waiting": [],
        "cards": [FIRST, PINNED, LONG],
        "tray": [hidden(), hidden(key="other", dom_id="card-5")],
        "summary": summary(),
        "budget": budget(),
        "may_act": True,
        "attach": {"images": 8, "bytes": 1000},
        "rail": [],
        "cursors": {"board": 7, "conversation": 5, "view": "first"},
    }
    request = RequestFactory().get(PATH)
    request.user = User(username="olga")
    return render_to_string("contextsite/session.html", given | changes, request)
