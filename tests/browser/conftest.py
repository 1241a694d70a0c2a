"""Fixtures of the browser tests: one Chromium, the product in both modes, a scene, and its visitors."""

import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.demo_folder import build_demo_folder
from tests.browser.product import Product, embedded, scaled
from tests.browser.scene import Scene
from tests.browser.visitor import Visitor

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Nothing but this machine.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
PATIENCE_MS = 20_000

expect.set_options(timeout=PATIENCE_MS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.timeout(180))


# Not for the whole session: while it is open, no other test could run an event loop.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip(f"Chromium is not installed at {CHROMIUM}")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM, args=ARGUMENTS, chromium_sandbox=False
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="package")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("surveyed")
    build_demo_folder(folder)
    return folder


@pytest.fixture(scope="package", params=["embedded", "scaled"])
def product(
    request: pytest.FixtureRequest,
    browser: Browser,
    demo_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Product]:
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "embedded":
        with embedded(folder, demo_folder) as product:
            yield product
        return
    database, cache = os.environ.get("DATABASE_URL", ""), os.environ.get("REDIS_URL", "")
    if not database.startswith("postgres") or not cache:
        pytest.skip("scaled mode needs DATABASE_URL (PostgreSQL) and REDIS_URL")
    with scaled(folder, demo_folder, database, cache) as product:
        yield product


@pytest.fixture
def scene(product: Product) -> Scene:
    """Return an agent of this test alone, with its people and an idle session."""
    return Scene.of(product.stage.do("scene"))


Visit = Callable[..., Visitor]


@pytest.fixture
def visit(browser: Browser, product: Product) -> Iterator[Visit]:
    """Return what opens a browser for a person; no page of theirs may have a fault."""
    visitors: list[Visitor] = []

    def open_browser(cookie: str = "", **more: Any) -> Visitor:
        visitors.append(Visitor(browser, product, cookie, **more))
        return visitors[-1]

    yield open_browser
    for visitor in visitors:
        visitor.close()
    assert [fault for visitor in visitors for fault in visitor.faults] == []


Measured = Callable[[str], None]
_MEASURED = pytest.StashKey[list[str]]()


@pytest.fixture
def measured(request: pytest.FixtureRequest) -> Measured:
    """Return what keeps a sentence with a measurement for the end of the run."""
    return request.config.stash.setdefault(_MEASURED, []).append


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for sentence in config.stash.get(_MEASURED, []):
        terminalreporter.write_line(f"Measured in the browser: {sentence}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    product = getattr(item, "funcargs", {}).get("product")
    if report.failed and isinstance(product, Product):
        report.sections.append((f"Logs of the {product.mode} product", product.logs()))
    return report
