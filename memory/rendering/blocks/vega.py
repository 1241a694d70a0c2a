"""What a Vega-Lite chart may not ask for: data from elsewhere, pictures, more work than a chart needs."""

import re
from collections.abc import Iterator

from agents.context.json_values import JSON
from memory.rendering.blocks.chart_work import MAX_ROWS, ChartRefused, check_work, holds_data

MAX_DEPTH = 40
MAX_PARTS = 20_000
_MAX_PIXELS = 2_000
_MAX_STEP_PIXELS = 200
_MAX_STEPS = 200
_MAX_EXPRESSION_CHARS = 500

_EXPRESSION_KEYS = frozenset(
    {"calculate", "filter", "and", "or", "not", "expr", "test", "signal", "labelExpr"}
    | {"init", "update", "on", "events", "clear", "zoom", "translate"}
)
_SLOW_CALL = re.compile(r"\b((?:time|utc)?sequence|regexp|replace|test|match|repeat|pad)\s*\(", re.IGNORECASE)
_FORMAT_CALL = re.compile(r"\bformat\s*\(", re.IGNORECASE)
# A call whose format is written out, so that it can be looked at.
_PLAIN_FORMAT_CALL = re.compile(
    r"""\bformat\s*\((?:[^()'"]|'[^'()]*'|"[^"()]*"|\([^()'"]*\))*,\s*(['"])(?P<format>[^'"\\]*)\1\s*\)""",
    re.IGNORECASE,
)
_MOST_FORMAT_CHARS = 60
# A number may be 99 characters wide.
_WIDE_FORMAT = re.compile(r"\d{3}")


def admit_chart(spec: JSON) -> dict[str, JSON]:
    """Return the chart, which asks for nothing that it must not.

    Raises:
        ChartRefused: naming what it asks for.
    """
    if not isinstance(spec, dict):
        raise ChartRefused("a chart is a JSON object")
    if "/vega/" in str(spec.get("$schema", "")):
        raise ChartRefused("only Vega-Lite is drawn, not Vega")
    for key, value, is_data in _fields(spec):
        if isinstance(value, list) and len(value) > MAX_ROWS:
            raise ChartRefused(f"more than {MAX_ROWS:,} rows")
        if not is_data:
            _check_field(key, value)
    check_work(spec)
    return spec


def _check_field(key: str, value: JSON) -> None:
    _CHECKS.get(key, _anything)(key, value)
    if isinstance(value, str) and key in _EXPRESSION_KEYS:
        _check_expression(value)
    if key.lower().endswith("format"):
        _check_format(key, value)


def chart_rows(spec: dict[str, JSON]) -> list[JSON]:
    """Return the rows that the chart holds itself."""
    data = spec.get("data")
    values = data.get("values") if isinstance(data, dict) else None
    return values if isinstance(values, list) else []


def _fields(spec: JSON) -> Iterator[tuple[str, JSON, bool]]:
    """Yield every field of every object, and whether it is data; items of an array carry its name."""
    level: list[tuple[str, JSON, bool]] = [("", spec, False)]
    parts = depth = 0
    while level:
        parts += len(level)
        depth += 1
        if parts > MAX_PARTS:
            raise ChartRefused(f"more than {MAX_PARTS:,} parts")
        if depth > MAX_DEPTH:
            raise ChartRefused(f"nested deeper than {MAX_DEPTH} levels")
        yield from level
        level = [child for name, item, is_data in level for child in _children(name, item, is_data=is_data)]


def _children(name: str, item: JSON, *, is_data: bool) -> list[tuple[str, JSON, bool]]:
    # Columns of data may be called anything: rows are counted, no more.
    if isinstance(item, dict):
        return [(key, child, is_data or holds_data(name, key)) for key, child in item.items()]
    return [(name, child, is_data) for child in item] if isinstance(item, list) else []


def _anything(key: str, value: JSON) -> None:
    """Accept a field that has no rule of its own."""


def _check_url(key: str, value: JSON) -> None:
    # An encoding channel of that name is an object and needs an image mark.
    raise ChartRefused("data from elsewhere is not loaded; put it into data.values")


def _check_mark(key: str, value: JSON) -> None:
    if "image" in (value, value.get("type") if isinstance(value, dict) else None):
        raise ChartRefused("pictures are not loaded")


def _check_sequence(key: str, value: JSON) -> None:
    if not isinstance(value, dict):
        return
    start, stop, step = (_number(value.get(name)) for name in ("start", "stop", "step"))
    if not abs(stop - start) <= MAX_ROWS * abs(step if "step" in value else 1):
        raise ChartRefused(f"a sequence of more than {MAX_ROWS:,} rows")


def _check_range(key: str, value: JSON) -> None:
    if isinstance(value, dict) and "stop" in value:
        raise ChartRefused("ranges of imputed values are not filled in")


def _check_pixels(key: str, value: JSON) -> None:
    if isinstance(value, (int, float)) and not 0 < value <= _MAX_PIXELS:
        raise ChartRefused(f"{key} lies outside 1 to {_MAX_PIXELS:,}")
    # As wide or high as all steps together, of which each category has one.
    step = value.get("step") if isinstance(value, dict) else None
    if isinstance(step, (int, float)) and not 0 < step <= _MAX_STEP_PIXELS:
        raise ChartRefused(f"{key}.step lies outside 1 to {_MAX_STEP_PIXELS}: too large to draw")


def _check_steps(key: str, value: JSON) -> None:
    _refuse_calculated(key, value)
    if isinstance(value, (int, float)) and not 0 < value <= _MAX_STEPS:
        raise ChartRefused(f"{key} lies outside 1 to {_MAX_STEPS}")


def _check_step(key: str, value: JSON) -> None:
    _refuse_calculated(key, value)
    if isinstance(value, (int, float)) and value <= 0:
        raise ChartRefused("step is not above 0")


def _check_format(key: str, value: JSON) -> None:
    _refuse_calculated(key, value)
    if isinstance(value, str) and (len(value) > _MOST_FORMAT_CHARS or _WIDE_FORMAT.search(value)):
        raise ChartRefused(
            f"{key} is longer than {_MOST_FORMAT_CHARS} characters or asks for more than 99 digits"
        )


def _refuse_calculated(key: str, value: JSON) -> None:
    if isinstance(value, dict) and not value.keys().isdisjoint({"expr", "signal"}):
        raise ChartRefused(f"{key} is calculated; write it out")


def _check_expression(text: str) -> None:
    if len(text) > _MAX_EXPRESSION_CHARS:
        raise ChartRefused(f"an expression longer than {_MAX_EXPRESSION_CHARS} characters")
    slow = _SLOW_CALL.search(text)
    if slow:
        raise ChartRefused(f"{slow[1]}() is not calculated")
    plain = [call["format"] for call in _PLAIN_FORMAT_CALL.finditer(text)]
    if len(plain) != len(_FORMAT_CALL.findall(text)):
        raise ChartRefused("format() needs a format that is written out, as format(datum.a, '.1f')")
    for written in plain:
        _check_format("format", written)


def _number(value: JSON) -> float:
    if value is not None and not isinstance(value, (int, float)):
        raise ChartRefused("a sequence begins and ends with numbers")
    return float(value or 0)


_CHECKS = {
    "url": _check_url,
    "mark": _check_mark,
    "sequence": _check_sequence,
    "impute": _check_range,
    "keyvals": _check_range,
    "width": _check_pixels,
    "height": _check_pixels,
    "tickCount": _check_steps,
    "steps": _check_steps,
    "minsteps": _check_steps,
    "maxsteps": _check_steps,
    "maxbins": _check_steps,
    "step": _check_step,
}
