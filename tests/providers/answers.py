"""What a scripted provider answers, apart from the wire format it is written in."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

MODEL = "model-of-the-test-2026-11-01"


@dataclass(frozen=True)
class Call:
    """A tool call whose arguments arrive in these pieces."""

    id: str
    name: str
    pieces: tuple[str, ...] = ("{}",)

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)


@dataclass(frozen=True)
class Answer:
    """One reply of a model; texts arrive in these pieces.

    Attributes:
        finish: in the words of the provider; empty for the usual one.
    """

    text: tuple[str, ...] = ()
    thinking: tuple[str, ...] = ()
    signature: str = ""
    calls: tuple[Call, ...] = ()
    finish: str = ""
    input_tokens: int = 50
    output_tokens: int = 7
    cached_tokens: int = 0
    cache_write_tokens: int = 0

    @property
    def full_text(self) -> str:
        return "".join(self.text)


def sse(data: Any, event: str = "") -> bytes:
    """Return one server-sent event."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return (f"event: {event}\n" if event else "").encode() + f"data: {text}\n\n".encode()


def resliced(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Yield the same bytes cut without regard to events and characters."""
    whole = b"".join(chunks)
    for start in range(0, len(whole), size):
        yield whole[start : start + size]
