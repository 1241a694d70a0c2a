"""How far a survey has come, worked out anew from the results that the model sees."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.context.json_values import JSON
from contextsite.demo.seen import Result
from contextsite.demo.tree import path_bytes

MARKERS = ("TODO", "FIXME", "HACK")
NAMED = 10
SAMPLES = 3
# A call that failed this often is given up, so that a survey always ends.
TRIES = 3
COLUMNS = ("files", "lines", "words", "bytes", "binary", "unreadable")

Page = Mapping[str, Any]


@dataclass
class Progress:
    """What one turn has found out.

    Attributes:
        steps: survey tools called and answered.
        listing: the newest answer of list_files, or None.
        sums: files, lines, words, bytes, binary and unreadable of the files counted so far.
        by_type: extension to files, lines and bytes.
        next_cursor: where to count on; None when every file is counted.
        searches: marker to its answers, one for each page.
        samples: path to the text read, or to the reason why it was not.
        failures: how often a call with the same name and arguments failed.
    """

    steps: int = 0
    listing: Page | None = None
    sums: Counter[str] = field(default_factory=Counter)
    by_type: dict[str, Counter[str]] = field(default_factory=dict)
    largest: list[Page] = field(default_factory=list)
    longest_lines: list[Page] = field(default_factory=list)
    next_cursor: str | None = ""
    last_page: Page | None = None
    searches: dict[str, list[Page]] = field(default_factory=dict)
    samples: dict[str, str] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)

    @property
    def total_files(self) -> int:
        """Files in the whole folder as listed; 0 before the listing."""
        return int(self.listing["total_files"]) if self.listing else 0

    @property
    def is_counted(self) -> bool:
        """Whether every file of the folder is in the sums."""
        return self.next_cursor is None

    def unread_samples(self) -> list[str]:
        """Return the largest text files that were not looked into yet."""
        texts = [each["path"] for each in self.largest if not each["binary"]]
        return [path for path in texts[:SAMPLES] if path not in self.samples]

    def is_searched(self, marker: str) -> bool:
        """Whether the whole folder was searched for the marker."""
        answers = self.searches.get(marker, [])
        return bool(answers) and answers[-1]["next"] is None

    def is_given_up(self, name: str, arguments: Mapping[str, JSON]) -> bool:
        """Whether this very call failed too often to be tried again."""
        return self.failures[call_name(name, arguments)] >= TRIES


def progress_of(results: Iterable[Result]) -> Progress:
    """Return how far the survey has come.

    Pages of counts are followed from the first one by their cursors: a page that is missing, because its
    result was cut from the context, is simply counted again, and no file is ever counted twice.
    """
    progress = Progress()
    pages: dict[str, Page] = {}
    for result in results:
        if result.name.startswith("store_"):
            continue
        progress.steps += 1
        value = result.value
        if result.failed:
            _note_failure(progress, result)
        elif not isinstance(value, dict):
            # Lost with its worker, or cut from the context: as if it had not been called.
            continue
        elif result.name == "list_files" and "total_files" in value:
            progress.listing = value
        elif result.name == "count_files" and "after" in value:
            pages[str(value["after"])] = value
        elif result.name == "search_files" and "lines" in value:
            progress.searches.setdefault(str(value["text"]), []).append(value)
        elif result.name == "read_file" and "text" in value:
            progress.samples[str(value["path"])] = str(value["text"])
    _follow(progress, pages)
    return progress


def call_name(name: str, arguments: Mapping[str, JSON]) -> str:
    """Return one text for a call, equal for equal calls whatever the order of their arguments."""
    return f"{name}{sorted(arguments.items())}"


def _note_failure(progress: Progress, result: Result) -> None:
    progress.failures[call_name(result.name, result.arguments)] += 1
    if result.name == "read_file":
        progress.samples[str(result.arguments.get("path"))] = ""


def _follow(progress: Progress, pages: dict[str, Page]) -> None:
    named: list[Page] = []
    lines: list[Page] = []
    # A page is taken out once followed, so that cursors that lead in a circle end.
    while progress.next_cursor is not None and (page := pages.pop(progress.next_cursor, None)):
        progress.sums.update({column: page[column] for column in COLUMNS})
        for kind, sums in page["by_type"].items():
            progress.by_type.setdefault(kind, Counter()).update(sums)
        named += page["largest"]
        lines += page["longest_lines"]
        progress.next_cursor, progress.last_page = page["next"], page
    progress.largest = _top(named, "bytes")
    progress.longest_lines = _top(lines, "longest_line")


def _top(named: list[Page], column: str) -> list[Page]:
    return sorted(named, key=lambda each: (-each[column], path_bytes(each["path"])))[:NAMED]
