"""Block diagrams have no more columns than somebody could look at."""

import pytest

from memory.rendering.blocks.diagram_work import DiagramRefused, admit_diagram


@pytest.mark.parametrize(
    "source",
    [
        "block-beta\n columns 3\n a:100000000 b",
        "block\n a space:100000000 c",
        "block-beta\n columns 5000\n a",
        '%% about\n\n---\ntitle: x\n---\nblock-beta\n a["Label"]:1000',
        "%%{init: {}}%%\nblock-beta\n block:group:4000\n a\n end",
    ],
)
def test_blocks_of_very_many_columns_are_refused(source: str) -> None:
    with pytest.raises(DiagramRefused, match="a block spans more than 99 columns"):
        admit_diagram(source)


@pytest.mark.parametrize(
    "source",
    [
        "",
        "%% only a comment",
        "flowchart TD\n a[at:10000] --> b",
        "blocked\n a:10000",
        'block-beta\n columns 3\n a["port:8080"]:2 space:3\n style a stroke-width:100px',
    ],
)
def test_other_diagrams_are_accepted(source: str) -> None:
    admit_diagram(source)


def test_a_source_of_blanks_and_comments_is_looked_at_in_time() -> None:
    admit_diagram("---\n" * 2_000 + "%%\n \n" * 2_000)
