import json
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User

from agents import leases
from agents.leases import LeaseLost
from agents.models import AgentSession, Turn
from agents.sessions import submit_turn
from memory.actors import Actor
from memory.bindings import board_at, change_board, open_board, whiteboard_of
from memory.models import Entry, EntryRevision, Store
from memory.plugins.errors import InvalidEntry
from memory.plugins.whiteboard import InContextMemory, WhiteboardFull
from memory.unit_of_work import EntryConflict, RevisionSeen, VersionSeen
from tests.rows import make_person, make_profile, make_session

pytestmark = pytest.mark.django_db

Action = EntryRevision.Action
ROBOT = Actor.client("robot")


@dataclass
class Board:
    session: AgentSession
    user: User

    @property
    def store(self) -> Store:
        return whiteboard_of(self.session.pk)

    def set(self, key: str, value: object = "x", priority: str | None = None, **more: Any) -> None:
        show = more.pop("show_in_ui", None)
        change_board(
            self.session.pk,
            lambda board: board.set(key, f"about {key}", value, priority, show),
            actor=more.pop("actor", ROBOT),
            **more,
        )

    def do(self, action: Action, apply: Any, **more: Any) -> Any:
        return change_board(self.session.pk, apply, actor=ROBOT, action=action, **more).result

    def keys(self) -> list[str]:
        return list(self.store.entries.order_by("position").values_list("key", flat=True))

    def history(self) -> list[tuple[int, str, str]]:
        rows = self.store.revisions.order_by("revision", "key")
        return list(rows.values_list("revision", "key", "action"))


@pytest.fixture
def board() -> Board:
    return Board(make_session(), make_person("ana"))


def test_a_set_writes_entry_history_and_revision(board: Board) -> None:
    board.set("state", {"step": 1}, "high")
    entry = board.store.entries.get()
    assert (entry.key, entry.value, entry.version, entry.revision) == ("state", '{"step":1}', 1, 1)
    assert entry.attributes == {"priority": "high", "showInUI": False}
    assert entry.size_bytes == len('{"step":1}')
    assert entry.changed_by == "robot"
    assert board.history() == [(1, "state", "set")]
    assert board.store.revision == 1


def test_a_set_raises_the_session_revision_and_counts_entries(board: Board) -> None:
    board.set("a")
    board.set("b")
    board.session.refresh_from_db()
    assert (board.session.revision, board.session.entry_count) == (2, 2)
    assert board.session.conversation_revision == 0


def test_key_order_and_number_types_of_a_value_survive(board: Board) -> None:
    value = {"b": 1.0, "a": -0.0, "aa": 1e22, "c": [True, None, 2**53 - 1]}
    board.set("exact", value)
    assert board.store.entries.get().value == json.dumps(value, separators=(",", ":"))
    assert repr(open_board(board.session).get("exact")) == repr(value)


def test_an_equal_set_moves_only_recency(board: Board) -> None:
    board.set("a", 1)
    board.set("b", 2)
    before = board.store.entries.get(key="a")
    board.set("a", 1)
    after = board.store.entries.get(key="a")
    assert after.recency > before.recency
    assert (after.version, after.revision, after.updated_at) == (1, 1, before.updated_at)
    assert board.store.revision == 2
    assert board.store.revisions.count() == 2


def test_an_equal_set_protects_the_key_from_eviction(board: Board) -> None:
    small = make_session(make_profile("small", whiteboard_max_entries=2))
    limited = Board(small, board.user)
    limited.set("old", 1)
    limited.set("young", 2)
    limited.set("old", 1)
    limited.set("newest", 3)
    assert limited.keys() == ["old", "newest"]


def test_the_eviction_example_of_the_mission_holds_in_rows() -> None:
    limited = Board(make_session(make_profile(whiteboard_max_entries=3)), make_person("ana"))
    for key, priority in (
        ("critical1", "critical"),
        ("high1", "high"),
        ("normal1", "normal"),
        ("low1", "low"),
    ):
        limited.set(key, "value", priority)
    assert limited.keys() == ["critical1", "high1", "low1"]
    assert limited.history()[-2:] == [(4, "low1", "set"), (4, "normal1", "evict")]


def test_overwriting_keeps_the_place_and_counts_versions(board: Board) -> None:
    for key in ("a", "b", "c"):
        board.set(key, 1)
    board.set("a", 2)
    assert board.keys() == ["a", "b", "c"]
    assert board.store.entries.get(key="a").version == 2


def test_a_deleted_key_that_comes_back_goes_on_counting_versions(board: Board) -> None:
    board.set("a", 1)
    board.do(Action.DELETE, lambda b: b.delete("a"))
    board.set("a", 1)
    assert board.store.entries.get(key="a").version == 3


def test_clear_writes_one_row_per_key_in_one_revision(board: Board) -> None:
    board.set("a")
    board.set("b")
    board.do(Action.CLEAR, lambda b: b.clear())
    assert board.keys() == []
    assert board.history()[-2:] == [(3, "a", "clear"), (3, "b", "clear")]


def test_clearing_an_empty_board_changes_no_revision(board: Board) -> None:
    board.do(Action.CLEAR, lambda b: b.clear())
    assert board.store.revision == 0


def test_compaction_is_named_in_the_history(board: Board) -> None:
    board.set("a", "word " * 50, "low")
    freed = board.do(Action.COMPACT, lambda b: b.compact(10))
    assert freed > 10
    assert board.history()[-1] == (2, "a", "compact")


