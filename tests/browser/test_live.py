"""A page stays current while others write, whatever happens to its socket."""

import re
from itertools import pairwise

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.product import Product
from tests.browser.scene import Scene
from tests.browser.visitor import SERVER_AWAY, Tab
from tests.conftest import Measured

EVERY_MS, FOR_SECONDS = 30, 5
# A machine under load may merge many changes into one frame; half of the worst design gap is still many.
LEAST_FRAMES = 7
WRITER = ["-m", "tests.browser.writer"]


def watch_ticker(product: Product, scene: Scene, visit: Visit) -> Tab:
    product.stage.do("write", session=scene.session, key="ticker", value="not yet")
    visitor = visit(scene.operator.cookie)
    visitor.expect_faults(SERVER_AWAY)
    tab = visitor.open(scene.path)
    expect(tab.connection).to_have_text("Live")
    return tab


def expect_last_value(product: Product, scene: Scene, tab: Tab) -> None:
    expect(tab.value("ticker")).to_have_text(
        str(product.stage.do("entries", session=scene.session)["ticker"])
    )


def ticks(tab: Tab) -> list[float]:
    """Return when frames with the ticker arrived, in seconds."""
    return [
        frame.at
        for frame in tab.frames_of("board")
        if any(card["key"] == "ticker" for card in frame.content["cards"])
    ]


def test_frames_keep_coming_while_a_writer_never_pauses(
    product: Product, scene: Scene, visit: Visit, measured: Measured
) -> None:
    tab = watch_ticker(product, scene, visit)
    written = product.run(*WRITER, scene.session, "ticker", str(EVERY_MS), str(FOR_SECONDS))
    expect_last_value(product, scene, tab)
    arrived = ticks(tab)
    assert len(arrived) >= LEAST_FRAMES
    gaps = [1000 * (after - before) for before, after in pairwise(arrived)]
    measured(
        f"{product.mode}: {written.strip()} changes in {FOR_SECONDS} s came in {len(arrived)} frames, "
        f"largest gap {max(gaps):.0f} ms, median {sorted(gaps)[len(gaps) // 2]:.0f} ms"
    )


def test_a_page_ends_at_the_last_value_when_the_web_process_restarts_meanwhile(
    product: Product, scene: Scene, visit: Visit
) -> None:
    tab = watch_ticker(product, scene, visit)
    writer = product.background("writer", *WRITER, scene.session, "ticker", str(EVERY_MS), str(FOR_SECONDS))
    expect(tab.value("ticker")).to_have_text(re.compile(r"\d+"))
    product.restart_web()
    writer.wait()
    expect(tab.connection).to_have_text("Live")
    expect_last_value(product, scene, tab)
    assert tab.page.evaluate("performance.getEntriesByType('navigation').length") == 1


def test_the_connection_says_that_it_is_lost_and_live_again(
    product: Product, scene: Scene, visit: Visit
) -> None:
    tab = watch_ticker(product, scene, visit)
    for process in product.web:
        process.stop()
    expect(tab.connection).to_have_text(re.compile("^Reconnecting, try"))
    product.stage.do("write", session=scene.session, key="ticker", value="written while away")
    product.start_web()
    expect(tab.connection).to_have_text("Live")
    expect(tab.value("ticker")).to_have_text("written while away")


def test_a_change_is_highlighted_for_a_moment(product: Product, scene: Scene, visit: Visit) -> None:
    tab = watch_ticker(product, scene, visit)
    expect(tab.card("ticker")).not_to_have_class(re.compile("is-changed"))
    product.stage.do("write", session=scene.session, key="ticker", value="changed")
    expect(tab.card("ticker")).to_have_class(re.compile("is-changed"))
    expect(tab.value("ticker")).to_have_text("changed")
    expect(tab.card("ticker")).not_to_have_class(re.compile("is-changed"))


def test_half_typed_text_and_focus_survive_fifty_changes(
    product: Product, scene: Scene, visit: Visit
) -> None:
    tab = watch_ticker(product, scene, visit)
    box = tab.page.get_by_role("textbox", name=re.compile("^Message to"))
    box.press_sequentially("half a sen")
    box.press("ArrowLeft")
    for number in range(50):
        product.stage.do("write", session=scene.session, key="ticker", value=f"change {number}")
    expect(tab.value("ticker")).to_have_text("change 49")
    expect(box).to_be_focused()
    box.press_sequentially("t")
    expect(box).to_have_value("half a setn")


def test_a_deleted_entry_leaves_and_an_evicted_one_is_named(
    product: Product, scene: Scene, visit: Visit
) -> None:
    tab = watch_ticker(product, scene, visit)
    product.stage.do("remove", session=scene.session, key="ticker")
    expect(tab.card("ticker")).to_contain_text("Deleted")
    for number in range(21):
        product.stage.do(
            "write", session=scene.session, key=f"entry-{number}", value=number, shown=number > 17
        )
    expect(tab.page.locator("#dock-line")).to_contain_text("entry-0")
    expect(tab.value("entry-20")).to_have_text("20")
