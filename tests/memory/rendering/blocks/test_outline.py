"""Headings and lists become the tree of a mind map."""

import pytest

from memory.rendering.blocks.outline import Node, OutlineRefused, outline, outline_html

Tree = list[tuple[str, "Tree"]]


def _tree(nodes: list[Node]) -> Tree:
    return [(node.label, _tree(node.children)) for node in nodes]


def test_headings_hold_what_follows_them() -> None:
    assert _tree(
        outline("# Plan\n\n## Crawl\n- one\n  - two\n- three\n\n## Index\ntext\n### Deep\n1. a\n2. b")
    ) == [
        (
            "Plan",
            [
                ("Crawl", [("one", [("two", [])]), ("three", [])]),
                ("Index", [("text", []), ("Deep", [("a", []), ("b", [])])]),
            ],
        )
    ]


def test_a_heading_may_skip_levels_and_come_back() -> None:
    assert _tree(outline("# A\n### B\n## C\n# D")) == [("A", [("B", []), ("C", [])]), ("D", [])]


def test_labels_keep_a_few_marks_and_escape_the_rest() -> None:
    (node,) = outline("- **b** *e* `c<d` [l](http://a.b) ![alt](x.png) <img src=x onerror=alert(1)>\n  next")
    assert node.label == (
        "<strong>b</strong> <em>e</em> <code>c&lt;d</code> l alt &lt;img src=x onerror=alert(1)&gt; next"
    )


def test_code_and_second_paragraphs_hang_below_their_item() -> None:
    assert _tree(outline("- a\n\n  b\n\n  ```\n  c\n  ```")) == [("a", [("b", []), ("<code>c</code>", [])])]


def test_front_matter_is_left_out() -> None:
    assert _tree(outline("---\nmarkmap:\n  maxWidth: 3\n---\n\n# A")) == [("A", [])]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("- a\n" * 501, "more than 500 nodes"),
        ("- " * 60 + "deep", "nested deeper than 40 levels"),
        ("***\n", "no headings or lists"),
    ],
)
def test_what_cannot_be_drawn_says_why(source: str, reason: str) -> None:
    with pytest.raises(OutlineRefused, match=reason):
        outline(source)


def test_an_outline_is_a_nested_list() -> None:
    assert outline_html(outline("- a\n  - b"), ' class="md-outline"') == (
        '<ul class="md-outline"><li><span>a</span><ul><li><span>b</span></li></ul></li></ul>'
    )
