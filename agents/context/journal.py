"""The history of a session: everything that was said, whatever compaction took out of the context."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypedDict

from agents.context import json_values
from agents.context.ids import new_id
from agents.context.messages import InputText, MessageItem

if TYPE_CHECKING:
    from agents.context.ids import Clock
    from agents.context.json_values import JSON
    from agents.context.messages import InputItem

logger = logging.getLogger(__name__)

EntryType = Literal["user", "assistant", "tool_result", "system"]


class JournalEntry(TypedDict):
    """One line of the history.

    Attributes:
        timestamp: epoch milliseconds.
        turnIndex: 1 for everything from the first user message to the second.
    """

    timestamp: int
    type: EntryType
    item: InputItem
    turnIndex: int


class JournalQuery(TypedDict, total=False):
    """Which entries to read; all that is given must hold.

    Attributes:
        offset: how many matching entries to pass over.
        limit: how many to give at most.
        types: entry types.
        after: only entries later than this, epoch milliseconds.
        before: only entries earlier than this.
        from_turn: first turn.
        to_turn: last turn.
    """

    offset: int
    limit: int
    types: Sequence[EntryType]
    after: int
    before: int
    from_turn: int
    to_turn: int


class HistoryJournal(Protocol):
    """Where histories are kept; entries come back in the order they were appended."""

    def append(self, session_id: str, entries: Sequence[JournalEntry]) -> None:
        """Add entries at the end, all or none."""
        ...

    def read(self, session_id: str, query: JournalQuery | None = None) -> list[JournalEntry]:
        """Return the matching entries, oldest first."""
        ...

    def stream(self, session_id: str) -> Iterator[JournalEntry]:
        """Yield all entries, oldest first, without holding them all."""
        ...

    def count(self, session_id: str) -> int:
        """Return the number of entries."""
        ...

    def clear(self, session_id: str) -> None:
        """Forget the history of a session."""
        ...

    def get_location(self, session_id: str) -> str:
        """Return where the history is, for people."""
        ...


class JournalRecorder:
    """Appends what a context says; before the session has an id, or while storage fails, it is held back.

    Args:
        journal: None keeps nothing.
        types: entry types to record, None for all.
    """

    def __init__(
        self, journal: HistoryJournal | None, clock: Clock, types: Iterable[EntryType] | None = None
    ) -> None:
        self.journal = journal
        self._clock = clock
        self._types = None if types is None else frozenset(types)
        self._held: list[JournalEntry] = []
        self._known: set[str] = set()
        self._known_session: str | None = None
        self._turn_index = 0
        self.session_id: str | None = None

    @property
    def keeps_everything(self) -> bool:
        """Whether every message is in the history, so that it may leave the prompt."""
        return self.journal is not None and self._types is None

    def record(self, kind: EntryType, item: InputItem, turn_index: int) -> None:
        """Append an entry now, or hold it back; a failing storage is logged and tried again later."""
        if self.journal is None or (self._types is not None and kind not in self._types):
            return
        self._known.add(item["id"])
        self._turn_index = turn_index
        self._held.append(JournalEntry(timestamp=self._clock(), type=kind, item=item, turnIndex=turn_index))
        if self.session_id is not None:
            try:
                self.flush()
            except OSError:
                logger.exception(
                    "The history could not be written; %d entries are held back", len(self._held)
                )

    def keep(self, items: Iterable[InputItem]) -> None:
        """Record those items that the history does not hold yet: loaded ones were never recorded."""
        if self.keeps_everything:
            known = self._known_ids()
            for item in [each for each in items if each["id"] not in known]:
                self.record(_entry_type(item), item, self._turn_index)

    def note(self, value: JSON) -> None:
        """Record a value as an entry of the system."""
        if self.journal is not None:
            block = InputText(type="input_text", text=json_values.encode(value))
            item = MessageItem(
                type="message", id=f"note_{new_id(self._clock)}", role="developer", content=[block]
            )
            self.record("system", item, self._turn_index)

    def flush(self) -> None:
        """Append what was held back, in order.

        Raises:
            OSError: when the storage fails; nothing is lost.
        """
        if self.journal is not None and self.session_id is not None and self._held:
            self.journal.append(self.session_id, self._held)
            self._held = []

    def discard(self) -> None:
        """Forget what was held back: it belongs to a conversation that is gone."""
        self._held = []
        self._known = set()

    def _known_ids(self) -> set[str]:
        if self.journal is not None and self.session_id not in {None, self._known_session}:
            self._known |= {entry["item"]["id"] for entry in self.journal.stream(str(self.session_id))}
            self._known_session = self.session_id
        return self._known


def matching(entries: Iterable[JournalEntry], query: JournalQuery) -> Iterator[JournalEntry]:
    """Yield the entries a query asks for, in the order given."""
    passed = query.get("offset", 0)
    left = query.get("limit")
    for entry in entries:
        if left == 0:
            return
        if not _is_wanted(entry, query):
            continue
        if passed > 0:
            passed -= 1
            continue
        left = None if left is None else left - 1
        yield entry


def _entry_type(item: InputItem) -> EntryType:
    if item["type"] != "message" or item["role"] == "developer":
        return "system"
    if item["role"] == "assistant":
        return "assistant"
    is_result = all(block["type"] == "tool_result" for block in item["content"])
    return "tool_result" if is_result else "user"


def _is_wanted(entry: JournalEntry, query: JournalQuery) -> bool:
    turn, time = entry["turnIndex"], entry["timestamp"]
    return (
        ("types" not in query or entry["type"] in query["types"])
        and time > query.get("after", time - 1)
        and time < query.get("before", time + 1)
        and query.get("from_turn", turn) <= turn <= query.get("to_turn", turn)
    )
