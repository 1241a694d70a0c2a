"""The demo agent's tools: list, read, count and search the files of one folder, ``settings.DEMO_PATH``."""

from pathlib import Path
from typing import Annotated

from django.conf import settings
from pydantic import Field

from agents.context.json_values import JSON
from agents.context.tools import tool
from contextsite.demo import pages
from contextsite.demo.tree import SKIPPED_FOLDERS, Tree

PathArgument = Annotated[str, Field(description="Path below the folder, exactly as list_files shows it.")]
Cursor = Annotated[str, Field(description="`next` of the page before; empty for the first page.")]
Limit = Annotated[int, Field(ge=1, le=5000, description="Files of one page.")]


def demo_tree() -> Tree:
    """Return the folder; of the project's own tree without what is generated, of any other everything."""
    root = Path(settings.DEMO_PATH)
    return Tree(root, SKIPPED_FOLDERS if root == settings.BASE_DIR else ())


@tool
def list_files(cursor: Cursor = "", limit: Limit = 50) -> dict[str, JSON]:
    """List the regular files of the folder and everything below it, a page at a time, with their sizes.

    Symbolic links are not followed; hidden files are listed. The totals are those of the whole folder.
    """
    return pages.list_page(demo_tree(), cursor, limit)


@tool
def read_file(
    path: PathArgument,
    start_line: Annotated[int, Field(ge=1, description="First line, counted from 1.")] = 1,
    max_lines: Annotated[int, Field(ge=1, le=1000)] = 200,
) -> dict[str, JSON]:
    """Read lines of a text file. Lines over 2,000 bytes are cut; `next_line` says where to read on."""
    return pages.read_page(demo_tree(), path, start_line, max_lines)


@tool
def count_file(path: PathArgument) -> dict[str, JSON]:
    """Count the lines, words and bytes of one file, as `wc` does, and its longest line in bytes."""
    return pages.count_one(demo_tree(), path)


@tool
def count_files(
    cursor: Cursor = "",
    limit: Limit = 50,
    top: Annotated[int, Field(ge=0, le=20, description="How many of the largest files to name.")] = 5,
) -> dict[str, JSON]:
    """Count lines, words and bytes of a page of files in the order of list_files: sums, by type, extremes."""
    return pages.count_page(demo_tree(), cursor, limit, top)


@tool
def search_files(
    text: Annotated[
        str, Field(min_length=1, max_length=200, description="Plain text, upper and lower case differ.")
    ],
    cursor: Cursor = "",
    limit: Annotated[int, Field(ge=1, le=100, description="Files to name, those with most hits first.")] = 10,
) -> dict[str, JSON]:
    """Count the lines that hold a text, over all text files of the folder."""
    return pages.search_page(demo_tree(), text, cursor, limit)
