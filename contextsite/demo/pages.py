"""What the demo tools answer about a folder, page by page, as plain JSON values."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from agents.context import json_values
from agents.context.json_values import JSON
from contextsite.demo.counting import SNIFFED_BYTES, Counts, Tally, count
from contextsite.demo.searching import LineSearch
from contextsite.demo.tree import File, PathRefused, Problem, Tree, path_bytes, path_text, reason_of

Answer = dict[str, JSON]

MAX_PROBLEMS = 20
MAX_LINE_BYTES = 2000
MAX_READ_CHARACTERS = 40_000
# One search reads at most about this much; a bigger folder answers with a cursor to go on from.
SEARCHED_BYTES = 256 * 1024 * 1024


def list_page(tree: Tree, cursor: str, limit: int) -> Answer:
    """Return ``limit`` files behind the cursor, totals of the whole folder, and the next cursor or null."""
    after = path_bytes(cursor)
    page: list[File] = []
    problems: list[Problem] = []
    files = size = left = 0
    for found in tree.walk():
        if isinstance(found, Problem):
            problems.append(found)
            continue
        files += 1
        size += found.size
        if found.path > after and len(page) < limit:
            page.append(found)
        elif found.path > after:
            left += 1
    return {
        "folder": path_text(os.fsencode(tree.root.name)),
        "files": [{"path": path_text(file.path), "bytes": file.size} for file in page],
        "next": path_text(page[-1].path) if left else None,
        "total_files": files,
        "total_bytes": size,
        "left_out": list(tree.skipped),
        "same_files": tree.find_command(),
        **_problems(problems),
    }


def count_one(tree: Tree, path: str) -> Answer:
    """Return lines, words and bytes of one file, equal to ``wc``."""
    try:
        counts = _count(tree, path_bytes(path))
    except PathRefused as refusal:
        return refused(refusal)
    return {"path": path, **counts.columns()}


def count_page(tree: Tree, cursor: str, limit: int, top: int) -> Answer:
    """Return the summed counts of ``limit`` files behind the cursor, and the next cursor or null.

    ``files`` are all files of the page; those listed under ``unreadable`` are in no sum.
    """
    tally = Tally()
    problems: list[Problem] = []
    files, is_more, last = 0, False, cursor
    for found in tree.walk(path_bytes(cursor)):
        if isinstance(found, Problem):
            continue
        if files == limit:
            is_more = True
            break
        files += 1
        last = path_text(found.path)
        try:
            tally.add(found.path, _count(tree, found.path))
        except PathRefused as refusal:
            problems.append(Problem(found.path, str(refusal)))
    page: Answer = {"after": cursor, "next": last if is_more else None, "files": files}
    return {**page, **tally.answer(top), **_problems(problems)}


def read_page(tree: Tree, path: str, start_line: int, max_lines: int) -> Answer:
    """Return up to ``max_lines`` lines of a text file from ``start_line`` on, counted from 1."""
    try:
        with _open(tree, path_bytes(path)) as file:
            if b"\x00" in file.read(SNIFFED_BYTES):
                return refused(f"{path} is a binary file; count_file tells its size.")
            file.seek(0)
            return {"path": path, "start_line": start_line, **_read(file, start_line, max_lines)}
    except PathRefused as refusal:
        return refused(refusal)


def search_page(tree: Tree, text: str, cursor: str, limit: int) -> Answer:
    """Return how many lines hold the text, as ``grep -F -c`` counts them, and the ``limit`` files with most.

    Binary files are passed over. ``next`` is a cursor when the folder was too big for one search.
    """
    search = LineSearch(json_values.repair_text(text).encode())
    if not search.is_possible:
        return refused("Search for one line of text that is not empty.")
    size, last, next_cursor = 0, cursor, None
    for found in tree.walk(path_bytes(cursor)):
        if isinstance(found, Problem):
            continue
        if size > SEARCHED_BYTES:
            next_cursor = last
            break
        size += found.size
        last = path_text(found.path)
        try:
            with _open(tree, found.path) as file:
                search.add(last, file)
        except PathRefused:
            search.unreadable += 1
    return {"text": text, **search.answer(limit), "next": next_cursor}


def refused(reason: object) -> Answer:
    """Return the result of a call that could not be carried out."""
    return {"success": False, "error": str(reason)}


@contextmanager
def _open(tree: Tree, path: bytes) -> Iterator[BinaryIO]:
    """Open a file below the folder; a disk that fails while it is read refuses the path too."""
    with os.fdopen(tree.open(path), "rb") as file:
        try:
            yield file
        except OSError as error:
            raise PathRefused(f"{path_text(path)}: {reason_of(error)} while reading it.") from None


def _count(tree: Tree, path: bytes) -> Counts:
    with _open(tree, path) as file:
        return count(file)


def _problems(problems: list[Problem]) -> Answer:
    shown: list[JSON] = [
        {"path": path_text(each.path), "reason": each.reason} for each in problems[:MAX_PROBLEMS]
    ]
    return {"unreadable": len(problems), "unreadable_paths": shown} if problems else {"unreadable": 0}


def _read(file: BinaryIO, start_line: int, max_lines: int) -> Answer:
    lines: list[str] = []
    cut: list[JSON] = []
    characters, next_line = 0, None
    for number, (line, is_cut) in enumerate(_lines(file), start=1):
        if number < start_line:
            continue
        if len(lines) == max_lines or characters > MAX_READ_CHARACTERS:
            next_line = number
            break
        lines.append(json_values.repair_text(line.decode("utf-8", "replace")))
        characters += len(lines[-1])
        if is_cut:
            cut.append(number)
    return {"lines": len(lines), "text": "\n".join(lines), "cut_lines": cut, "next_line": next_line}


def _lines(file: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """Yield the start of each line without its newline, and whether the line went on behind it."""
    while line := file.readline(MAX_LINE_BYTES + 1):
        rest = line
        while not rest.endswith(b"\n") and rest:
            rest = file.readline(MAX_LINE_BYTES + 1)
        whole = line.endswith(b"\n") or len(line) <= MAX_LINE_BYTES
        yield (line.removesuffix(b"\n") if whole else line[:MAX_LINE_BYTES]), not whole
