import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from agents.models import AgentSession
from agents.watcher import Cursor, Viewer
from memory import pins
from memory.actors import Actor
from memory.board_feed import WIDEST_DELTA, BoardPart
from memory.cards import BoardView, dom_id
from memory.models import CardLayout, EntryRevision
from tests.boards import remove, write
from tests.people import Cast

pytestmark = pytest.mark.django_db

PART = BoardPart()
NOBODY_PINNED = BoardView()
SECRET = "the vault opens at 4711"


def frame_at(session: AgentSession, cursor: Cursor, view: BoardView = NOBODY_PINNED) -> Mapping[str, Any]:
    return PART.read(session, {cursor})[cursor].frame(view)


def keys(cards: Sequence[Mapping[str, Any]]) -> list[str]:
    return [card["key"] for card in cards]


def reasons(frame: Mapping[str, Any]) -> dict[str, str]:
    return {gone["key"]: gone["reason"] for gone in frame["gone"]}


def pinning(*names: str, may_act: bool = False) -> BoardView:
    return BoardView(pins=tuple(sorted(names)), may_act=may_act)


def test_a_snapshot_lists_every_card_that_the_agent_shows(session: AgentSession) -> None:
    write(session, "plan", "# Plan")
    write(session, "scratch", shown=False)
    write(session, "notes", "later")
    frame = frame_at(session, None)
    assert (frame["type"], frame["snapshot"], frame["from"], frame["to"]) == ("board", True, 0, 3)
    assert keys(frame["cards"]) == ["notes", "plan"]
    assert frame["gone"] == []
    assert not any(card["changed"] for card in frame["cards"])


def test_a_snapshot_tells_what_became_of_pinned_keys_that_left(session: AgentSession) -> None:
    write(session, "kept")
    for key in ("mine", "theirs"):
        write(session, key)
        remove(session, key)
    assert reasons(frame_at(session, None, pinning("kept", "mine", "never"))) == {"mine": "deleted"}


def test_a_board_that_was_never_written_on_gives_an_empty_snapshot(session: AgentSession) -> None:
    frame = frame_at(session, None)
    assert (frame["cards"], frame["to"]) == ([], 0)
    assert "0 of 20 entries" in frame["summary"]
    assert PART.read(session, {0}) == {}


def test_a_card_carries_its_parts_with_ids_made_from_the_key(session: AgentSession) -> None:
    key = 'a key with "quotes" <b> and / signs'
    write(session, key, "**bold**")
    (card,) = frame_at(session, None)["cards"]
    assert card["id"] == dom_id(key)
    for part in ("head", "body", "foot"):
        assert f'id="{card["id"]}-{part}"' in card[part]
    assert "<strong>bold</strong>" in card["body"]
    assert "<b>" not in card["head"]


def test_a_delta_holds_only_what_changed_since_the_cursor(session: AgentSession) -> None:
    write(session, "one")
    write(session, "two")
    write(session, "three")
    write(session, "one", "y")
    frame = frame_at(session, 2)
    assert (frame["snapshot"], frame["from"], frame["to"]) == (False, 2, 4)
    assert sorted(keys(frame["cards"])) == ["one", "three"]
    assert all(card["changed"] for card in frame["cards"])


def test_the_last_of_many_changes_of_a_key_wins(session: AgentSession) -> None:
    for number in range(5):
        write(session, "counter", number)
    (card,) = frame_at(session, 1)["cards"]
    assert ">4<" in card["body"]


def test_a_watcher_that_has_everything_gets_nothing(session: AgentSession) -> None:
    write(session, "one")
    assert PART.read(session, {1}) == {}
    assert PART.read(session, set()) == {}


