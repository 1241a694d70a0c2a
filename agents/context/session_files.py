"""File names and atomic writes for sessions kept in a folder."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from pathlib import Path
from urllib.parse import quote

from agents.context.errors import InvalidOption, StorageUnusable

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MAX_CHARACTERS = 150


def file_name(name: str) -> str:
    """Return a file name for any id: a plain id as it is, another one escaped, a very long one by its digest.

    Nothing in an id can leave the folder, hide the file, or meet the name of another id.
    """
    if not isinstance(name, str) or not name:
        raise InvalidOption(f"An id is a text that is not empty, not {name!r:.40}.")
    escaped = (
        name
        if _PLAIN.fullmatch(name)
        else "%" + quote(name, safe="", errors="surrogatepass").replace(".", "%2E")
    )
    if len(escaped) <= _MAX_CHARACTERS:
        return escaped
    return f"%{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()}"


def write_atomically(path: Path, text: str) -> None:
    """Write the whole file or nothing; writers at the same time do not meet, the last one wins.

    Raises:
        StorageUnusable: the folder cannot be written to.
    """
    try:
        _write(path, text)
    except OSError as reason:
        raise StorageUnusable(path.parent, reason.strerror or reason) from reason


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
