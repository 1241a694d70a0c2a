"""Who may not watch sees nothing, and stops seeing when that changes."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.product import Product
from tests.browser.scene import Scene
from tests.browser.visitor import SERVER_AWAY

OPEN_SOCKET = """path => new Promise(resolve => {
  const socket = new WebSocket(`ws://${location.host}${path}`);
  socket.onopen = () => resolve("open");
  socket.onerror = () => resolve("refused");
})"""


def test_a_stranger_gets_404_and_no_socket(product: Product, scene: Scene, visit: Visit) -> None:
    stranger = visit(scene.stranger.cookie)
    stranger.expect_faults(r"status of 404", r"WebSocket connection to .* Unexpected response code: 403")
    tab = stranger.open(scene.path)
    assert tab.response
    assert tab.response.status == 404
    assert tab.page.evaluate(OPEN_SOCKET, f"/ws{scene.path}") == "refused"
    operator = visit(scene.operator.cookie).open(scene.path)
    assert operator.page.evaluate(OPEN_SOCKET, f"/ws{scene.path}") == "open"


def test_somebody_not_signed_in_gets_the_login_page_and_no_socket(
    product: Product, scene: Scene, visit: Visit
) -> None:
    nobody = visit()
    nobody.expect_faults(r"WebSocket connection to .* Unexpected response code: 403")
    tab = nobody.open(scene.path)
    expect(tab.page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert tab.page.evaluate(OPEN_SOCKET, f"/ws{scene.path}") == "refused"


def test_signing_out_ends_the_other_pages_and_they_say_so(
    product: Product, scene: Scene, visit: Visit
) -> None:
    product.stage.do("write", session=scene.session, key="note", value="before")
    operator = visit(scene.operator.cookie)
    # The page may try once more before it knows that it was signed out; the browser reports the refusal.
    operator.expect_faults(SERVER_AWAY)
    watching, leaving = operator.open(scene.path, web=1), operator.open("/")
    expect(watching.connection).to_have_text("Live")
    leaving.page.locator("summary", has_text="your menu").click()
    leaving.page.get_by_role("button", name="Sign out").click()
    expect(watching.connection).to_have_text("Signed out")
    expect(watching.page.locator("[data-banner]")).to_contain_text("Your session ended")
    product.stage.do("write", session=scene.session, key="note", value="after they left")
    elsewhere = visit(scene.member.cookie).open(scene.path)
    expect(elsewhere.value("note")).to_have_text("after they left")
    assert [frame for frame in watching.frames if "after they left" in frame.text] == []


def test_a_member_sees_no_controls_of_operators(product: Product, scene: Scene, visit: Visit) -> None:
    product.stage.do("write", session=scene.session, key="note", value="look")
    tab = visit(scene.member.cookie).open(scene.path)
    expect(tab.value("note")).to_have_text("look")
    tab.card("note").locator("summary").click()
    expect(tab.card("note").get_by_text("Copy text")).to_be_visible()
    for name in ("Edit", "Delete", "Add an entry", "Send", "Stop"):
        expect(tab.page.get_by_text(name, exact=True)).to_have_count(0)
