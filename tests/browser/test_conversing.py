"""An operator talks with an agent: answers stream, stop, go on, and everybody watching sees the same."""

import re

from playwright.sync_api import FilePayload, Locator, expect

from tests.browser.conftest import Visit
from tests.browser.product import Product
from tests.browser.scene import Scene
from tests.browser.visitor import Tab
from tests.images import picture

# Long enough for a second page to open meanwhile, on any machine.
LONG = "compatible:tell-1000-60-10"
PARAGRAPH = " ".join(f"word{number}" for number in range(11, 21))
WORDS = 100
SHORT = f"compatible:tell-{WORDS}-60"
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
LAST_WORD = re.compile(rf"word{WORDS - 1}\b")


def begin(product: Product, visit: Visit, model: str = SHORT) -> tuple[Scene, Tab]:
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


def expect_first(place: Locator, text: str) -> None:
    """Wait for an answer that may be the first of its process, which loads the provider's client for it."""
    expect(place).to_contain_text(text, timeout=90_000)


def words(tab: Tab) -> list[str]:
    parts = tab.page.locator("[data-draft-blocks], [data-draft-text]").all_inner_texts()
    return " ".join(parts).split()


def answers(tab: Tab) -> list[str]:
    return tab.page.locator(".turn--assistant:not([data-draft]) .prose").all_inner_texts()


def test_two_browsers_one_of_them_late_see_the_same_answer_grow(product: Product, visit: Visit) -> None:
    scene, early = begin(product, visit, LONG)
    say(early, "Tell me.")
    expect_first(early.page.locator("[data-draft]"), "word12")
    late = visit(scene.member.cookie).open(scene.path, web=1)
    expect(late.page.locator("[data-draft]")).to_contain_text("word25")
    for tab in (early, late):
        expect(tab.page.locator("[data-draft-blocks] p", has_text="word19")).to_have_text(PARAGRAPH)
    grown = words(late)
    expect(early.page.locator("[data-draft]")).to_contain_text(grown[-1])
    assert words(early)[: len(grown)] == grown
    early.page.get_by_role("button", name="Stop").click()
    for tab in (early, late):
        expect(tab.page.locator(".turn--assistant", has_text="stopped here")).to_be_visible()
        expect(tab.page.locator("[data-draft]")).to_have_count(0)
    assert answers(early) == answers(late)
    assert answers(early)[0].split()[: len(grown)] == grown


def test_an_answer_is_stopped_in_the_middle_and_given_anew(product: Product, visit: Visit) -> None:
    scene, tab = begin(product, visit)
    say(tab, "Tell me.")
    expect_first(tab.page.locator("[data-draft-text]"), "word9 ")
    tab.page.get_by_role("button", name="Stop").click()
    stopped = tab.page.locator(".turn--assistant", has_text="stopped here")
    expect(stopped).to_contain_text("word9 ")
    expect(stopped).not_to_contain_text(LAST_WORD)
    assert product.stage.do("turns", session=scene.session) == ["cancelled"]
    tab.page.get_by_role("button", name="Retry").click()
    expect(tab.page.locator(".turn--assistant .prose").last).to_contain_text(LAST_WORD)
    expect(stopped).to_be_visible()
    assert product.stage.do("turns", session=scene.session) == ["succeeded"]


def test_messages_wait_for_their_turn_and_can_be_withdrawn(product: Product, visit: Visit) -> None:
    scene, tab = begin(product, visit)
    say(tab, "Tell me.")
    expect_first(tab.page.locator("[data-draft-text]"), "word2 ")
    attach(tab)
    say(tab, "And then?")
    expect(tab.page.locator(".attached li")).to_have_count(0)
    say(tab, "Never mind.")
    waiting = tab.page.locator("[data-waiting]")
    expect(waiting).to_have_count(2)
    waiting.filter(has_text="Never mind.").get_by_role("button", name="Withdraw").click()
    expect(waiting).to_have_count(1)
    expect(tab.page.locator(".turn--assistant .prose").nth(1)).to_contain_text(LAST_WORD)
    expect(waiting).to_have_count(0)
    image = tab.page.locator(".turn--user", has_text="And then?").get_by_role("img", name="Attached image 1")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.naturalWidth") == 40
    assert product.stage.do("turns", session=scene.session) == ["succeeded", "succeeded"]


def test_a_provider_that_is_overloaded_is_asked_again_and_a_broken_answer_can_be_retried(
    product: Product, visit: Visit
) -> None:
    _, tab = begin(product, visit, "compatible:refuse-2")
    say(tab, "Tell me.")
    expect_first(tab.page.locator("[data-draft-note]"), "trying again in")
    expect(tab.page.locator(".turn--assistant .prose")).to_have_text("Done.")
    _, broken = begin(product, visit, "compatible:break")
    say(broken, "Tell me.")
    expect(broken.page.locator("#turn-state")).to_contain_text("broke off")
    expect(broken.page.get_by_role("button", name="Retry now")).to_be_visible()


def test_a_card_tells_when_the_model_has_seen_an_edit(product: Product, visit: Visit) -> None:
    scene, tab = begin(product, visit, "compatible:wait-0")
    product.stage.do("write", session=scene.session, key="limits", value="500")
    receipt = tab.card("limits").locator(".card__seen")
    expect(receipt).to_have_text("not yet seen")
    say(tab, "Look.")
    expect_first(receipt, "turn 1, call 1")
    tab.choose("limits", "Edit")
    tab.page.get_by_label("Value", exact=True).fill("900")
    tab.page.get_by_role("button", name="Save entry").click()
    expect(receipt).to_have_text("not yet seen")
    say(tab, "And now?")
    expect(receipt).to_contain_text("turn 2, call 1")
