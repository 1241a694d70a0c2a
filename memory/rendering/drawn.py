"""The languages of fenced blocks that become drawings, each by the kind of its drawing."""

from collections.abc import Mapping
from types import MappingProxyType

DRAWN: Mapping[str, str] = MappingProxyType(
    {
        "mermaid": "mermaid",
        **dict.fromkeys(("markmap", "mindmap"), "markmap"),
        **dict.fromkeys(("vega-lite", "vegalite", "vega"), "vega-lite"),
    }
)
