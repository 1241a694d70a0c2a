"""Finished pieces come back to their places, and only there."""

from memory.rendering.fill import Draft
from memory.rendering.guard import DEFAULT_SETTINGS
from memory.rendering.sanitize import SafeHTML


def _draft(card_id: str = "card") -> Draft:
    return Draft(card_id, DEFAULT_SETTINGS)


def test_each_piece_returns_to_its_slot() -> None:
    draft = _draft()
    page = f"<p>{draft.slot(SafeHTML('one'))}</p>{draft.slot(SafeHTML('two'))}"
    assert draft.fill(page) == "<p>one</p>two"


def test_a_piece_is_taken_as_it_is() -> None:
    draft = _draft()
    assert draft.fill(draft.slot(SafeHTML(r"\1 \g<0> &amp;"))) == r"\1 \g<0> &amp;"


def test_a_slot_of_another_render_is_left_alone() -> None:
    foreign = _draft().slot(SafeHTML("x"))
    assert _draft().fill(foreign) == foreign


def test_nonces_differ_between_renders_of_one_card() -> None:
    assert _draft().nonce != _draft().nonce


def test_anchors_are_stable_for_a_card_and_differ_between_cards() -> None:
    assert _draft("a").anchor == _draft("a").anchor != _draft("b").anchor
    assert len(_draft("\ud800").anchor) == 9
