"""Drawings wait in turn, and a card whose drawing takes too long keeps nobody else waiting."""

import pytest
from playwright.sync_api import Locator, Page, expect

from memory.rendering.sanitize import SafeHTML
from tests.static.conftest import session_html
from tests.static.live_page import PATH, LivePage
from tests.static.still_site import StillSite
from tests.templates.samples import card

# Draws at once, or never, and says what it was asked for.
FRAME = """<!doctype html><script>
addEventListener("message", ({ data }) => {
  parent.postMessage({ asked: data.source }, "*");
  if (data.source.startsWith("endless")) return;
  const svg = "<svg xmlns='http://www.w3.org/2000/svg'></svg>";
  parent.postMessage({ id: data.id, svg, width: 40, height: 40 }, "*");
});
parent.postMessage({ ready: true }, "*");
</script>"""
REMEMBER = """window.asked = [];
addEventListener("message", ({ data }) => { if (data.asked) window.asked.push(data.asked); });"""
LIMIT_MS = 8_000


def figure(source: str) -> str:
    return (
        '<figure class="md-widget md-widget-mermaid"><div class="md-widget-out"></div>'
        f"<details open><summary>Diagram source</summary><pre>{source}</pre></details></figure>"
    )


@pytest.fixture
def drawing(page_alone: Page, site: StillSite) -> LivePage:
    """Return a live page: a card whose first drawing never ends, with a second one, and a good card."""
    cards = [
        card(key="bad", dom_id="card-1", size="xl", body=SafeHTML(figure("endless") + figure("second"))),
        card(key="good", dom_id="card-2", body=SafeHTML(figure("good"))),
    ]
    html = session_html(cards=cards)
    site.pages[PATH] = html.replace("data-frames=", 'data-frames="/frames/" data-old=')
    page_alone.set_viewport_size({"width": 1440, "height": 1600})
    page_alone.clock.install()
    page_alone.add_init_script(REMEMBER)
    page_alone.route("**/frames/**", lambda route: route.fulfill(body=FRAME, content_type="text/html"))
    return LivePage(page_alone, site).open()


def places(live: LivePage, key: str) -> Locator:
    return live.page.get_by_role("article", name=key, exact=True).locator(".md-widget-out")


def wait_until_asked(live: LivePage, *sources: str) -> None:
    live.page.wait_for_function("sources => String(asked) === String(sources)", arg=list(sources))


def test_the_rest_of_a_card_is_skipped_after_a_drawing_that_takes_too_long(drawing: LivePage) -> None:
    wait_until_asked(drawing, "endless")
    for place in (*places(drawing, "bad").all(), places(drawing, "good")):
        expect(place).to_have_text("Waiting to be drawn")
    drawing.page.clock.run_for(LIMIT_MS)
    expect(places(drawing, "good").locator("img")).to_have_count(1)
    expect(places(drawing, "bad").first).to_have_text("Diagram not drawn: drawing took longer than 8 s")
    expect(places(drawing, "bad").last).to_have_text(
        "Diagram not drawn: an earlier drawing of this card took too long"
    )
    expect(drawing.page.locator(".card details[open] pre")).to_have_text(["endless", "second"])
    wait_until_asked(drawing, "endless", "good")
    assert drawing.problems == []


def test_what_took_too_long_is_not_tried_again_in_another_theme(drawing: LivePage) -> None:
    wait_until_asked(drawing, "endless")
    drawing.page.clock.run_for(LIMIT_MS)
    wait_until_asked(drawing, "endless", "good")
    drawing.page.emulate_media(color_scheme="dark")
    wait_until_asked(drawing, "endless", "good", "good")
    expect(places(drawing, "bad").first).to_have_text("Diagram not drawn: drawing took longer than 8 s")


def test_the_rest_of_a_card_is_drawn_once_its_slow_drawing_is_mended(drawing: LivePage) -> None:
    wait_until_asked(drawing, "endless")
    drawing.page.clock.run_for(LIMIT_MS)
    wait_until_asked(drawing, "endless", "good")
    drawing.page.evaluate("document.querySelector('.card pre').textContent = 'mended'")
    wait_until_asked(drawing, "endless", "good", "mended", "second")
    expect(places(drawing, "bad").locator("img")).to_have_count(2)


TAKE_TURNS = """async (address) => {
  const { Turns } = await import(address);
  const turns = new Turns();
  const done = [];
  const work = (name) => async () => { done.push(name); };
  const failed = turns.take("a", async () => { throw new Error("no"); }).catch((error) => error.message);
  const rest = ["a1", "a2", "b1", "b2", "c1"].map((name) => turns.take(name[0], work(name)));
  await Promise.all(rest);
  return [await failed, ...done];
}"""


def test_owners_take_turns_whatever_fails(live: LivePage) -> None:
    done = live.page.evaluate(TAKE_TURNS, "/static/js/turns.js")
    assert done == ["no", "a1", "b1", "c1", "a2", "b2"]
