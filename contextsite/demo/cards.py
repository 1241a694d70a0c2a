"""What the survey keeps on its whiteboard, composed from its progress."""

from collections import Counter
from dataclasses import dataclass

from agents.context.json_values import JSON
from contextsite.demo.markdown import amount, code, table
from contextsite.demo.progress import MARKERS, Page, Progress
from contextsite.demo.seen import Seen
from contextsite.demo.wishes import Wishes

TABLE_TYPES = 6
CHART_TYPES = 12
SAMPLE_CHARACTERS = 100
SCRATCH_KEY = "scratch_page"


@dataclass(frozen=True)
class Card:
    """One entry as the model writes it.

    Attributes:
        show: whether people see it without pinning; None leaves that as it is.
    """

    key: str
    description: str
    value: JSON
    priority: str = "normal"
    show: bool | None = None

    def arguments(self) -> dict[str, JSON]:
        """Return the arguments of ``store_set`` that write it."""
        fields: dict[str, JSON] = {
            "store": "whiteboard",
            "key": self.key,
            "description": self.description,
            "value": self.value,
            "priority": self.priority,
        }
        return fields if self.show is None else {**fields, "showInUI": self.show}


def first_cards(seen: Seen) -> list[Card]:
    """Return the entries that steer the survey and are missing; people edit them, the survey never does."""
    cards = [
        Card("mode", "detailed or quick; edit it and the next step obeys", "detailed", "high", show=True),
        Card("abort", "Set it to true to stop the survey at its next step", False, "critical", show=True),
        Card(
            "user_preferences",
            "How many files the findings name; edit it and the next step obeys",
            {"largest_files": 5, "longest_lines": 3},
            show=False,
        ),
    ]
    return [card for card in cards if card.key not in seen.board]


def cards_of(progress: Progress, wishes: Wishes, state: str) -> list[Card]:
    """Return the entries that show what was found out; ``state`` is a sentence on what happens now."""
    cards = [_progress_card(progress, wishes, state), _counters_card(progress)]
    if progress.by_type:
        cards += [_chart_card(progress), _findings_card(progress, wishes)]
    return cards


def scratch_cards(progress: Progress) -> list[Card]:
    """Return what is on the board only while the survey counts."""
    if progress.last_page is None or progress.is_counted:
        return []
    scratch: JSON = {"files": progress.last_page["files"], "up_to": progress.last_page["next"]}
    return [Card(SCRATCH_KEY, "Last page counted, only for this survey", scratch, "low", show=False)]


def folder_of(progress: Progress) -> str:
    """Return the name of the folder as listed."""
    return str(progress.listing["folder"]) if progress.listing else "the folder"


def _progress_card(progress: Progress, wishes: Wishes, state: str) -> Card:
    parts = [
        f"## Survey of {code(folder_of(progress))}",
        _type_table(progress),
        _checklist(progress, wishes),
        f"{state} Mode: **{wishes.mode}**.{_remark(wishes)}",
        _left_out(progress),
    ]
    text = "\n\n".join(part for part in parts if part)
    return Card("progress", "Progress of the survey", text, "high", show=True)


def _remark(wishes: Wishes) -> str:
    if not wishes.unknown_mode:
        return ""
    return f" {code(wishes.unknown_mode[:SAMPLE_CHARACTERS])} is no mode; write detailed or quick."


def _left_out(progress: Progress) -> str:
    names = progress.listing["left_out"] if progress.listing else []
    return f"Folders left out: {', '.join(map(code, names))}." if names else ""


def _type_table(progress: Progress) -> str:
    ranked = _ranked_types(progress)
    if not ranked:
        return ""
    rows = [(code(kind), sums) for kind, sums in ranked[:TABLE_TYPES]]
    rest = sum((sums for _, sums in ranked[TABLE_TYPES:]), Counter())
    if rest:
        rows.append((f"{len(ranked) - TABLE_TYPES} more types", rest))
    cells = [[kind, *(f"{sums[column]:,}" for column in ("files", "lines", "bytes"))] for kind, sums in rows]
    total = [f"**{progress.sums[column]:,}**" for column in ("files", "lines", "bytes")]
    return table(["Type", "Files", "Lines", "Bytes"], [*cells, ["**Counted**", *total]])