def test_one_read_serves_watchers_at_different_cursors(session: AgentSession) -> None:
    for number in range(4):
        write(session, f"key {number}")
    updates = PART.read(session, {None, 1, 3, 4})
    assert set(updates) == {None, 1, 3}
    assert {update.cursor for update in updates.values()} == {4}
    assert len(updates[None].frame(NOBODY_PINNED)["cards"]) == 4
    assert len(updates[1].frame(NOBODY_PINNED)["cards"]) == 3
    assert keys(updates[3].frame(NOBODY_PINNED)["cards"]) == ["key 3"]


@pytest.mark.parametrize("cursor", [99, -1 - WIDEST_DELTA, "text"])
def test_a_cursor_that_no_delta_can_start_from_gets_a_snapshot(session: AgentSession, cursor: Cursor) -> None:
    write(session, "one")
    frame = frame_at(session, cursor)
    assert frame["snapshot"] is True
    assert keys(frame["cards"]) == ["one"]


def test_a_gap_of_the_widest_delta_is_still_a_delta(session: AgentSession) -> None:
    write(session, "one")
    for number in range(WIDEST_DELTA):
        write(session, "counter", number)
    assert frame_at(session, 1)["snapshot"] is False
    assert frame_at(session, 0)["snapshot"] is True


def test_a_deleted_key_leaves(session: AgentSession) -> None:
    write(session, "one")
    remove(session, "one")
    frame = frame_at(session, 1)
    assert frame["cards"] == []
    assert frame["gone"] == [{"key": "one", "id": dom_id("one"), "reason": "deleted"}]


def test_a_key_that_came_back_does_not_leave(session: AgentSession) -> None:
    write(session, "one")
    remove(session, "one")
    write(session, "one", "again")
    frame = frame_at(session, 1)
    assert keys(frame["cards"]) == ["one"]
    assert frame["gone"] == []


def test_an_evicted_key_leaves_and_the_dock_says_so(session: AgentSession) -> None:
    session.settings["whiteboard"]["maxEntries"] = 1
    session.save()
    write(session, "old", priority="low")
    write(session, "new")
    frame = frame_at(session, 1)
    assert reasons(frame) == {"old": "evicted"}
    assert "old" in frame["dock"]
    assert "1 of 1 entries" in frame["summary"]


def test_the_dock_is_sent_only_when_it_changed(session: AgentSession) -> None:
    write(session, "one")
    write(session, "two")
    assert frame_at(session, 1)["dock"] == ""
    assert "Nothing was evicted yet" in frame_at(session, None)["dock"]


def test_a_hidden_value_is_in_no_frame(session: AgentSession) -> None:
    write(session, "vault", SECRET, shown=False)
    write(session, "plan", "open")
    write(session, "vault", f"{SECRET}!", shown=False)
    everything = [frame_at(session, cursor) for cursor in (None, 0, 1, 2)]
    everything.append(PART.transition(session, pinning("plan"), NOBODY_PINNED))
    everything.append(PART.transition(session, pinning("vault"), NOBODY_PINNED))
    text = json.dumps(everything)
    assert SECRET not in text
    assert "4711" not in text
    assert "vault" in everything[0]["tray"]


def test_an_entry_that_the_agent_stops_showing_leaves_as_hidden(session: AgentSession) -> None:
    write(session, "plan", "secret now", shown=True)
    write(session, "plan", "secret now", shown=False)
    frame = frame_at(session, 1)
    assert frame["cards"] == []
    assert reasons(frame) == {"plan": "hidden"}
    assert "plan" in frame["tray"]
    pinned = frame_at(session, 1, pinning("plan"))
    assert keys(pinned["cards"]) == ["plan"]
    assert pinned["gone"] == []


def test_two_viewers_get_what_each_of_them_pinned(session: AgentSession) -> None:
    write(session, "a", "value of a", shown=False)
    write(session, "b", "value of b", shown=False)
    update = PART.read(session, {None})[None]
    one, two = update.frame(pinning("a")), update.frame(pinning("b"))
    assert (keys(one["cards"]), keys(two["cards"])) == (["a"], ["b"])
    assert "value of b" not in json.dumps(one)
    assert "value of a" not in json.dumps(two)


