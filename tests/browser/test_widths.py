"""Long names and wide values stay within the screen, and nothing that is read for its value is cut."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit, either_mode
from tests.browser.product import Product
from tests.browser.scene import Scene, session_path
from tests.browser.visitor import Screen, Tab

pytestmark = either_mode

WIDTHS = (360, 768, 1024, 1440, 1920, 2560)
LONG_TITLE = "A survey of every folder of the old archive, " * 4 + "and more"
# By page, what its last crumb says; empty where that is long itself.
CRUMBS = {
    "manage/": "Manage",
    "context/": "Look inside",
    "history/": "Whiteboard history",
    "history/?key=" + "k" * 90: "",
}

# The parts of the top bar that are cut or lie outside it or over each other, as a person sees it.
CRUMB_FAULTS = """(last) => {
  const crumbs = [...document.querySelectorAll(".crumbs li")].filter((each) => each.checkVisibility());
  const end = document.querySelector(".topbar__end").getBoundingClientRect();
  const isCut = (each) => [each, ...each.children].some((part) => part.scrollWidth > part.clientWidth + 1);
  return [
    document.documentElement.scrollWidth > innerWidth && "the page is too wide",
    crumbs.some((each) => each.getBoundingClientRect().right > end.left) && "a crumb lies under the menu",
    crumbs.some((each) => each.getBoundingClientRect().width < 24) && "a crumb is gone",
    last && innerWidth > 400 && isCut(crumbs.at(-1)) && "the name of the page is cut",
  ].filter(Boolean);
}"""


def test_a_long_title_leaves_room_in_the_top_bar(product: Product, scene: Scene, visit: Visit) -> None:
    session = product.stage.do("new_session", agent=scene.agent, title=LONG_TITLE)
    product.stage.do("write", session=session, key="k" * 90, value="x")
    tab = visit(scene.operator.cookie).open(session_path(session))
    for path, last in CRUMBS.items():
        tab.page.goto(product.urls[0] + session_path(session) + path)
        for width in WIDTHS:
            tab.page.set_viewport_size({"width": width, "height": 900})
            assert tab.page.evaluate(CRUMB_FAULTS, last) == [], f"{path} at {width}"


WALLS = (Screen(1440), Screen(1920, "dark"), Screen(2560))
PATH = "contextsite/management/commands/a/folder/far/below/of_names/import_number_{n}.py"
VALUES = {
    "files": [
        {"path": PATH.format(n=n), "bytes": 3_645_649 + n, "lines": 104_512, "kind": "py"} for n in range(3)
    ],
    "sums": [{f"column {n}": 1_234_567_890 + n for n in range(9)} for _ in range(2)],
    "text": "| Path | Files | Bytes | Lines |\n|---|--:|--:|--:|\n| `"
    + PATH
    + "` | 3 | 3,645,649 | 104,512 |",
    "plain": "| Folder | Tokens | Bytes | Lines | Authors |\n|---|---|---|---|---|\n"
    "| /srv/a | 12,345,678 | 3,645,649 | 104,512 | 1,204 |",
    "code": "```\n" + "total 3645649 " * 12 + "\n```",
    "one": {"bytes": 3_645_649_123, "path": PATH},
}
# The texts with numbers of which a card shows only the first part of a line, by card.
CUT_NUMBERS = """() => {
  const cut = [];
  for (const part of document.querySelectorAll(".card:not([hidden]) :is(.card__body, .card__version)")) {
    const edge = part.getBoundingClientRect();
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode;
      if (!/\\d/.test(data) || !parentElement.checkVisibility()) continue;
      const range = document.createRange();
      range.selectNodeContents(texts.currentNode);
      const isCut = [...range.getClientRects()].some(({ right }) => right > edge.right + 1);
      if (isCut) cut.push([part.closest(".card").dataset.entry, data]);
    }
  }
  return cut;
}"""


def test_no_number_on_a_wall_is_cut(product: Product, scene: Scene, visit: Visit) -> None:
    for key, value in VALUES.items():
        product.stage.do("write", session=scene.session, key=key, value=value)
    for screen in WALLS:
        tab = visit(scene.member.cookie, screen=screen).blank()
        tab.page.clock.install()
        tab.page.goto(product.urls[0] + scene.path.replace("/sessions/", "/wall/"))
        expect(tab.connection).to_have_text("Live")
        seen = turn_pages(tab)
        assert seen == VALUES.keys()
    product.stage.do("write", session=scene.session, key="one", value=VALUES["sums"])
    expect(tab.value("one").locator("td")).to_have_count(18)
    turn_pages(tab)


def turn_pages(tab: Tab) -> set[str]:
    """Return the keys of the cards that were shown, none with a number that is cut."""
    seen: set[str] = set()
    for _ in VALUES:
        assert tab.page.evaluate(CUT_NUMBERS) == [], tab.page.viewport_size
        seen |= set(
            tab.page.locator(".card:not([hidden])").evaluate_all(
                "all => all.map((each) => each.dataset.entry)"
            )
        )
        tab.page.clock.run_for(20_000)
    return seen
