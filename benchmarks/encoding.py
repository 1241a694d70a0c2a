"""Watches which texts really reach the encoder."""

from collections.abc import Callable
from unittest import mock

import tiktoken


def encoded_texts(work: Callable[[], object]) -> list[str]:
    """Return every text that is encoded while ``work`` runs, wherever the call comes from."""
    seen: list[str] = []
    encode = tiktoken.Encoding.encode_ordinary

    def watch(encoding: tiktoken.Encoding, text: str) -> list[int]:
        seen.append(text)
        return encode(encoding, text)

    with mock.patch.object(tiktoken.Encoding, "encode_ordinary", watch):
        work()
    return seen
