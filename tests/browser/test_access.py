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
REFUSED = r"WebSocket connection to .* Unexpected response code: 403"


def test_who_may_not_watch_gets_no_page_and_no_socket(product: Product, scene: Scene, visit: Visit) -> None:
    stranger, nobody = visit(scene.stranger.cookie), visit()
    stranger.expect_faults(r"status of 404", REFUSED)
    nobody.expect_faults(REFUSED)
    refused, asked = stranger.open(scene.path), nobody.open(scene.path)
    assert refused.response
    assert refused.response.status == 404
    expect(asked.page.get_by_role("heading", name="Sign in")).to_be_visible()
    for tab in (refused, asked):
        assert tab.page.evaluate(OPEN_SOCKET, f"/ws{scene.path}") == "refused"
    operator = visit(scene.operator.cookie).open("/")
    assert operator.page.evaluate(OPEN_SOCKET, f"/ws{scene.path}") == "open"


def test_whoever_watches_sees_a_new_title_and_the_end_of_a_session(
    product: Product, scene: Scene, visit: Visit
) -> None:
    watching = visit(scene.member.cookie).open(scene.path, web=1)
    expect(watching.connection).to_have_text("Live")
    page = visit(scene.operator.cookie).open(f"{scene.path}manage/").page
    page.get_by_role("textbox", name="Title", exact=True).fill("Under review")
    page.get_by_role("button", name="Rename").click()
    expect(watching.page.get_by_role("heading", level=1)).to_have_text("Under review")
    expect(watching.page).to_have_title("Under review · contextsite")
    rail = watching.page.locator("#rail")
    expect(rail).to_contain_text("Under review")
    page.locator("[name=confirm]").fill("Under review")
    page.get_by_role("button", name="Delete").click()
    expect(watching.page.locator("[data-banner]")).to_contain_text("not open to you any more")
    expect(rail).not_to_contain_text("Under review")


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
