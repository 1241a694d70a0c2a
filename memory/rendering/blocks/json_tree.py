"""JSON as a folding tree, for values and for ``json`` blocks in Markdown."""

import json
import math
from collections.abc import Iterable

from agents.context.json_values import JSON
from memory.rendering.blocks.code import source_block
from memory.rendering.blocks.scalars import json_line, text_html
from memory.rendering.fill import Draft
from memory.rendering.guard import RenderRefused, admit_json
from memory.rendering.sanitize import escape

# Levels that are unfolded at first: the value itself and its direct parts.
_OPEN_LEVELS = 2
_MAX_DIGITS = 400


def json_block(source: str, info: str, draft: Draft) -> str:
    """Return the tree of a ``json`` block, or its source and why it cannot be one."""
    try:
        value = parse_json(source)
        draft.json_parts += admit_json(value, source, draft.settings, earlier_parts=draft.json_parts)
    except (ValueError, RecursionError) as error:
        return source_block(source, info, f"not valid JSON: {error}", draft)
    except RenderRefused as refusal:
        return source_block(source, info, f"JSON {refusal}, shown as text", draft)
    label = f'<p class="muted">{escape(info)}</p>' if info.lower() != "json" else ""
    return label + json_tree(value, draft)


def json_tree(value: JSON, draft: Draft) -> str:
    """Return a value as a tree; the caller has checked its depth and size."""
    draft.features.add("json")
    return f'<div class="md-tree">{_node("", value, 0)}</div>\n'


def _node(label: str, value: JSON, level: int) -> str:
    if not isinstance(value, (dict, list)) or not value:
        shown = text_html(value) if isinstance(value, str) else escape(json_line(value))
        return f'{label}<span class="tk-{_kind(value)}">{shown}</span>'
    brackets, noun = ("{}", "key") if isinstance(value, dict) else ("[]", "item")
    count = f"{len(value)} {noun}" + ("" if len(value) == 1 else "s")
    unfolded = ' open=""' if level < _OPEN_LEVELS else ""
    items = "".join(f"<li>{_node(name, child, level + 1)}</li>" for name, child in _labelled(value))
    return (
        f"<details{unfolded}><summary>{label}{brackets[0]} "
        f'<span class="muted">{count}</span> {brackets[1]}</summary>'
        f'<ul class="md-tree-items">{items}</ul></details>'
    )


def _kind(leaf: JSON) -> str:
    if isinstance(leaf, str):
        return "s"
    if isinstance(leaf, (dict, list)):
        return "p"
    return "k" if leaf is None or isinstance(leaf, bool) else "n"


def _labelled(value: dict[str, JSON] | list[JSON]) -> Iterable[tuple[str, JSON]]:
    if isinstance(value, list):
        return (("", child) for child in value)
    return ((f'<span class="tk-f">{escape(json_line(key))}</span>: ', child) for key, child in value.items())


def parse_json(source: str) -> JSON:
    """Return the value of a block; unlike stored values it may repeat a key, which would hide the first."""
    value: JSON = json.loads(
        source,
        parse_constant=_refuse_constant,
        parse_float=_finite,
        parse_int=_short,
        object_pairs_hook=_unique,
    )
    return value


def _refuse_constant(name: str) -> JSON:
    raise ValueError(f"{name} is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits[:20]} is too large a number")
    return number


def _short(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"a number of {len(digits):,} digits")
    return int(digits)


def _unique(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a key appears twice in one object")
    return fields
