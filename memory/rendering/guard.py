"""The limits of one rendered card, and the characters that never reach a page as they are."""

import re
from dataclasses import dataclass

from agents.context.json_values import JSON

# C0 and C1 controls, bidirectional overrides and isolates, and lone surrogates.
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

# markdown-it drops what is nested deeper than its own limit, so documents that come near are refused.
MAX_NESTING = 40


class RenderRefused(Exception):
    """A value is over a limit and is shown as its source instead; the text says which limit."""


@dataclass(frozen=True)
class RenderSettings:
    """What one card may cost; each limit stands where a stage was measured to turn super-linear.

    Attributes:
        max_chars: characters of one text value.
        max_inline_chars: characters of one paragraph, heading, list line or table cell.
        max_blocks: block tokens of the whole document.
        max_siblings: elements side by side in one container; the sanitizer is quadratic in them.
        max_html_chars: characters of HTML given to the sanitizer.
        max_code_chars: characters of a code block that are still highlighted.
        max_code_line_chars: characters of its longest line that are still highlighted.
        code_budget_ms: processor time for highlighting one block.
        max_formulas: formulas of one card.
        max_tex_chars: characters of one formula.
        max_widgets: diagrams, charts and mind maps of one card.
        max_diagram_chars: characters of a diagram or mind map that is still drawn.
        max_chart_chars: characters of a chart that is still drawn.
        max_pictures: pictures inside one card.
        image_hosts: hosts whose pictures are shown, fetched by us.
        max_json_chars: characters of a JSON value or a ``json`` block.
        max_json_parts: values inside the JSON of one card, containers included.
        max_json_depth: levels of a JSON value.
    """

    max_chars: int = 64_000
    max_inline_chars: int = 20_000
    max_blocks: int = 20_000
    max_siblings: int = 1_500
    max_html_chars: int = 600_000
    max_code_chars: int = 10_000
    max_code_line_chars: int = 2_000
    code_budget_ms: int = 100
    max_formulas: int = 200
    max_tex_chars: int = 2_000
    max_widgets: int = 20
    max_diagram_chars: int = 20_000
    max_chart_chars: int = 50_000
    max_pictures: int = 10
    image_hosts: tuple[str, ...] = ()
    max_json_chars: int = 100_000
    max_json_parts: int = 2_000
    max_json_depth: int = 40


DEFAULT_SETTINGS = RenderSettings()


def visible(text: str) -> str:
    """Return the text with every control, bidirectional and surrogate character shown as U+FFFD."""
    return _UNSAFE.sub("\ufffd", text)


def admit_text(text: str, settings: RenderSettings) -> str:
    """Return the text with unsafe characters made visible.

    Raises:
        RenderRefused: when it is longer than ``max_chars``.
    """
    if len(text) > settings.max_chars:
        raise RenderRefused(f"longer than {settings.max_chars:,} characters")
    return visible(text)


def admit_json(value: JSON, text: str, settings: RenderSettings, *, earlier_parts: int = 0) -> int:
    """Return how many values are inside a value decoded from ``text``; counts without recursion.

    ``earlier_parts`` is what the same card already shows.

    Raises:
        RenderRefused: when the text is too long, or the value nests too deeply or has too many parts.
    """
    if len(text) > settings.max_json_chars:
        raise RenderRefused(f"longer than {settings.max_json_chars:,} characters")
    level: list[JSON] = [value]
    parts, depth = 0, 0
    while level:
        parts += len(level)
        depth += 1
        if earlier_parts + parts > settings.max_json_parts:
            raise RenderRefused(f"more than {settings.max_json_parts:,} values")
        if depth > settings.max_json_depth:
            raise RenderRefused(f"nested deeper than {settings.max_json_depth} levels")
        level = [child for item in level for child in _children(item)]
    return parts


def _children(value: JSON) -> list[JSON]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
