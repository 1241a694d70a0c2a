"""Numbers, dates, booleans and null as people read them; copied, a number is still the number."""

import json
import re
from datetime import date, datetime

from agents.context.json_values import JSON
from memory.rendering.sanitize import escape

_NUMBER = re.compile(r"(-?)([0-9]+)(.*)")
# Four digits read well as they are, and are often a year or a port.
_UNGROUPED_DIGITS = 4
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CLOCK = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
_MOMENT = re.compile(rf"{_DAY.pattern}[T ]{_CLOCK}(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}})?")


def scalar(value: JSON, *, quoted: bool = True) -> str:
    """Return a short value; texts are in quotes when ``quoted``, unless they are dates."""
    match value:
        case bool():
            return f'<span class="{"md-yes" if value else "md-no"}">{json.dumps(value)}</span>'
        case int() | float():
            return _number(json.dumps(value))
        case None:
            return '<span class="muted">null</span>'
        case str():
            return time_html(value) or text_html(value, quoted=quoted)
    return escape(json_line(value))


def text_html(text: str, *, quoted: bool = True) -> str:
    """Return a text, as JSON spells it when ``quoted``, except that its line breaks are line breaks."""
    if "\n" not in text:
        return escape(json_line(text) if quoted else text)
    if quoted:
        text = "\n".join(json_line(line)[1:-1] for line in text.split("\n")).join('""')
    return f'<span class="md-lines">{escape(text)}</span>'


def json_line(value: JSON) -> str:
    """Return a value as one line of JSON."""
    return json.dumps(value, ensure_ascii=False)


def _number(text: str) -> str:
    """Return a number whose digits the stylesheet sets apart in threes, without a character between."""
    match = _NUMBER.fullmatch(text)
    if match is None or len(match[2]) <= _UNGROUPED_DIGITS:
        return f'<span class="num">{text}</span>'
    digits = match[2]
    first = len(digits) % 3 or 3
    groups = (f'<span class="md-digits">{digits[at : at + 3]}</span>' for at in range(first, len(digits), 3))
    return f'<span class="num">{match[1]}{digits[:first]}{"".join(groups)}{match[3]}</span>'


def time_html(text: str) -> str:
    """Return the element of a date or a moment in ISO 8601, or nothing."""
    try:
        if _DAY.fullmatch(text):
            shown = _day(date.fromisoformat(text))
        elif _MOMENT.fullmatch(text):
            shown = _moment(datetime.fromisoformat(text))
        else:
            return ""
    except ValueError:
        return ""
    return f'<time datetime="{text}" title="{text}">{shown}</time>'


def _moment(moment: datetime) -> str:
    clock = f"{moment:%H:%M:%S}" if moment.second else f"{moment:%H:%M}"
    if moment.tzinfo is None:
        return f"{_day(moment)}, {clock}"
    return f"{_day(moment)}, {clock} UTC" + (f"{moment:%z}" if moment.utcoffset() else "")


def _day(day: date) -> str:
    return f"{day.day} {day:%b %Y}"
