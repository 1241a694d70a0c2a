from types import SimpleNamespace
from typing import Any

import pytest
from django.urls import reverse

from memory.rendering.cards import render_card
from tests.templates.markup import Element, rendered
from tests.templates.samples import HOSTILE, SESSION_ID, card, eviction, hidden, summary

CARD = "card-0123456789ab"


def whole(shown: SimpleNamespace, *, may_act: bool = True) -> Element:
    return rendered("memory/_card.html", card=shown, session_id=SESSION_ID, may_act=may_act)


def head(shown: SimpleNamespace, *, may_act: bool = True) -> Element:
    return rendered("memory/_card_head.html", card=shown, session_id=SESSION_ID, may_act=may_act)


def test_a_card_has_the_ids_that_frames_address() -> None:
    page = whole(card())
    assert page.one("article").attributes["id"] == CARD
    assert page.ids() == [CARD, f"{CARD}-head", f"{CARD}-key", f"{CARD}-body", f"{CARD}-foot", f"{CARD}-seen"]
    assert page.one("article").attributes["aria-labelledby"] == f"{CARD}-key"


@pytest.mark.parametrize("part", ["head", "body", "foot"])
def test_a_part_alone_is_what_it_is_inside_its_card(part: str) -> None:
    alone = rendered(f"memory/_card_{part}.html", card=card(), session_id=SESSION_ID, may_act=True)
    assert whole(card()).one(id=f"{CARD}-{part}") == alone.one(id=f"{CARD}-{part}")


def test_a_part_is_exactly_one_element() -> None:
    for part in ("head", "body", "foot"):
        alone = rendered(f"memory/_card_{part}.html", card=card(), session_id=SESSION_ID, may_act=True)
        assert len(alone.children) == 1


def test_a_rendered_value_is_printed_as_it_is() -> None:
    body = render_card('"**bold** <b>not</b>"', CARD)
    shown = whole(card(body=body)).one(id=f"{CARD}-body")
    assert shown.one("strong").text == "bold"
    assert not list(shown.all("b"))
    assert shown.text == "bold <b>not</b>"


def test_a_value_that_nobody_sanitized_is_escaped() -> None:
    shown = whole(card(body=HOSTILE)).one(id=f"{CARD}-body")
    assert not list(shown.all("script"))


@pytest.mark.parametrize("field", ["key", "description", "changed_by"])
def test_hostile_text_stays_text(field: str) -> None:
    page = whole(card(**{field: HOSTILE}))
    assert not list(page.all("script"))
    assert "<script>alert(1)</script>&{{ 7 }}" in page.text
    assert len(list(page.all("article"))) == 1


def test_hostile_keys_reach_the_server_unchanged() -> None:
    page = head(card(key=HOSTILE))
    assert page.one("button", form="pin-form").attributes["value"] == HOSTILE
    assert page.one("button", form="delete-form").attributes["value"] == HOSTILE


def test_a_key_is_one_parameter_of_its_links() -> None:
    links = head(card(key="a&b=c d/é")).all("a")
    names = ("history", "entry-source", "entry-source", "history", "entry-edit")
    for link, name in zip(links, names, strict=True):
        address = f"{reverse(name, args=[SESSION_ID])}?key=a%26b%3Dc%20d%2F%C3%A9"
        assert link.attributes["href"] in {address, f"{address}&as=json"}


@pytest.mark.parametrize(("pinned", "name", "pressed"), [(True, "unpin", "true"), (False, "pin", "false")])
def test_the_pin_button_does_the_opposite_of_what_is(pinned: bool, name: str, pressed: str) -> None:
    button = head(card(pinned=pinned), may_act=False).one("button", form="pin-form")
    assert button.attributes["type"] == "submit"
    assert button.attributes["name"] == name
    assert button.attributes["aria-pressed"] == pressed


def test_only_operators_get_edit_and_delete() -> None:
    assert len(list(head(card()).all("button", form="delete-form"))) == 1
    member = head(card(), may_act=False)
    assert not list(member.all("button", form="delete-form"))
    assert not list(member.all("a", href=reverse("entry-edit", args=[SESSION_ID]) + "?key=progress"))


