"""Calls that wait for a person or for a time: how a turn is left without a thread, and taken up again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, Final, Literal

from agents.context.json_values import JSON


class Later(Enum):
    """The answer of ``Loop.approve`` when a person was asked and has not decided yet."""

    LATER = "later"


LATER: Final[Literal[Later.LATER]] = Later.LATER


@dataclass(frozen=True)
class OpenCalls:
    """The calls of the context's last reply as an earlier run left them; calls are named by their place.

    Attributes:
        blocks: the calls, in the model's order.
        results: of those that were carried out; they are not carried out again.
        sleeping: those that wait for a time still.
        is_cut: the model had no room for all it wanted to write, so the last call may be incomplete.
    """

    blocks: Sequence[Mapping[str, Any]]
    results: Mapping[int, JSON] = field(default_factory=dict)
    sleeping: Mapping[int, datetime] = field(default_factory=dict)
    is_cut: bool = False
