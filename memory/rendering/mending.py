"""Parser rules that keep on screen what Markdown would drop without a word."""

from typing import Any

from markdown_it.common.utils import mdTrim
from markdown_it.rules_block.table import escapedSplit
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from memory.rendering.guard import RenderRefused


class References(dict[str, dict[str, Any]]):
    """Link definitions by label that remember which of them were looked up."""

    def __init__(self) -> None:
        super().__init__()
        self.used: set[str] = set()

    def get(self, label: str, default: Any = None) -> Any:
        """Return the definition of a label, which counts as used from now on."""
        self.used.add(label)
        return super().get(label, default)


def keep_extra_cells(state: StateCore) -> None:
    """Append the cells that a table row has beyond the head's to its last cell, with their bars."""
    lines = state.src.split("\n")
    columns = 0
    row: list[Token] = []
    for token in state.tokens:
        if token.type == "thead_open":
            columns = 0
        elif token.type == "th_open":
            columns += 1
        elif token.type == "tr_open":
            row = []
        elif token.type == "inline":
            row.append(token)
        elif token.type == "tr_close" and row[0].map:
            extra = _extra_cells(lines[row[0].map[0]], [cell.content for cell in row], columns)
            row[-1].content = " | ".join([row[-1].content, *extra])


def _extra_cells(line: str, cells: list[str], columns: int) -> list[str]:
    """Return the cells of a source line behind those that were parsed.

    The line may begin with the marks of quotes and lists, so the parsed cells are looked for in it.
    """
    parts = [mdTrim(part) for part in escapedSplit(mdTrim(line))]
    if parts and not parts[-1]:
        parts.pop()
    for start in range(len(parts) - columns):
        found = parts[start : start + columns]
        if found[1:] == cells[1:] and found[0].endswith(cells[0]):
            return parts[start + columns :]
    return []


def keep_unused_references(state: StateCore) -> None:
    """Show link definitions that no link uses, such as ``[status]: done``, as paragraphs at the end."""
    references: References = state.env["references"]
    lines = state.src.split("\n")
    unused = [item for label, item in references.items() if label not in references.used]
    # A second definition of a label is never used.
    for item in [*unused, *state.env.get("duplicate_refs", ())]:
        first, last = item["map"]
        state.tokens.extend(_paragraph("\n".join(line.strip() for line in lines[first:last])))


def keep_unused_footnotes(state: StateCore) -> None:
    """Show footnotes that nothing refers to where they stand, with their label.

    Raises:
        RenderRefused: for a footnote inside a footnote, of which the parser would lose the outer text.
    """
    tokens = state.tokens
    spans = _footnote_spans(tokens)
    notes = state.env["footnotes"]["list"].values() if spans else ()
    wanted = {note["label"] for note in notes}
    # Of several definitions with one label the last one counts.
    last = {tokens[start].meta["label"]: start for start, _ in spans}
    for start, end in reversed(spans):
        label = tokens[start].meta["label"]
        if label not in wanted or last[label] != start:
            tokens[start : end + 1] = [*_paragraph(f"[^{label}]:"), *tokens[start + 1 : end]]


def _footnote_spans(tokens: list[Token]) -> list[tuple[int, int]]:
    """Return the positions of the first and last token of each footnote definition, in order."""
    marks = [index for index, token in enumerate(tokens) if token.type.startswith("footnote_reference_")]
    spans = list(zip(marks[::2], marks[1::2], strict=True))
    if any(tokens[end].type != "footnote_reference_close" for _, end in spans):
        raise RenderRefused("a footnote inside a footnote")
    return spans


def _paragraph(text: str) -> list[Token]:
    line = Token("inline", "", 0, content=text, children=[Token("text", "", 0, content=text)])
    return [Token("paragraph_open", "p", 1, block=True), line, Token("paragraph_close", "p", -1, block=True)]
