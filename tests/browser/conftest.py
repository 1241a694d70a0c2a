"""Fixtures of the browser tests: one Chromium, the product in both modes, a scene, and its visitors."""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.demo_folder import build_demo_folder
from tests.browser.product import Product, embedded, scaled
from tests.browser.scene import Scene
from tests.browser.visitor import Visitor
from tests.providers.server import FakeProvider

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
SERVICES = (os.environ.get("DATABASE_URL", ""), os.environ.get("REDIS_URL", ""))

HAS_SERVICES = SERVICES[0].startswith("postgres") and bool(SERVICES[1])

# `make browser` sets it: every width and theme, and every test in both modes.
IS_FULL = os.environ.get("BROWSER_MATRIX") == "full"
MODES = ["embedded", "scaled"]
ASKING_TOOLS = ["workspace_write", "workspace_read", "workspace_delete", "calculator", "sleep_until"]

# Otherwise a test runs where more can go wrong: with two web servers and a worker, if the services are there.
either_mode = pytest.mark.parametrize("product", MODES if IS_FULL else ["embedded"], indirect=True)
both_modes = pytest.mark.parametrize("product", MODES, indirect=True)

ProductOf = Callable[[str], Product]

expect.set_options(timeout=PATIENCE_MS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.browser)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(180))


# For one module only: while Playwright is open, no other test could run an event loop.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip(f"Chromium is not installed at {CHROMIUM}")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM, args=ARGUMENTS, chromium_sandbox=False
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("surveyed")
    build_demo_folder(folder)
    return folder


@pytest.fixture(scope="session")
def products(demo_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProductOf]:
    """Return what starts the product of a mode at its first use; all end with the run."""
    with ExitStack() as stack:

        @cache
        def product_of(mode: str) -> Product:
            folder = tmp_path_factory.mktemp(mode)
            if mode == "embedded":
                return stack.enter_context(embedded(folder, demo_folder))
            return stack.enter_context(scaled(folder, demo_folder, *SERVICES))

        yield product_of


@pytest.fixture(params=MODES if IS_FULL else ["scaled" if HAS_SERVICES else "embedded"])
def product(request: pytest.FixtureRequest, browser: Browser, products: ProductOf) -> Product:
    if request.param == "scaled" and not HAS_SERVICES:
        pytest.skip("scaled mode needs DATABASE_URL (PostgreSQL) and REDIS_URL")
    product = products(request.param)
    # A test that failed may have left it without a web server.
    product.start_web()
    return product


@pytest.fixture
def scene(product: Product) -> Scene:
    """Return an agent of this test alone, with its people and an idle session."""
    return Scene.of(product.stage.do("scene"))


@pytest.fixture
def provider(product: Product) -> Iterator[FakeProvider]:
    """Return the provider that the product's agents ask as OpenAI."""
    with FakeProvider() as provider:
        product.stage.do("reach", provider="openai", address=f"{provider.url}/v1")
        yield provider


@pytest.fixture
def agent(product: Product, provider: FakeProvider) -> Scene:
    """Return a scene whose agent asks that provider, and has tools that ask people."""
    return Scene.of(product.stage.do("scene", model="openai:gpt-4.1", tools=ASKING_TOOLS))


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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    product = getattr(item, "funcargs", {}).get("product")
    if report.failed and isinstance(product, Product):
        report.sections.append((f"Logs of the {product.mode} product", product.logs()))
    return report
