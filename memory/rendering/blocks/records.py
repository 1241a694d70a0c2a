"""Plain records: an object of short fields as a definition grid, an array of such objects as a table."""

from typing import TypeGuard

from agents.context.json_values import JSON
from memory.rendering.blocks.scalars import scalar
from memory.rendering.sanitize import escape

_MAX_FIELD_CHARS = 200
_MAX_LIST_ITEMS = 8
_MAX_COLUMNS = 12
# Rows of a table fill at least this share of its cells, or the objects are not similar.
_MIN_FILLED = 0.6


def is_record(value: JSON) -> TypeGuard[dict[str, JSON]]:
    """Whether a value is a non-empty object of which every field is short."""
    return isinstance(value, dict) and bool(value) and all(map(_is_short, value.values()))


def is_table(value: JSON) -> TypeGuard[list[dict[str, JSON]]]:
    """Whether a value is an array of two or more records with mostly the same fields."""
    if not isinstance(value, list) or len(value) < 2:
        return False
    records = [item for item in value if is_record(item)]
    if len(records) < len(value):
        return False
    columns = len(_columns(records))
    filled = sum(map(len, records))
    return columns <= _MAX_COLUMNS and filled >= _MIN_FILLED * columns * len(records)


def definition_grid(record: dict[str, JSON]) -> str:
    """Return an object as a grid of names and values, texts in quotes."""
    rows = (f"<div><dt>{escape(key)}</dt><dd>{scalar(value)}</dd></div>" for key, value in record.items())
    return f'<dl class="kv">{"".join(rows)}</dl>\n'


def record_table(records: list[dict[str, JSON]]) -> str:
    """Return records as a table with one column per field, in order of first appearance.

    Columns of numbers are aligned to the end; a field that a record lacks is an empty cell.
    """
    columns = _columns(records)
    numeric = {name for name in columns if all(_is_number(record.get(name, 0)) for record in records)}
    css = {name: ' class="md-ar"' if name in numeric else "" for name in columns}
    head = "".join(f'<th{css[name]} scope="col">{escape(name)}</th>' for name in columns)
    body = "".join(
        f"<tr>{''.join(f'<td{css[name]}>{_cell(record, name)}</td>' for name in columns)}</tr>\n"
        for record in records
    )
    return (
        '<div class="scroll-x" tabindex="0" role="group" aria-label="Table"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>\n"
    )


def _cell(record: dict[str, JSON], name: str) -> str:
    return scalar(record[name], quoted=False) if name in record else ""


def _columns(records: list[dict[str, JSON]]) -> list[str]:
    return list(dict.fromkeys(name for record in records for name in record))


def _is_number(value: JSON) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_short(value: JSON) -> bool:
    if isinstance(value, str):
        return len(value) <= _MAX_FIELD_CHARS
    if isinstance(value, list):
        return len(value) <= _MAX_LIST_ITEMS and all(
            not isinstance(item, (list, dict)) and "\n" not in str(item) and _is_short(item) for item in value
        )
    return not isinstance(value, dict) or not value
