from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from agents import bus
from memory import layouts
from memory.board import board_page, shown_keys
from memory.models import CardLayout
from tests.boards import write
from tests.people import Cast, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def board(people: Cast) -> None:
    for key in ("a", "b", "c"):
        write(people.session, key, "x")
    layouts.arrange(people.member, people.profile, ["a", "b", "c"])


def post(people: Cast, fields: dict[str, Any], user: User | None = None) -> Any:
    client = signed_in(user or people.member)
    address = reverse("layout", args=[people.session.pk])
    return client.post(address, fields, headers={"accept": "application/json"})


def cards(people: Cast, user: User) -> dict[str, str]:
    return {card.key: card.size for card in board_page(people.session, user).cards}


def test_a_stranger_gets_404(people: Cast) -> None:
    assert post(people, {"up": "a"}, people.stranger).status_code == 404


def test_cards_move_up_and_down_and_stop_at_the_ends(people: Cast) -> None:
    for name, key, order in (
        ("down", "a", ["b", "a", "c"]),
        ("up", "c", ["b", "c", "a"]),
        ("up", "b", ["b", "c", "a"]),
        ("down", "a", ["b", "c", "a"]),
    ):
        assert post(people, {name: key}).status_code == 200
        assert shown_keys(people.session, people.member) == order


def test_a_whole_order_is_taken_as_posted(people: Cast) -> None:
    assert post(people, {"order": ["c", "a", "b"]}).status_code == 200
    assert shown_keys(people.session, people.member) == ["c", "a", "b"]


def test_cards_of_other_boards_keep_their_order_behind(people: Cast) -> None:
    layouts.arrange(people.member, people.profile, ["x", "y"])
    layouts.arrange(people.member, people.profile, ["b", "a"])
    places = CardLayout.objects.filter(user=people.member).order_by("position", "pk")
    assert list(places.values_list("key", flat=True))[:4] == ["b", "a", "x", "y"]


def test_a_height_is_kept_and_given_back(people: Cast) -> None:
    post(people, {"size-xl": "a"})
    assert cards(people, people.member)["a"] == "xl"
    post(people, {"size-auto": "a"})
    assert cards(people, people.member)["a"] == "xs"


def test_cards_fold_and_open_alone_and_together(people: Cast) -> None:
    post(people, {"size-l": "b"})
    post(people, {"collapse": "b"})
    assert cards(people, people.member) == {"a": "xs", "b": "c", "c": "xs"}
    post(people, {"expand": "b"})
    assert cards(people, people.member)["b"] == "l"
    post(people, {"collapse-all": "1"})
    assert set(cards(people, people.member).values()) == {"c"}
    post(people, {"expand-all": "1"})
    assert cards(people, people.member) == {"a": "xs", "b": "l", "c": "xs"}


def test_a_layout_is_forgotten(people: Cast) -> None:
    post(people, {"forget": "1"})
    assert not CardLayout.objects.filter(user=people.member).exists()


def test_everybody_has_a_layout_of_their_own(people: Cast) -> None:
    before = cards(people, people.operator)
    post(people, {"order": ["c", "b", "a"]})
    post(people, {"collapse": "a"})
    assert cards(people, people.operator) == before


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"up": "gone"},
        {"up": "a", "down": "b"},
        {"size-huge": "a"},
        {"collapse": ""},
        {"collapse": "x" * 129},
        {"collapse": "two\nlines"},
        {"order": ["a", "a"]},
        {"order": [str(number) for number in range(501)]},
    ],
)
def test_what_is_no_layout_is_refused_with_a_reason(people: Cast, fields: dict[str, Any]) -> None:
    answer = post(people, fields)
    assert answer.status_code == 400
    assert answer.json()["error"].endswith(".")
    assert shown_keys(people.session, people.member) == ["a", "b", "c"]


def test_an_unknown_height_is_refused(people: Cast) -> None:
    with pytest.raises(layouts.InvalidLayout):
        layouts.resize(people.member, people.profile, "a", "huge")


def test_the_persons_other_pages_are_told(
    people: Cast, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(bus, "poke_viewer", lambda *who: told.append(who))
    with django_capture_on_commit_callbacks(execute=True):
        post(people, {"collapse": "a"})
    assert told == [(people.member.pk, people.profile.pk)]


def test_a_form_without_scripts_leads_back(people: Cast) -> None:
    client = signed_in(people.member)
    back = reverse("session", args=[people.session.pk])
    assert (
        client.post(reverse("layout", args=[people.session.pk]), {"down": "a", "next": back})["Location"]
        == back
    )