def _checklist(progress: Progress, wishes: Wishes) -> str:
    counted = f"{progress.sums['files']:,} of {progress.total_files:,} files"
    searched = [marker for marker in MARKERS if progress.is_searched(marker)]
    items = [
        (progress.listing is not None, "List the folder"),
        (progress.is_counted, f"Count lines, words and bytes ({counted})"),
        (len(searched) == len(MARKERS), f"Search for {', '.join(MARKERS)} ({len(searched)} done)"),
    ]
    if wishes.is_detailed:
        read = f"({len(progress.samples)} read)"
        items.append(
            (progress.is_counted and not progress.unread_samples(), f"Look into the largest files {read}")
        )
    return "\n".join(f"- [{'x' if done else ' '}] {text}" for done, text in items)


def _counters_card(progress: Progress) -> Card:
    counters: dict[str, JSON] = {
        column: progress.sums[column] for column in ("files", "lines", "words", "bytes")
    }
    if progress.sums["unreadable"]:
        counters["unreadable"] = progress.sums["unreadable"]
    counters["steps"] = progress.steps
    return Card("counters", "Totals so far, as find and wc count them", counters, "high", show=True)


def _chart_card(progress: Progress) -> Card:
    ranked = _ranked_types(progress)
    rest = sum((sums for _, sums in ranked[CHART_TYPES:]), Counter())
    shown = ranked[:CHART_TYPES] + ([("all others", rest)] if rest else [])
    rows: list[JSON] = [
        {"type": kind, "files": sums["files"], "lines": sums["lines"], "bytes": sums["bytes"]}
        for kind, sums in shown
    ]
    return Card("chart_data", "Files, lines and bytes by type", rows, "normal", show=True)


def _findings_card(progress: Progress, wishes: Wishes) -> Card:
    largest = progress.largest[: wishes.largest_files]
    longest = progress.longest_lines[: wishes.longest_lines]
    parts = [
        "### Largest files",
        table(["File", "Bytes", "Lines"], [_cells(each, "bytes", "lines") for each in largest]),
        "### Longest lines",
        table(["File", "Bytes in the line"], [_cells(each, "longest_line") for each in longest]),
        *_marker_lines(progress),
        *_sample_lines(progress),
    ]
    return Card("findings", "What stands out", "\n\n".join(parts), "normal", show=True)


def _marker_lines(progress: Progress) -> list[str]:
    lines = []
    for marker, answers in progress.searches.items():
        hits = sum(answer["lines"] for answer in answers)
        files = sum(answer["files_with_text"] for answer in answers)
        named = [file for answer in answers for file in answer["files"]]
        most = max(named, key=lambda file: int(file["lines"]), default=None)
        where = f", most in {code(most['path'])} ({most['lines']:,})" if most else ""
        lines.append(f"- {code(marker)}: {amount(hits, 'line')} in {amount(files, 'file')}{where}")
    return ["### Markers", "\n".join(lines)] if lines else []


def _sample_lines(progress: Progress) -> list[str]:
    lines = []
    for path, text in progress.samples.items():
        first = next((line.strip() for line in text.split("\n") if line.strip()), "")
        begins = (
            f"begins with {code(first[:SAMPLE_CHARACTERS])}" if first else "shows no text at its beginning"
        )
        lines.append(f"- {code(path)} {begins}")
    return ["### A look into the largest", "\n".join(lines)] if lines else []


def _ranked_types(progress: Progress) -> list[tuple[str, Counter[str]]]:
    return sorted(progress.by_type.items(), key=lambda kind: (-kind[1]["lines"], -kind[1]["files"], kind[0]))


def _cells(page: Page, *columns: str) -> list[str]:
    return [code(page["path"]), *(f"{page[column]:,}" for column in columns)]
