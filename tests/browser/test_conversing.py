"""An operator talks with an agent: answers stream, stop, go on, and everybody watching sees the same."""

import re

from playwright.sync_api import FilePayload, Locator, expect

from tests.browser.conftest import Visit, either_mode
from tests.browser.product import Product
from tests.browser.scene import Scene
from tests.browser.visitor import Tab
from tests.images import picture

# Longer than everything that happens meanwhile, on any machine.
LONG = "compatible:tell-3000-40-10"
PARAGRAPH = " ".join(f"word{number}" for number in range(11, 21))
# Drops or pastes a small file at the message box.
HAND_OVER = """([kind, name, type]) => {
  const carrier = new DataTransfer();
  carrier.items.add(new File(["x"], name, { type }));
  const more = { bubbles: true, cancelable: true };
  const event = kind === "drop"
    ? new DragEvent(kind, { ...more, dataTransfer: carrier })
    : new ClipboardEvent(kind, { ...more, clipboardData: carrier });
  document.getElementById("message").dispatchEvent(event);
}"""


def begin(product: Product, visit: Visit, model: str) -> tuple[Scene, Tab]:
    scene = Scene.of(product.stage.do("scene", model=model))
    tab = visit(scene.operator.cookie).open(scene.path)
    expect(tab.connection).to_have_text("Live")
    return scene, tab


def say(tab: Tab, text: str) -> None:
    tab.page.get_by_label("Message to").fill(text)
    tab.page.get_by_role("button", name="Send").click()


def attach(tab: Tab) -> None:
    """Choose, drop and paste images, take two away again, and keep one that is no image out."""
    files = [FilePayload(name=name, mimeType="image/png", buffer=picture()) for name in ("a.png", "b.png")]
    tab.page.locator("[name=images]").set_input_files(files)
    lines = tab.page.locator(".attached li")
    tab.page.evaluate(HAND_OVER, ["drop", "c.png", "image/png"])
    expect(lines).to_have_text(["a.png", "b.png", "c.png"])
    tab.page.evaluate(HAND_OVER, ["paste", "d.txt", "text/plain"])
    expect(tab.page.locator("[data-composer-error]")).to_contain_text("d.txt is no PNG, JPEG, GIF or WebP")
    for name in ("a.png", "c.png"):
        tab.page.get_by_role("button", name=f"Remove {name}").click()
    expect(lines).to_have_text(["b.png"])


def press(tab: Tab, name: str) -> None:
    tab.page.get_by_role("button", name=name, exact=True).click()


def expect_first(place: Locator, text: str) -> None:
    """Wait for an answer that may be the first of its process, which loads the provider's client for it."""
    expect(place).to_contain_text(text, timeout=90_000)


def draft(tab: Tab) -> Locator:
    return tab.page.locator("[data-draft]")


def words(tab: Tab) -> list[str]:
    parts = tab.page.locator("[data-draft-blocks], [data-draft-text]").all_inner_texts()
    return " ".join(parts).split()


def answers(tab: Tab) -> list[str]:
    return tab.page.locator(".turn--assistant:not([data-draft]) .prose").all_inner_texts()


def expect_behind_the_draft(tab: Tab, text: str) -> None:
    following = tab.page.locator("[data-draft] ~ .turn")
    expect(following).to_have_count(1)
    expect(following).to_contain_text(text)


def test_two_browsers_one_of_them_late_see_answers_grow_wait_stop_and_go_on(
    product: Product, visit: Visit
) -> None:
    scene, early = begin(product, visit, LONG)
    say(early, "Tell me.")
    expect_first(draft(early), "word12")
    late = visit(scene.member.cookie).open(scene.path, web=1)
    expect(draft(late)).to_contain_text("word25")
    for tab in (early, late):
        expect(tab.page.locator("[data-draft-blocks] p", has_text=re.compile(r"\bword19\b"))).to_have_text(
            PARAGRAPH
        )
    grown = words(late)
    expect(draft(early)).to_contain_text(grown[-1])
    assert words(early)[: len(grown)] == grown

    attach(early)
    say(early, "And then?")
    expect(early.page.locator(".attached li")).to_have_count(0)
    say(early, "Never mind.")
    for tab in (early, late):
        expect(tab.page.locator("[data-waiting]")).to_have_count(2)
    unwanted = early.page.locator("[data-waiting]", has_text="Never mind.")
    unwanted.get_by_role("button", name="Withdraw").click()
    for tab in (early, late):
        expect(tab.page.locator("[data-waiting]")).to_have_count(1)

    expect_behind_the_draft(visit(scene.member.cookie, has_scripts=False).open(scene.path), "And then?")
    press(early, "Stop")
    stopped = [tab.page.locator(".turn--assistant", has_text="stopped here") for tab in (early, late)]
    for place in stopped:
        expect(place).to_have_count(1)
    assert answers(early)[0].split()[: len(grown)] == grown
    assert answers(early) == answers(late)
    # What waited has its turn now.
    expect(draft(late)).to_contain_text("word2")
    image = late.page.locator(".turn--user", has_text="And then?").get_by_role("img", name="Attached image 1")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.naturalWidth") == 40
    assert product.stage.do("turns", session=scene.session) == ["cancelled", "running"]
    press(early, "Stop")
    for place in stopped:
        expect(place).to_have_count(2)
    press(early, "Retry")
    expect(draft(late)).to_contain_text("word2")
    press(early, "Stop")
    for tab in (early, late):
        expect(tab.page.locator("#turn-state")).to_have_attribute("data-status", "cancelled")
        expect(tab.page.locator("[data-draft]")).to_have_count(0)
    assert product.stage.do("turns", session=scene.session) == ["cancelled", "cancelled"]


@either_mode
def test_what_goes_wrong_is_named_and_can_be_retried(product: Product, visit: Visit) -> None:
    _, busy = begin(product, visit, "compatible:refuse-2")
    say(busy, "Tell me.")
    scene, nobody = begin(product, visit, "nobody:home")
    say(nobody, "Is anybody there?")
    expect(nobody.page.locator("#turn-state")).to_contain_text(
        "Turn 1 failed. No connector is set up for 'nobody'"
    )
    expect(nobody.page.locator("#session-status")).to_have_attribute("data-status", "failed")
    expect(nobody.page.get_by_role("log")).to_contain_text("Is anybody there?")
    with nobody.page.expect_response(re.compile("/retry/")):
        press(nobody, "Retry now")

    _, broken = begin(product, visit, "compatible:break")
    say(broken, "Tell me.")
    expect_first(broken.page.locator("#turn-state"), "broke off")
    expect(broken.page.get_by_role("button", name="Retry now")).to_be_visible()
    expect(nobody.page.locator("#turn-state")).to_contain_text("Turn 1 failed.")
    assert product.stage.do("turns", session=scene.session) == ["failed"]
    # Asked again twice, meanwhile.
    expect_first(busy.page.locator(".turn--assistant .prose"), "Done.")
    notes = [frame.content.get("note", "") for frame in busy.frames_of("piece")]
    assert any("trying again in" in note for note in notes)
