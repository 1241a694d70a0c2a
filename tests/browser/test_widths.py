"""Long names and wide values stay within the screen, and nothing that is read for its value is cut."""

from tests.browser.conftest import Visit, either_mode
from tests.browser.product import Product
from tests.browser.scene import Scene, session_path

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
