"""A folder that nothing leads out of: paths are opened part by part, and no link is ever followed."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

MOST_FILE_BYTES = 1_000_000
MOST_TOTAL_BYTES = 50_000_000
MOST_FILES = 1000
MOST_DEPTH = 8
MOST_NAME_BYTES = 120

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A pipe must not keep the reader waiting.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_TEMPORARY = ".writing-"


class Refused(ValueError):
    """A file cannot be read or written; the text says what to do instead."""


@dataclass(frozen=True)
class FileSize:
    """One file of the folder; ``path`` is relative to it."""

    path: str
    size: int


class ConfinedFolder:
    """Reads and writes regular files below one folder, which is made when the first file is written."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def files(self) -> list[FileSize]:
        """Return the regular files in the order of their paths, at most a thousand and one."""
        found: list[FileSize] = []
        try:
            top = os.open(self._root, _FOLDER)
        except FileNotFoundError:
            return []
        try:
            _collect(top, "", found)
        finally:
            os.close(top)
        return sorted(found, key=lambda each: each.path)

    def read(self, path: str, most_bytes: int | None = None) -> bytes:
        """Return the bytes of a file; without ``most_bytes`` it may be as large as those written here.

        Raises:
            Refused: there is no such file, it is none, or too large.
        """
        limit = MOST_FILE_BYTES if most_bytes is None else most_bytes
        *folders, name = _parts(path)
        with self._folder(folders, path) as folder:
            try:
                descriptor = os.open(name, _READ, dir_fd=folder)
            except OSError:
                raise _missing(path) from None
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                os.close(descriptor)
                raise _missing(path)
            with os.fdopen(descriptor, "rb") as file:
                content = file.read(limit + 1)
        if len(content) > limit:
            raise Refused(f"{path} is larger than {limit:,} bytes and cannot be read.")
        return content

    def write(self, path: str, content: bytes) -> None:
        """Put the content into the file, all of it or nothing; folders of the path are made.

        Raises:
            Refused: the path is none, or the file or the folder would be too large.
        """
        *folders, name = _parts(path)
        self._check_room(path, len(content))
        with self._folder(folders, path, make=True) as folder:
            temporary = f"{_TEMPORARY}{token_hex(8)}"
            descriptor = os.open(temporary, _WRITE, 0o600, dir_fd=folder)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(content)
                # Takes the place of a link, too, and never follows it.
                os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException as fault:
                with suppress(FileNotFoundError):
                    os.unlink(temporary, dir_fd=folder)
                if isinstance(fault, OSError):
                    raise Refused(f"{path} is a folder, so no file can have that name.") from None
                raise

    def delete(self, path: str) -> None:
        """Remove a file.

        Raises:
            Refused: there is no such file.
        """
        *folders, name = _parts(path)
        with self._folder(folders, path) as folder:
            try:
                os.unlink(name, dir_fd=folder)
            except OSError:
                raise _missing(path) from None

    def _check_room(self, path: str, size: int) -> None:
        if size > MOST_FILE_BYTES:
            raise Refused(f"A file holds at most {MOST_FILE_BYTES:,} bytes; write several.")
        others = [each for each in self.files() if each.path != path]
        if len(others) >= MOST_FILES:
            raise Refused(f"The workspace is full with {MOST_FILES:,} files; delete some.")
        if sum(each.size for each in others) + size > MOST_TOTAL_BYTES:
            raise Refused(f"The workspace is full with {MOST_TOTAL_BYTES:,} bytes; delete files.")

    @contextmanager
    def _folder(self, names: list[str], path: str, *, make: bool = False) -> Iterator[int]:
        """Yield the descriptor of the innermost folder; each one is opened from the one around it."""
        if make:
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            folder = os.open(self._root, _FOLDER)
        except OSError:
            raise _missing(path) from None
        try:
            for name in names:
                inner = _open_folder(folder, name, path, make=make)
                os.close(folder)
                folder = inner
            yield folder
        finally:
            os.close(folder)


def _open_folder(outer: int, name: str, path: str, *, make: bool) -> int:
    if make:
        with suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=outer)
    try:
        return os.open(name, _FOLDER, dir_fd=outer)
    except FileNotFoundError:
        raise _missing(path) from None
    except OSError:
        raise Refused(f"{name!r} in {path} is no folder. Choose another path.") from None


def _parts(path: str) -> list[str]:
    parts = path.split("/")
    if len(parts) > MOST_DEPTH:
        raise Refused(f"The path is deeper than {MOST_DEPTH} folders; choose a shorter one.")
    for part in parts:
        if part in {"", ".", ".."} or part.startswith(_TEMPORARY):
            raise Refused(f"{path[:200]!r} is no path here. Name a file below the workspace, as notes/a.md.")
        if not part.isprintable() or len(part.encode()) > MOST_NAME_BYTES:
            raise Refused(f"A name has at most {MOST_NAME_BYTES} bytes and only characters that show.")
    return parts


def _collect(folder: int, prefix: str, found: list[FileSize]) -> None:
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries)
    for name in names:
        if len(found) > MOST_FILES or prefix.count("/") > MOST_DEPTH:
            return
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISREG(status.st_mode) and not name.startswith(_TEMPORARY):
            found.append(FileSize(prefix + name, status.st_size))
        elif stat.S_ISDIR(status.st_mode):
            inner = os.open(name, _FOLDER, dir_fd=folder)
            try:
                _collect(inner, f"{prefix}{name}/", found)
            finally:
                os.close(inner)


def _missing(path: str) -> Refused:
    return Refused(f"There is no file {path[:200]!r} in the workspace; workspace_list names the files.")
