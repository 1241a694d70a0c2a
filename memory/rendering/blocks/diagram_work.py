"""What a Mermaid diagram may not ask for, because it would be laid out forever."""

import re

MAX_COLUMNS = 99

_BEFORE = re.compile(r"\A(?:---\n.*?\n---\n|\s+|%%[^\n]*\n)+", re.DOTALL)
_BLOCKS = re.compile(r"block(?:-beta)?\b")
_QUOTED = re.compile(r'"[^"]*"')
_STYLE = re.compile(r"^[ \t]*(?:style|classDef|class|%%)[^\n]*$", re.MULTILINE)
_SPAN = re.compile(r":\s*\d{3,}|\bcolumns\s+\d{3,}")


class DiagramRefused(Exception):
    """A diagram is not drawn; the text says why."""


def admit_diagram(source: str) -> None:
    """Accept a diagram that asks for no more columns than somebody could look at.

    Raises:
        DiagramRefused: when a block diagram has or spans more than `MAX_COLUMNS`.
    """
    if not _BLOCKS.match(_BEFORE.sub("", source)):
        return
    if _SPAN.search(_STYLE.sub("", _QUOTED.sub("", source))):
        raise DiagramRefused(f"a block spans more than {MAX_COLUMNS} columns")
