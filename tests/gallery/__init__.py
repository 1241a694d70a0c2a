"""Everything that cards can draw, to be looked at: diagrams, charts, a large mind map, formulas."""

import re
from pathlib import Path

HERE = Path(__file__).parent
NODES = 200

_DRAWING = re.compile(r"### (.+?)\n\n```(\S+)\n(.*?)\n```", re.DOTALL)


def _drawings(name: str) -> dict[str, str]:
    """Return the drawings of a file by their titles."""
    return {title: source for title, _, source in _DRAWING.findall((HERE / name).read_text())}


DIAGRAMS = _drawings("mermaid.md")
CHARTS = _drawings("charts.md")
FORMULAS = (HERE / "formulas.txt").read_text().splitlines()


def mind_map() -> str:
    """Return an outline of exactly `NODES` nodes, four levels deep."""
    lines = ["# The whole survey"]
    for number in range(NODES - 1):
        area, file, fact = number // 25, number % 25, number % 5
        if file == 0:
            lines.append(f"- Area {area + 1}")
        elif fact == 1:
            lines.append(f"  - File {file} with **{7 * number} lines**")
        else:
            lines.append(f"    - fact {fact} about `name_{number}`")
    return "\n".join(lines)
