"""What people ask of the survey by editing its cards."""

from dataclasses import dataclass

from agents.context.json_values import JSON
from contextsite.demo.progress import NAMED
from contextsite.demo.seen import Seen

DETAILED = "detailed"
QUICK = "quick"


@dataclass(frozen=True)
class Wishes:
    """The steering entries as they stand on the board, each with its default where it cannot be read.

    Attributes:
        mode: detailed or quick.
        unknown_mode: what stands in ``mode`` when it is neither, else empty.
        is_aborted: whether the survey shall stop.
        largest_files: how many the findings name.
        longest_lines: how many the findings name.
    """

    mode: str = DETAILED
    unknown_mode: str = ""
    is_aborted: bool = False
    largest_files: int = 5
    longest_lines: int = 3

    @property
    def is_detailed(self) -> bool:
        """Whether files are looked into and pages are small."""
        return self.mode == DETAILED


def read_wishes(seen: Seen) -> Wishes:
    """Return what the board asks for."""
    written = str(seen.board.get("mode", DETAILED)).strip()
    mode = written.lower()
    preferences = seen.value("user_preferences")
    numbers = preferences if isinstance(preferences, dict) else {}
    return Wishes(
        mode=mode if mode in {DETAILED, QUICK} else DETAILED,
        unknown_mode="" if mode in {DETAILED, QUICK} else written,
        is_aborted=_is_true(seen.value("abort")),
        largest_files=_number(numbers.get("largest_files"), Wishes.largest_files),
        longest_lines=_number(numbers.get("longest_lines"), Wishes.longest_lines),
    )


def _is_true(value: JSON) -> bool:
    # People also type True, TRUE or "true" into the card.
    return value is True or (isinstance(value, str) and value.strip().strip('"').lower() == "true")


def _number(value: JSON, default: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        return default
    return min(max(value, 1), NAMED)
