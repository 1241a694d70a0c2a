"""Token vocabularies without a network: packed beside the code, checked, loaded on first use."""

import functools
import hashlib
import lzma
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tiktoken

from agents.context.errors import ContextError
from agents.context.home import home_folder

PACKED_FOLDER = Path(__file__).with_name("vocabulary")

# tiktoken looks for a file named by the SHA-1 of its download address; the second number is the SHA-256 of
# the content, which tiktoken checks too (and would answer a mismatch by downloading).
_FILES = {
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
}
_FOLDER_VARIABLE = "TIKTOKEN_CACHE_DIR"

_lock = threading.Lock()


class VocabularyDamaged(ContextError):
    """A packed vocabulary is not the published one; install the library again."""


@functools.cache
def load_encoding(name: str) -> tiktoken.Encoding:
    """Return ``cl100k_base`` or ``o200k_base``, loaded once per process (about 0.3 s and 70 MB each).

    Raises:
        VocabularyDamaged: when the packed file does not have the published content.
    """
    # The lock is for the environment; tiktoken itself loads each of them once.
    with _lock, _unpacked(name) as folder, _tiktoken_folder(folder):
        return tiktoken.get_encoding(name)


@contextmanager
def _unpacked(name: str) -> Iterator[Path]:
    """Yield a folder that holds the unpacked file; a temporary one when the user's cannot be written."""
    with tempfile.TemporaryDirectory(prefix="contextsite-") as spare:
        try:
            folder = home_folder() / "vocabulary"
            _unpack(name, folder)
        except (OSError, RuntimeError):
            folder = Path(spare)
            _unpack(name, folder)
        yield folder


def _unpack(name: str, folder: Path) -> None:
    file_name, digest = _FILES[name]
    target = folder / file_name
    if target.is_file() and hashlib.sha256(target.read_bytes()).hexdigest() == digest:
        return
    content = lzma.decompress((PACKED_FOLDER / f"{name}.tiktoken.xz").read_bytes())
    if hashlib.sha256(content).hexdigest() != digest:
        raise VocabularyDamaged(f"The packed vocabulary {name} is damaged; install the library again.")
    folder.mkdir(parents=True, exist_ok=True)
    # Several processes may do this at once: each writes its own file, the rename is atomic.
    descriptor, partial = tempfile.mkstemp(dir=folder, prefix=file_name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(partial).replace(target)
    except OSError:
        Path(partial).unlink(missing_ok=True)
        raise


@contextmanager
def _tiktoken_folder(folder: Path) -> Iterator[None]:
    before = os.environ.get(_FOLDER_VARIABLE)
    os.environ[_FOLDER_VARIABLE] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[_FOLDER_VARIABLE]
        else:
            os.environ[_FOLDER_VARIABLE] = before
