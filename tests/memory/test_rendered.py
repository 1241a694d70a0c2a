from dataclasses import dataclass, field
from uuid import UUID

import pytest

from memory import rendered
from memory.rendered import RenderedTexts, growing_text, message_html, value_html
from memory.rendering.cards import CardHTML
from memory.rendering.pictures import Picture, PictureSlot
from memory.rendering.sanitize import SafeHTML

SESSION = UUID(int=1)


@dataclass
class Renderer:
    """Makes HTML of a given length and counts how often it was asked."""

    length: int = 10
    pictures: tuple[PictureSlot, ...] = ()
    asked: list[tuple[str, str]] = field(default_factory=list)

    def __call__(self, text: str, dom_id: str) -> CardHTML:
        self.asked.append((text, dom_id))
        return CardHTML(SafeHTML(text[:1] * self.length), pictures=self.pictures)


def test_a_text_is_rendered_once() -> None:
    texts, renderer = RenderedTexts(), Renderer()
    one = texts.get(renderer, "value", "a", "card-1")
    assert texts.get(renderer, "value", "a", "card-1") is one
    assert len(renderer.asked) == 1


@pytest.mark.parametrize(
    ("kind", "text", "dom_id"),
    [("value", "b", "card-1"), ("value", "a", "card-2"), ("message", "a", "card-1")],
)
def test_another_text_place_or_kind_is_rendered_for_itself(kind: str, text: str, dom_id: str) -> None:
    texts, renderer = RenderedTexts(), Renderer()
    texts.get(renderer, "value", "a", "card-1")
    texts.get(renderer, kind, text, dom_id)
    assert len(renderer.asked) == 2


def test_a_new_pipeline_renders_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, renderer = RenderedTexts(), Renderer()
    texts.get(renderer, "value", "a", "card-1")
    monkeypatch.setattr(rendered, "PIPELINE_VERSION", -1)
    texts.get(renderer, "value", "a", "card-1")
    assert len(renderer.asked) == 2


def test_the_least_recently_used_leave_when_memory_is_full() -> None:
    texts, renderer = RenderedTexts(most_characters=20), Renderer(length=10)
    for text in ("a", "b", "a", "c", "a", "b"):
        texts.get(renderer, "value", text, "card-1")
    assert [text for text, _ in renderer.asked] == ["a", "b", "c", "b"]


def test_a_text_larger_than_the_memory_is_rendered_all_the_same() -> None:
    texts, renderer = RenderedTexts(most_characters=5), Renderer(length=10)
    assert len(texts.get(renderer, "value", "a", "card-1").html) == 10
    assert len(texts.get(renderer, "value", "a", "card-1").html) == 10
    assert len(renderer.asked) == 2


def test_pictures_take_room_too() -> None:
    slot = PictureSlot("mark", "words", Picture("key", b"x" * 15, 1, 1))
    texts, renderer = RenderedTexts(most_characters=40), Renderer(10, (slot, PictureSlot("m", "w", path="a")))
    for text in ("a", "b", "a"):
        texts.get(renderer, "value", text, "card-1")
    assert [text for text, _ in renderer.asked] == ["a", "b", "a"]


def test_two_threads_that_render_the_same_text_keep_it_once() -> None:
    texts = RenderedTexts(most_characters=15)
    renderer = Renderer(length=10)

    def slow(text: str, dom_id: str) -> CardHTML:
        # Meanwhile another thread finishes the same text.
        texts.get(renderer, "value", "a", "card-1")
        return renderer(text, dom_id)

    texts.get(slow, "value", "a", "card-1")
    asked = len(renderer.asked)
    texts.get(renderer, "value", "a", "card-1")
    assert len(renderer.asked) == asked


def test_a_text_that_misses_its_chances_gets_them_ever_less_often() -> None:
    now = [0.0]
    texts, asked = RenderedTexts(clock=lambda: now[0]), list[float]()

    def fail(text: str, dom_id: str) -> CardHTML:
        asked.append(now[0])
        return CardHTML(SafeHTML(text), lasting=False)

    for now[0] in (0.0, 60.0, 61.0, 500.0, 541.0, 542.0, 4_000.0, 4_400.0):
        texts.get(fail, "value", "a", "card-1")
    assert asked == [0.0, 61.0, 542.0, 4_400.0]


def test_a_text_that_took_its_chance_is_kept() -> None:
    now = [0.0]
    texts, replies = RenderedTexts(clock=lambda: now[0]), [False, True]

    def render(text: str, dom_id: str) -> CardHTML:
        return CardHTML(SafeHTML(text), lasting=replies.pop(0))

    for now[0] in (0.0, 61.0, 10_000_000.0):
        texts.get(render, "value", "a", "card-1")
    assert replies == []


def test_values_and_messages_go_through_the_render_process() -> None:
    assert "<strong>bold</strong>" in value_html('"**bold**"', "card-1", SESSION).html
    assert "<em>text</em>" in message_html("some *text*", "message-1", SESSION).html
    assert "<script" not in message_html("<script>alert(1)</script>", "message-2", SESSION).html


def test_finished_blocks_of_a_growing_text() -> None:
    text = growing_text()
    assert text.add("one\n\ntwo\n", 0) == ["one\n\n"]
