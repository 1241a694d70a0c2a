"""Stream: from the moment a provider sends the first word of an answer until it stands on the page."""

import statistics
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright

from benchmarks.timing import print_table
from benchmarks.turns import SERVICES
from tests.browser.conftest import ARGUMENTS, CHROMIUM, PATIENCE_MS
from tests.browser.product import Product, scaled

ROUNDS = 20
# The first word is the time it was sent.
MODEL = "compatible:tell-5-100"
WATCH = """
  window.delays = [];
  new MutationObserver(() => {
    for (const text of document.querySelectorAll("[data-draft-text]")) {
      const sent = /^\\\\d{13}(?= )/.exec(text.textContent);
      if (!sent || text.dataset.counted) continue;
      text.dataset.counted = "yes";
      window.delays.push(Date.now() - Number(sent[0]));
    }
  }).observe(document, { subtree: true, childList: true, characterData: true });
"""


def main() -> None:
    if not (SERVICES[0].startswith("postgres") and SERVICES[1] and CHROMIUM.exists()):
        print("Stream: needs DATABASE_URL (PostgreSQL), REDIS_URL and Chromium; left out")
        return
    with TemporaryDirectory() as name, scaled(folder := Path(name), folder, *SERVICES) as product:
        delays = _with_page(product, _delays)
    print(f"Stream: first word, from the provider to the page, {len(delays)} answers, in ms")
    print_table(["median", "least", "most"], [(statistics.median(delays), min(delays), max(delays))])


def _with_page(product: Product, work: Callable[[Page], list[int]]) -> list[int]:
    scene: dict[str, Any] = product.stage.do("scene", model=MODEL)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, chromium_sandbox=False)
        context = browser.new_context()
        context.add_cookies(
            [{"name": "sessionid", "value": scene["operator"]["cookie"], "url": product.urls[0]}]
        )
        page = context.new_page()
        page.add_init_script(WATCH.replace("\\\\", "\\"))
        page.goto(f"{product.urls[0]}/sessions/{scene['session']}/")
        result = work(page)
        browser.close()
    return result


def _delays(page: Page) -> list[int]:
    """Return the delays of the answers after the first, which warms up."""
    for number in range(ROUNDS + 1):
        page.get_by_label("Message to").fill("Tell me.")
        page.get_by_role("button", name="Send").click()
        # The first answer waits for the worker to load the provider's client.
        answers = page.locator(".turn--assistant:not([data-draft])")
        expect(answers).to_have_count(number + 1, timeout=PATIENCE_MS * (1 if number else 6))
    delays: list[int] = page.evaluate("window.delays")
    return delays[1:]
