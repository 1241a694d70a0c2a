import itertools
from collections.abc import Callable, Iterable

from hypothesis import strategies as st

from agents.context.tokens import ApproximateTokenEstimator
from memory.plugins.whiteboard import InContextMemory, WhiteboardEntry

NOON = 1_769_798_400_000

priorities = st.sampled_from(["low", "normal", "high", "critical"])
# Letters and signs that everybody sees; a new entry's key holds no blank ones.
new_keys = st.text(
    st.characters(
        codec="utf-8",
        categories=["L", "N", "P", "S"],
        exclude_characters="\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0",
    ),
    min_size=1,
    max_size=20,
)


class CharacterEstimator(ApproximateTokenEstimator):
    """One token per character, so that a test can say what fits."""

    def estimate_tokens(self, text: str, content_type: str = "mixed") -> int:
        return len(text)


def ticking(start: int = NOON) -> Callable[[], int]:
    """A clock that is one millisecond later at every look."""
    moments = itertools.count(start)
    return lambda: next(moments)


def stopped() -> int:
    return NOON


def keys(board: InContextMemory) -> list[str]:
    return [entry.key for entry in board.entries()]


def filled(board: InContextMemory, *entries: tuple[str, str]) -> InContextMemory:
    """Write one small entry per (key, priority)."""
    for key, priority in entries:
        board.set(key, f"about {key}", "value", priority)
    return board


def picture(board: InContextMemory) -> tuple[object, ...]:
    """Everything a refused operation must leave as it was."""
    return board.entries(), board.revision, board.get_content(), board.last_evicted


def cost_of(key: str, value: str = "value", priority: str = "normal") -> int:
    """What an entry written by `filled` costs in characters."""
    board = InContextMemory(estimator=CharacterEstimator())
    board.set(key, f"about {key}", value, priority)
    return board.total_tokens


def contents(entries: Iterable[WhiteboardEntry]) -> list[tuple[str, str, str, str, bool]]:
    return [(e.key, e.description, e.value_json, e.priority, e.show_in_ui) for e in entries]