def test_a_new_pin_shows_the_card_although_the_entry_did_not_change(session: AgentSession) -> None:
    write(session, "a", "value of a", shown=False)
    frame = PART.transition(session, NOBODY_PINNED, pinning("a"))
    assert frame["type"] == "view"
    assert keys(frame["cards"]) == ["a"]
    assert "value of a" in frame["cards"][0]["body"]
    assert "Pinned by you" in frame["cards"][0]["foot"]
    assert frame["gone"] == []


def test_a_pin_taken_away_hides_what_the_agent_does_not_show(session: AgentSession) -> None:
    write(session, "mine", shown=False)
    write(session, "theirs", shown=True)
    frame = PART.transition(session, pinning("mine", "theirs"), NOBODY_PINNED)
    assert reasons(frame) == {"mine": "hidden"}
    assert keys(frame["cards"]) == ["theirs"]
    assert "Pinned by you" not in frame["cards"][0]["foot"]
    assert "mine" in frame["tray"]


def test_cards_that_look_the_same_are_not_in_a_view_frame(session: AgentSession) -> None:
    write(session, "pinned")
    write(session, "other")
    frame = PART.transition(session, NOBODY_PINNED, pinning("pinned"))
    assert keys(frame["cards"]) == ["pinned"]


def test_who_becomes_an_operator_gets_the_controls_of_every_card(session: AgentSession) -> None:
    write(session, "one")
    write(session, "two")
    frame = PART.transition(session, NOBODY_PINNED, pinning(may_act=True))
    assert sorted(keys(frame["cards"])) == ["one", "two"]
    assert all("delete-form" in card["head"] for card in frame["cards"])
    back = PART.transition(session, pinning(may_act=True), NOBODY_PINNED)
    assert not any("delete-form" in card["head"] for card in back["cards"])


def test_a_pinned_key_that_does_not_exist_yet_shows_once_it_is_written(session: AgentSession) -> None:
    view = pinning("later")
    assert frame_at(session, None, view)["cards"] == []
    write(session, "later", shown=False)
    assert keys(frame_at(session, 0, view)["cards"]) == ["later"]


def test_a_frame_says_who_changed_the_card(session: AgentSession, people: Cast) -> None:
    write(session, "by person", actor=Actor.person(people.operator))
    write(session, "by robot", actor=Actor(EntryRevision.ActorKind.TURN, "agent"))
    by = {card["key"]: card["by"] for card in frame_at(session, None)["cards"]}
    assert by == {"by person": "person", "by robot": "agent"}


def test_the_view_of_a_person_holds_their_pins_and_layout(session: AgentSession, people: Cast) -> None:
    pins.pin(people.member, session.profile, "b")
    pins.pin(people.member, session.profile, "a")
    pins.pin(people.operator, session.profile, "c")
    CardLayout.objects.create(user=people.member, profile=session.profile, key="a", size="xl")
    view = PART.view(session.pk, Viewer(people.member.pk, session.profile_id, may_act=False))
    assert view.pins == ("a", "b")
    assert [place.key for place in view.places] == ["a"]
    assert view.token != NOBODY_PINNED.token
    write(session, "a", shown=False)
    (card,) = frame_at(session, None, view)["cards"]
    assert card["size"] == "xl"


def test_a_value_of_any_kind_is_shown(session: AgentSession) -> None:
    write(session, "tree", {"a": [1, {"b": None}]})
    write(session, "broken", "```\nnever closed <script>alert(1)</script>")
    frame = frame_at(session, None)
    assert len(frame["cards"]) == 2
    assert "<script" not in json.dumps(frame)


def test_a_frame_keeps_every_character(session: AgentSession) -> None:
    write(session, "umlaut", "Grüße 👋")
    assert "Grüße 👋" in json.dumps(frame_at(session, None), ensure_ascii=False)
