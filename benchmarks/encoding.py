"""Watches which texts really reach the encoder."""

from collections.abc import Callable
from unittest import mock

from agents.context.vocabulary_files import load_encoding


class _Watched:
    """The part of an encoder that is written in Rust, with every text it is given noted."""

    def __init__(self, core: object, seen: list[str]) -> None:
        self._core = core
        self._seen = seen

    def __getattr__(self, name: str) -> Callable[..., object]:
        method: Callable[..., object] = getattr(self._core, name)

        def watch(text: str, *others: object) -> object:
            self._seen.append(text)
            return method(text, *others)

        return watch


def encoded_texts(work: Callable[[], object]) -> list[str]:
    """Return every text that is encoded for o200k_base while ``work`` runs, wherever the call comes from."""
    seen: list[str] = []
    encoding = load_encoding("o200k_base")
    core: object = encoding._core_bpe  # noqa: SLF001, the one way that all encoding takes
    with mock.patch.object(encoding, "_core_bpe", _Watched(core, seen)):
        work()
    return seen
