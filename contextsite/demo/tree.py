"""A folder as the demo tools see it: its regular files in a fixed order, and nothing outside it."""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Left out, at any depth, when the folder is the project's own: version control, environments, data and
# everything generated. Their files would swamp the survey, and `var` holds the database and passwords.
SKIPPED_FOLDERS = (
    ".git",
    ".hypothesis",
    ".import_linter_cache",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".venv",
    "__pycache__",
    "build",
    "node_modules",
    "var",
)

_ESCAPE = re.compile(rb"\\(\\|x[0-9a-f]{2})")
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
# Without O_NONBLOCK, opening a named pipe would wait for a writer.
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


class PathRefused(ValueError):
    """A path cannot be read; the message says why and what to do instead."""


@dataclass(frozen=True)
class File:
    """One regular file: its path below the folder, as bytes, and its size in bytes."""

    path: bytes
    size: int


@dataclass(frozen=True)
class Problem:
    """A folder or file that could not be read, and the reason in words."""

    path: bytes
    reason: str


def path_text(path: bytes) -> str:
    r"""Return the path as text for JSON: bytes that are not UTF-8 as ``\xff``, backslashes doubled."""
    return path.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")


def path_bytes(text: str) -> bytes:
    """Return the path that `path_text` wrote; a backslash that starts no escape stands for itself."""
    return _ESCAPE.sub(_unescape, text.encode("utf-8", "replace"))


def _unescape(match: re.Match[bytes]) -> bytes:
    found = match.group(1)
    return found if found == b"\\" else bytes([int(found[1:], 16)])


@dataclass(frozen=True)
class Tree:
    """The regular files below a folder; symbolic links are neither followed nor counted.

    Attributes:
        root: the folder.
        skipped: names of folders that are left out at any depth.
    """

    root: Path
    skipped: tuple[str, ...] = ()

    def find_command(self) -> str:
        """Return the command that lists the same files, to be run inside the folder."""
        if not self.skipped:
            return "find . -type f"
        names = " -o ".join(f"-name {name}" for name in self.skipped)
        return rf"find . -type d \( {names} \) -prune -o -type f -print"

    def walk(self, after: bytes = b"") -> Iterator[File | Problem]:
        """Yield files and unreadable folders in byte order of their paths, those behind ``after`` only."""
        pending: list[Iterator[tuple[bytes, os.DirEntry[bytes] | None]]] = [iter([(b"", None)])]
        while pending:
            step = next(pending[-1], None)
            if step is None:
                pending.pop()
                continue
            path, entry = step
            if entry is None:
                try:
                    pending.append(iter(self._children(path)))
                except OSError as error:
                    yield Problem(path.rstrip(b"/") or b".", reason_of(error))
            elif path > after:
                size = _size_of(entry)
                if size is not None:
                    yield File(path, size)

    def _children(self, folder: bytes) -> list[tuple[bytes, os.DirEntry[bytes] | None]]:
        # A folder sorts as its name with a slash, which is where its files stand in the order of whole paths.
        found: list[tuple[bytes, os.DirEntry[bytes] | None]] = []
        with os.scandir(os.path.join(os.fsencode(self.root), folder)) as entries:  # noqa: PTH118 -- bytes
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if os.fsdecode(entry.name) not in self.skipped:
                        found.append((folder + entry.name + b"/", None))
                elif entry.is_file(follow_symlinks=False):
                    found.append((folder + entry.name, entry))
        return sorted(found, key=lambda each: each[0])

    def open(self, path: bytes) -> int:
        """Return a descriptor of a regular file below the folder; the caller closes it.

        Every folder on the way is opened without following links, so that no link, not even one made
        meanwhile, leads outside.

        Raises:
            PathRefused: for a path that leaves the folder, is skipped, or is no readable regular file.
        """
        *folders, name = self._parts(path)
        try:
            place = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY)
            for folder in folders:
                place = _step(folder, place)
            try:
                file = os.open(name, _OPEN_FILE, dir_fd=place)
            finally:
                os.close(place)
        except OSError as error:
            raise PathRefused(
                f"{path_text(path)}: {reason_of(error)}; take a path from list_files."
            ) from None
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            raise PathRefused(f"{path_text(path)} is no regular file; take a path from list_files.")
        return file

    def _parts(self, path: bytes) -> list[bytes]:
        parts = [part for part in path.split(b"/") if part not in {b"", b"."}]
        if path.startswith(b"/") or b".." in parts:
            raise PathRefused(
                f"{path_text(path)} leaves the folder; use a path relative to it, without '..'."
            )
        if not parts or b"\x00" in path:
            raise PathRefused("The path names no file; take one from list_files.")
        for part in parts[:-1]:
            if os.fsdecode(part) in self.skipped:
                raise PathRefused(
                    f"{os.fsdecode(part)} is left out of the survey; take a path from list_files."
                )
        return parts


def _step(folder: bytes, place: int) -> int:
    try:
        return os.open(folder, _OPEN_FOLDER, dir_fd=place)
    finally:
        os.close(place)


def _size_of(entry: os.DirEntry[bytes]) -> int | None:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except FileNotFoundError:
        # Deleted since its folder was read: it is not there any more.
        return None
    except OSError:
        # There, as find says too, but it will not open either; whoever counts it reports that.
        return 0


def reason_of(error: OSError) -> str:
    """Return the system's words for the error, without the path."""
    return (error.strerror or type(error).__name__).lower()
