"""The cast of the notes' tests: a clock that only a test moves, and notes of a known size."""

from typing import Any, cast

from agents.context.json_values import JSON
from memory.plugins.notes import WorkingMemory
from memory.plugins.notes_entry import NotesEntry

START_MS = 1_769_798_400_000


class StoppedClock:
    """Epoch milliseconds that stand still until told otherwise."""

    def __init__(self) -> None:
        self.now = START_MS

    def __call__(self) -> int:
        return self.now


def notes_of(**options: Any) -> WorkingMemory:
    """Return empty notes with a stopped clock."""
    return WorkingMemory(**{"clock": StoppedClock(), **options})


def text_of(size_bytes: int) -> str:
    """Return a text whose compact JSON has exactly that many bytes."""
    return "x" * (size_bytes - 2)


def found(notes: WorkingMemory, key: str) -> NotesEntry:
    """Return a note that must be there."""
    entry = notes.find(key)
    assert entry is not None
    return entry


def keys_of(notes: WorkingMemory) -> list[str]:
    return [entry.key for entry in notes.entries()]


def listed_keys(notes: WorkingMemory) -> list[str]:
    """Return the keys with a line in the index, in its order."""
    return [line.split("`")[1] for line in notes.format_index().splitlines() if line.startswith("- `")]


def part(result: JSON, *path: str | int) -> Any:
    """Return a part of a result in JSON, by keys and positions."""
    value: Any = result
    for step in path:
        value = cast("Any", value)[step]
    return value
