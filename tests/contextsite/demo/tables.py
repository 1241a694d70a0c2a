"""Reads Markdown tables back as their readers do."""

from markdown_it import MarkdownIt

MARKDOWN = MarkdownIt("commonmark").enable("table")


def table_of(text: str) -> list[list[str]]:
    """Return the cells of the tables in a Markdown text, as a reader sees them."""
    rows: list[list[str]] = []
    is_inside = False
    for token in MARKDOWN.parse(text):
        if token.type == "tr_open":
            rows.append([])
            is_inside = True
        elif token.type == "table_close":
            is_inside = False
        elif token.type == "inline" and is_inside:
            rows[-1].append("".join(child.content for child in token.children or ()))
    return rows
