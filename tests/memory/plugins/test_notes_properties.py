"""Properties that hold after any sequence of operations on the notes."""

import json

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from agents.context.json_values import JSON
from memory.plugins.errors import InvalidEntry, StoreFull
from memory.plugins.notes import WorkingMemory
from memory.plugins.notes_keys import Tier
from memory.plugins.priorities import PRIORITIES, Priority
from tests.memory.plugins.notes_cast import StoppedClock, notes_of

MAX_BYTES = 200
MAX_ENTRIES = 6

KEYS = st.sampled_from(
    ["a", "b.c", "raw.d", "findings.a", "tool_result.s.1", "tool_result.s.2", "bad key", ""]
)
VALUES = st.one_of(
    st.text(max_size=80),
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=6,
    ),
    st.just("x" * (MAX_BYTES + 1)),
)
SCOPES = st.sampled_from([None, "session", "persistent", "plan", {"type": "task", "taskIds": ["t1", "t2"]}])
STATUS = st.sampled_from(["pending", "in_progress", "completed", "failed", "blocked"])


class NotesMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.clock = StoppedClock()
        self.notes = notes_of(max_size_bytes=MAX_BYTES, max_entries=MAX_ENTRIES, clock=self.clock)

    def protected(self) -> set[str]:
        return {entry.key for entry in self.notes.entries() if self.notes.priority_of(entry) == "critical"}

    @rule(
        key=KEYS,
        value=VALUES,
        tier=st.none() | st.sampled_from(["raw", "summary", "findings"]),
        priority=st.none() | st.sampled_from(PRIORITIES),
        pinned=st.none() | st.booleans(),
        scope=SCOPES,
    )
    def store(
        self,
        *,
        key: str,
        value: JSON,
        tier: Tier | None,
        priority: Priority | None,
        pinned: bool | None,
        scope: JSON,
    ) -> None:
        protected = self.protected()
        before = self.notes.get_state()
        revision = self.notes.revision
        try:
            outcome = self.notes.store(
                key, "d", value, tier=tier, priority=priority, pinned=pinned, scope=scope
            )
        except (InvalidEntry, StoreFull):
            assert self.notes.get_state() == before
            assert self.notes.revision == revision
            return
        kept = {entry.key for entry in self.notes.entries()}
        assert protected <= kept
        assert not protected & set(outcome.evicted)
        assert self.notes.retrieve(outcome.key) == value

    @rule(key=KEYS)
    def retrieve(self, key: str) -> None:
        assert (self.notes.find(key) is None) is (self.notes.read(key) is None)

    @rule(key=KEYS)
    def delete(self, key: str) -> None:
        existed = self.notes.has(key)
        count = self.notes.count
        assert self.notes.delete(key) is existed
        assert self.notes.count == count - existed

    @rule(count=st.integers(0, 4), by_size=st.booleans())
    def evict(self, count: int, *, by_size: bool) -> None:
        protected = self.protected()
        gone = self.notes.evict(count, "size" if by_size else "lru")
        assert len(gone) <= count
        assert not protected & set(gone)

    @rule()
    def cleanup_raw(self) -> None:
        protected = self.protected()
        assert not protected & set(self.notes.cleanup_raw()["keys"])

    @rule(states=st.none() | st.dictionaries(st.sampled_from(["t1", "t2"]), STATUS))
    def set_task_states(self, states: dict[str, str] | None) -> None:
        self.notes.set_task_states(states)

    @rule(milliseconds=st.integers(-5, 5))
    def move_clock(self, milliseconds: int) -> None:
        self.clock.now += milliseconds

    @rule(tokens=st.integers(-1, 200))
    def compact(self, tokens: int) -> None:
        stored = [(entry.key, entry.value_json) for entry in self.notes.entries()]
        before = self.notes.estimator.estimate_tokens(self.notes.format_index())
        freed = self.notes.compact(tokens)
        assert freed == before - self.notes.estimator.estimate_tokens(self.notes.format_index())
        assert freed >= 0
        assert [(entry.key, entry.value_json) for entry in self.notes.entries()] == stored

    @rule()
    def save_and_restore(self) -> None:
        state = json.loads(json.dumps(self.notes.get_state()))
        other = WorkingMemory(max_size_bytes=MAX_BYTES, max_entries=MAX_ENTRIES, clock=self.clock)
        other.store("left.over", "d", 1)
        other.restore_state(state)
        assert other.evicted_by_restore == ()
        assert other.get_state() == state
        assert other.entries() == self.notes.entries()

    @invariant()
    def the_limits_hold(self) -> None:
        entries = self.notes.entries()
        assert len(entries) <= MAX_ENTRIES
        assert self.notes.used_bytes == sum(entry.size_bytes for entry in entries) <= MAX_BYTES

    @invariant()
    def sizes_and_order_are_true(self) -> None:
        entries = self.notes.entries()
        for entry in entries:
            assert entry.size_bytes == len(entry.value_json.encode())
        assert len({entry.recency for entry in entries}) == len(entries)

    @invariant()
    def every_note_is_listed_or_counted(self) -> None:
        text = self.notes.format_index()
        lines = sum(line.startswith("- `") for line in text.splitlines())
        omitted = self.notes.count - lines
        assert (f"{omitted} more note" in text) is (omitted > 0)


NotesMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestNotes = NotesMachine.TestCase
