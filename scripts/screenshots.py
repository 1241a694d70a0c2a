"""Takes the README's screenshots: the demo agent surveys this project, and others have done their work.

Usage: python -m scripts.screenshots
"""

import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.browser.product import Product, embedded
from tests.browser.visitor import Screen, Visitor

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "img"
SURVEYED = ("agents", "memory", "contextsite", "templates", "static")
SESSION = re.compile(r"/sessions/[-0-9a-f]+/")
PATIENCE_MS = 120_000
# Long enough for all pages to open meanwhile, on a slow machine too.
PAUSE_MS = 1_500
# The survey is far enough for a full board, and still at work.
FAR_ENOUGH = re.compile(r"Counting, step 1[2-7]\b")

# What other agents were asked, and answered: agent, title, messages of a person and the agent in turn.
CONVERSATIONS = (
    (
        "Release notes",
        "Notes for 0.1.0",
        "List what changed since the tag.",
        "42 changes, 3 of them breaking.",
    ),
    ("Ledger", "Match the March invoices", "Match them with the ledger.", "388 of 391 match; 3 need you."),
    ("Link checker", "Dead links in the handbook", "Check every link.", "1,204 links, 7 of them dead."),
    ("Onboarding", "Laptops for July", "Is there enough stock?", "Yes: 14 in stock, 9 people start."),
    ("Translator", "Help pages in French", "Translate what is missing.", "31 pages are done, 2 need a term."),
)


def main() -> None:
    """Start the product with a generated state and take every picture of it."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        project, data = Path(folder, "contextsite"), Path(folder, "data")
        data.mkdir()
        copy_project(project)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        with embedded(data, project, PAUSE_MS) as product:
            take_all(browser, product)
        browser.close()


def copy_project(target: Path) -> None:
    """Copy what belongs to the project, and nothing that was only left lying in its folders."""
    command = ["git", "ls-files", *SURVEYED]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603
    for name in listed.stdout.splitlines():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target / name)


def take_all(browser: Browser, product: Product) -> None:
    """Watch the survey until the board is full, and take all pictures while it works."""
    found = SESSION.search(product.manage("demo"))
    if found is None:
        raise SystemExit("The demo command names no session any more.")
    import_conversations(product)
    # The process finds the queued turn when it starts.
    product.restart_web()
    cookie = product.stage.do("sign_in", name="operator")
    screens = {
        "session": Screen(1440, "light"),
        "session-dark": Screen(1440, "dark"),
        "session-phone": Screen(390, "light"),
    }
    pages = {
        name: Visitor(browser, product, cookie, screen=screen).open(found[0]).page
        for name, screen in screens.items()
    }
    pages["session-phone"].locator("#pane-board").check()
    progress = pages["session"].get_by_role("article", name="progress")
    expect(progress).to_contain_text(FAR_ENOUGH, timeout=PATIENCE_MS)
    for name, page in pages.items():
        take(page, name)
    for name, theme in (("fleet", "light"), ("fleet-dark", "dark")):
        fleet = Visitor(browser, product, cookie, screen=Screen(1440, theme)).open("/")
        expect(fleet.connection).to_have_text("Live")
        take(fleet.page, name)


def import_conversations(product: Product) -> None:
    """Give the fleet page more than one session."""
    for agent, title, question, answer in CONVERSATIONS:
        slug = product.stage.do("new_agent", operator="operator", name=agent, model="replay:recording")
        messages = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
        file = product.folder / f"{slug}.json"
        file.write_text(json.dumps(messages))
        product.manage("import_conversation", str(file), "--agent", slug, "--title", title)


def take(page: Page, name: str) -> None:
    """Keep what the page shows."""
    page.screenshot(path=PICTURES / f"{name}.png")
    print(f"docs/img/{name}.png")


if __name__ == "__main__":
    main()