def test_restore_replaces_and_says_so(board: Board) -> None:
    board.set("a", 1)
    board.set("b", 2)
    saved = {
        "entries": [{"key": "a", "description": "about a", "value": 7, "priority": "low", "updatedAt": 5}]
    }
    board.do(Action.RESTORE, lambda b: b.restore_state(saved))
    assert board.keys() == ["a"]
    assert board.store.entries.get().updated_at == 5
    assert board.history()[-2:] == [(3, "a", "restore"), (3, "b", "evict")]


def test_a_refused_write_leaves_every_row_as_it_was(board: Board) -> None:
    board.set("a", 1)
    rows = list(Entry.objects.values())
    with pytest.raises(InvalidEntry):
        board.set("k" * 200)
    with pytest.raises(InvalidEntry):
        board.set("nan", float("nan"))
    with pytest.raises(WhiteboardFull):
        board.set("huge", "word " * 100_000)
    assert list(Entry.objects.values()) == rows
    assert board.store.revision == 1


def test_a_fault_inside_apply_writes_nothing(board: Board) -> None:
    def half_done(plugin: InContextMemory) -> None:
        plugin.set("a", "half", 1)
        raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        board.do(Action.SET, half_done)
    assert board.keys() == []
    assert board.store.revision == 0


def test_a_person_with_the_current_version_may_write(board: Board) -> None:
    board.set("mode", "quick")
    board.set("mode", "detailed", actor=Actor.person(board.user), expect=VersionSeen("mode", 1))
    revision = board.store.revisions.get(revision=2)
    assert (revision.actor_kind, revision.actor_name, revision.user) == ("person", "ana", board.user)


def test_a_person_with_an_old_version_gets_the_current_entry(board: Board) -> None:
    board.set("mode", "quick")
    board.set("mode", "slow")
    with pytest.raises(EntryConflict) as caught:
        board.set("mode", "detailed", expect=VersionSeen("mode", 1))
    assert caught.value.current
    assert caught.value.current.value == '"slow"'
    assert board.store.entries.get().value == '"slow"'


def test_a_new_key_that_exists_already_is_a_conflict(board: Board) -> None:
    board.set("mode", "quick")
    with pytest.raises(EntryConflict):
        board.set("mode", "detailed", expect=VersionSeen("mode", 0))


def test_an_edit_of_a_deleted_key_is_a_conflict_without_current_entry(board: Board) -> None:
    board.set("mode", "quick")
    board.do(Action.DELETE, lambda b: b.delete("mode"))
    with pytest.raises(EntryConflict) as caught:
        board.set("mode", "detailed", expect=VersionSeen("mode", 1))
    assert caught.value.current is None


@pytest.fixture
def turn(board: Board) -> Turn:
    return submit_turn(board.session, "go", board.user)


def test_a_turn_may_write_what_nobody_else_changed_since_it_looked(board: Board, turn: Turn) -> None:
    fence = leases.claim(board.session.pk, "worker")
    assert fence
    actor = Actor.turn(turn, fence)
    board.set("a", 1)
    seen = board.store.revision
    board.set("other", 1)
    board.set("a", 2, actor=actor, expect=RevisionSeen("a", seen, turn.pk))
    board.set("a", 3, actor=actor, expect=RevisionSeen("a", seen, turn.pk))
    assert board.store.entries.get(key="a").value == "3"
    assert board.store.entries.get(key="a").changed_by == "agent"


def test_a_turn_is_refused_a_key_that_a_person_changed_after_it_looked(board: Board, turn: Turn) -> None:
    board.set("a", 1)
    seen = board.store.revision
    board.set("a", 2, actor=Actor.person(board.user))
    with pytest.raises(EntryConflict):
        board.set("a", 3, expect=RevisionSeen("a", seen, turn.pk))
    assert board.store.entries.get(key="a").value == "2"


def test_a_turn_is_refused_a_key_that_a_person_deleted_after_it_looked(board: Board, turn: Turn) -> None:
    board.set("a", 1)
    seen = board.store.revision
    board.do(Action.DELETE, lambda b: b.delete("a"))
    with pytest.raises(EntryConflict) as caught:
        board.set("a", 3, expect=RevisionSeen("a", seen, turn.pk))
    assert caught.value.current is None


def test_a_turn_without_its_lease_writes_nothing(board: Board, turn: Turn) -> None:
    fence = leases.claim(board.session.pk, "worker")
    assert fence
    leases.release(board.session.pk, fence)
    leases.claim(board.session.pk, "other worker")
    with pytest.raises(LeaseLost):
        board.set("a", 1, actor=Actor.turn(turn, fence))
    assert board.keys() == []


def test_a_session_has_one_whiteboard(board: Board) -> None:
    assert whiteboard_of(board.session.pk) == whiteboard_of(board.session.pk)


def test_replay_gives_the_board_at_every_revision(board: Board) -> None:
    seen: list[list[Any]] = [[]]
    for step in (
        lambda: board.set("a", 1, "low", show_in_ui=True),
        lambda: board.set("b", {"x": [1, 2]}, "critical"),
        lambda: board.set("a", 2),
        lambda: board.do(Action.DELETE, lambda b: b.delete("a")),
        lambda: board.set("a", 3),
        lambda: board.do(Action.CLEAR, lambda b: b.clear()),
        lambda: board.set("c", None),
    ):
        step()
        seen.append(list(open_board(board.session).get_contents().values()))
    for revision, contents in enumerate(seen):
        assert list(board_at(board.session, revision).get_contents().values()) == contents