def test_everybody_gets_the_source() -> None:
    address = reverse("entry-source", args=[SESSION_ID])
    assert len(list(head(card(), may_act=False).all("a", href=f"{address}?key=progress"))) == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "Shown by agent"),
        ({"pinned": True, "show_in_ui": False}, "Pinned by you"),
        ({"pinned": True}, "Pinned by you, also shown by agent"),
        ({"pinned": True, "gone": "evicted"}, "Evicted"),
        ({"gone": "deleted"}, "Deleted"),
    ],
)
def test_the_foot_says_who_shows_the_card(changes: dict[str, Any], words: str) -> None:
    foot = rendered("memory/_card_foot.html", card=card(**changes))
    assert next(element for element in foot.all("span") if "origin" in element.classes).text == words


def test_the_foot_names_a_person_who_changed_the_card_but_not_the_agent() -> None:
    agent = rendered("memory/_card_foot.html", card=card())
    person = rendered("memory/_card_foot.html", card=card(changed_by="Ana Ruiz"))
    assert "v15 not yet seen 1,412" in agent.text.replace("\xa0", " ")
    assert "v15 by Ana Ruiz" in person.text


def test_the_foot_carries_the_time_for_the_age_ticker() -> None:
    time = rendered("memory/_card_foot.html", card=card()).one("time")
    assert time.attributes["datetime"] == "2026-05-06T12:00:00+00:00"
    assert "data-age" in time.attributes
    assert time.text == "3 s ago"


def test_a_card_that_is_gone_is_marked_for_style_and_script() -> None:
    page = whole(card(gone="evicted"))
    assert "is-gone" in page.one("article").classes
    assert page.one(id=f"{CARD}-foot").attributes["data-gone"] == "evicted"
    assert "data-gone" not in whole(card()).one(id=f"{CARD}-foot").attributes


@pytest.mark.parametrize("priority", ["low", "normal", "high", "critical"])
def test_priority_is_a_word_beside_its_shape(priority: str) -> None:
    page = rendered("memory/_priority.html", priority=priority)
    assert page.text == f"{priority.capitalize()} priority"
    assert page.one("use").attributes["href"] == f"#p-{priority}"


def test_the_tray_names_entries_and_never_shows_their_values() -> None:
    page = rendered("memory/_tray.html", tray=[hidden(), hidden(key=HOSTILE, description=HOSTILE)])
    assert "2 entries" in page.text
    assert not list(page.all("script"))
    assert [button.attributes["value"] for button in page.all("button", name="pin")] == ["cursor", HOSTILE]


def test_an_empty_tray_keeps_its_place_in_the_page_unseen() -> None:
    page = rendered("memory/_tray.html", tray=[])
    assert "hidden" in page.one(id="tray").attributes
    assert "hidden" not in rendered("memory/_tray.html", tray=[hidden()]).one(id="tray").attributes


def test_the_summary_says_how_full_the_board_is() -> None:
    page = rendered("memory/_board_summary.html", summary=summary())
    assert page.text == "13 of 20 entries, 2,412 of 40,000 tokens"
    assert page.one("meter").attributes["max"] == "40000"
    assert page.one("meter").attributes["value"] == "2412"


def test_a_board_without_limits_shows_counts_alone() -> None:
    page = rendered("memory/_board_summary.html", summary=summary(max_entries=0, max_tokens=0))
    assert page.text == "13 entries, 2,412 tokens"
    assert not list(page.all("meter"))


def test_the_dock_line_tells_the_last_eviction_and_escapes_its_key() -> None:
    page = rendered("memory/_dock_line.html", dock=eviction(key=HOSTILE), session_id=SESSION_ID)
    assert page.text.startswith("Evicted 1 min ago:")
    assert page.text.endswith("low, 1,204 tokens View last version")
    assert not list(page.all("script"))


def test_the_dock_line_is_there_before_anything_was_evicted() -> None:
    assert rendered("memory/_dock_line.html", dock=None).one(id="dock-line").text == "Nothing was evicted yet"
