"""The kinds of fenced block that are more than code, by the language that names them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from memory.rendering.blocks.json_tree import json_block
from memory.rendering.blocks.math import math_block
from memory.rendering.blocks.widget import markmap_block, mermaid_block, vega_block
from memory.rendering.drawn import DRAWN
from memory.rendering.fill import Draft

_DRAWINGS = {"mermaid": mermaid_block, "markmap": markmap_block, "vega-lite": vega_block}

FENCES: Mapping[str, Callable[[str, str, Draft], str]] = MappingProxyType(
    {
        "json": json_block,
        **{language: _DRAWINGS[kind] for language, kind in DRAWN.items()},
        **dict.fromkeys(("math", "latex", "tex", "katex"), math_block),
    }
)
"""Language to a function of source, info string and draft that returns HTML for the sanitizer."""
