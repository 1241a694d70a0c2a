"""The index of the notes, the only part of them that stands in the prompt."""

from collections.abc import Callable, Sequence

from memory.plugins.notes_entry import NotesEntry
from memory.plugins.notes_keys import is_moved_result
from memory.plugins.priorities import RANK, Priority

PriorityOf = Callable[[NotesEntry], Priority]

WARNING_PERCENT = 80

_UNITS = ("KB", "MB", "GB")
_STEP = 1024
_WARNING = (
    f"Warning: more than {WARNING_PERCENT}% of the notes' space is used. "
    "Delete what is no longer needed, or the lowest priorities are evicted."
)
_HOW_TO_LOAD = 'Load a value with store_get("notes", "<key>").'
_HOW_TO_KEEP = 'Protect a note from eviction with store_set("notes", "<key>", …, pinned: true).'


def select_listed(
    entries: Sequence[NotesEntry], priority_of: PriorityOf, max_entries: int
) -> list[NotesEntry]:
    """Return the notes that get a line, most worth listing first.

    Highest priority first, then newest access. Tool results that compaction moved here take only the lines
    that no other note needs, unless they were pinned or made critical.
    """

    def worth(entry: NotesEntry) -> tuple[bool, int, int]:
        priority = priority_of(entry)
        is_guest = is_moved_result(entry.key) and priority != "critical"
        return (not is_guest, RANK[priority], entry.recency)

    unfolded = [entry for entry in entries if not entry.folded]
    return sorted(unfolded, key=worth, reverse=True)[:max_entries]


def format_index(
    listed: Sequence[NotesEntry], *, total: int, used_bytes: int, max_bytes: int, priority_of: PriorityOf
) -> str:
    """Return the text of the index in the exact format of spec 3.5; ``total`` counts unlisted notes too."""
    percent = f"{used_bytes * 100 / max_bytes:.1f}".removesuffix(".0")
    lines = [f"## Notes ({format_size(used_bytes)} / {format_size(max_bytes)} - {percent}%)", ""]
    for title, members in _groups(listed, priority_of):
        newest_first = sorted(members, key=lambda entry: entry.recency, reverse=True)
        lines += [f"**{title}**", *(_line(entry, priority_of(entry)) for entry in newest_first), ""]
    if used_bytes * 100 > max_bytes * WARNING_PERCENT:
        lines += [_WARNING, ""]
    if omitted := total - len(listed):
        notes = "note is" if omitted == 1 else "notes are"
        lines += [f'{omitted} more {notes} stored but not listed here; store_list("notes") names them.', ""]
    return "\n".join([*lines, _HOW_TO_LOAD, _HOW_TO_KEEP])


def format_size(size: int) -> str:
    """Return ``512B``, ``1.5KB``, ``25MB``: one decimal, left out when it is zero."""
    if size < _STEP:
        return f"{size}B"
    amount = size / _STEP
    unit = 0
    while round(amount, 1) >= _STEP and unit < len(_UNITS) - 1:
        amount /= _STEP
        unit += 1
    return f"{amount:.1f}".removesuffix(".0") + _UNITS[unit]


def _groups(listed: Sequence[NotesEntry], priority_of: PriorityOf) -> list[tuple[str, list[NotesEntry]]]:
    free = [entry for entry in listed if not entry.pinned]
    groups = [("Pinned (never evicted)", [entry for entry in listed if entry.pinned])]
    titles: tuple[tuple[Priority, str], ...] = (
        ("critical", "Critical (never evicted)"),
        ("high", "High"),
        ("normal", "Normal"),
        ("low", "Low (evicted first)"),
    )
    groups += [(title, [entry for entry in free if priority_of(entry) == name]) for name, title in titles]
    return [(title, members) for title, members in groups if members]


def _line(entry: NotesEntry, priority: Priority) -> str:
    rank = "pinned" if entry.pinned else "" if priority == "normal" else priority
    flags = ", ".join(filter(None, (rank, entry.scope.label)))
    return f"- `{entry.key}` ({format_size(entry.size_bytes)}): {entry.description} [{flags}]"
