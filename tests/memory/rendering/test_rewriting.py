"""Tokens become the markup of the stylesheet."""

import pytest

from memory.rendering.cards import render_markdown
from tests.memory.rendering import markup


def _html(source: str) -> str:
    card = render_markdown(source, "card")
    assert card.error is None
    markup.check(card.html)
    return card.html.strip()


def test_links_open_elsewhere_and_tell_nothing() -> None:
    assert _html("[a *b*](https://example.org 'title')") == (
        '<p><a href="https://example.org" title="title" rel="noopener noreferrer nofollow ugc" '
        'target="_blank">a <em>b</em></a></p>'
    )


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("[x](javascript:alert(1))", "x (javascript:alert(1))"),
        ("[x](/admin/)", "x (/admin/)"),
        ("[x](#top)", "x (#top)"),
        ("[x](/a 'the title')", 'x (/a "the title")'),
        ("[x](https://u@h.example)", "x (https://u@h.example)"),
        ("<std::string>", "<std::string>"),
        ("[**x** y]()", "x y ()"),
        ("[ok](https://a.example) [x](/b) z", "ok x (/b) z"),
    ],
)
def test_unsafe_links_become_text_with_their_address(source: str, text: str) -> None:
    html = _html(source)
    assert markup.text(html) == text
    assert set(markup.links(html)) <= {"https://a.example"}


@pytest.mark.parametrize(
    ("levels", "shown"),
    [
        ([1], [3]),
        ([3], [3]),
        ([6], [3]),
        ([1, 2, 3, 4, 5, 6], [3, 4, 5, 6, 6, 6]),
        ([1, 3, 3, 2, 1], [3, 4, 4, 4, 3]),
        ([3, 2, 3, 1, 4], [3, 3, 4, 3, 4]),
    ],
)
def test_headings_start_at_the_third_level_and_skip_none(levels: list[int], shown: list[int]) -> None:
    html = _html("\n\n".join(f"{'#' * level} Title" for level in levels))
    assert html == "\n".join(f"<h{level}>Title</h{level}>" for level in shown)


@pytest.mark.parametrize("kind", ["NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"])
def test_alerts_are_named_quotes(kind: str) -> None:
    name = kind.lower()
    assert _html(f"> [!{kind}]\n> text") == (
        f'<blockquote class="md-alert md-alert-{name}">\n'
        f'<p class="md-alert-title">{kind.capitalize()}</p>\n<p>text</p>\n</blockquote>'
    )


def test_other_marks_are_ordinary_quotes() -> None:
    assert _html("> [!BOGUS]\n> x") == "<blockquote>\n<p>[!BOGUS]<br>\nx</p>\n</blockquote>"


def test_tables_scroll_and_align_by_class() -> None:
    html = _html("| l | c | r | n |\n|:--|:-:|--:|---|\n| 1 | 2 | 3 | 4 |")
    assert html.startswith('<div class="scroll-x" tabindex="0" role="group" aria-label="Table"><table>')
    cells = [(tag, a.get("class"), a.get("scope")) for tag, a in markup.elements(html) if tag in ("th", "td")]
    assert cells == [
        *(("th", name, "col") for name in ("md-al", "md-ac", "md-ar", None)),
        *(("td", name, None) for name in ("md-al", "md-ac", "md-ar", None)),
    ]


def test_a_list_of_tasks_is_a_grid_of_ticks() -> None:
    assert _html("- [x] done **well**\n- [ ] open") == (
        '<ul class="tasks">\n'
        '<li><span class="tick tick--on" role="img" aria-label="Done"></span>'
        '<div><span class="done">done <strong>well</strong></span></div></li>\n'
        '<li><span class="tick" role="img" aria-label="Open"></span><div>open</div></li>\n</ul>'
    )


@pytest.mark.parametrize(
    "source", ["- [x] task\n- other", "1. [x] task\n2. [x] more", "- [ ] a\n\n  > - b\n- c"]
)
def test_ticks_among_other_items_stand_before_the_text(source: str) -> None:
    html = _html(source)
    assert "tasks" not in markup.classes(html)
    assert '<li><span class="tick' in html


def test_tasks_nest() -> None:
    html = _html("- [ ] a\n  - [x] b\n    1. [X] c\n")
    assert markup.classes(html) == {"tasks", "tick", "tick--on", "done"}
    assert [t for t in markup.tags(html) if t in ("ul", "ol")] == ["ul", "ul", "ol"]


@pytest.mark.parametrize("text", ["[x]no space", "[ ]", "[-] d", "\\[x] escaped"])
def test_what_only_looks_like_a_task_is_text(text: str) -> None:
    html = _html(f"- {text}")
    assert markup.text(html).strip() == text.replace("\\", "")
    assert "tick" not in markup.classes(html)


@pytest.mark.parametrize("source", ["- [x] ```\n      code\n      ```", "- [x] # Title", "- [x] > quote"])
def test_a_done_task_may_begin_with_any_block(source: str) -> None:
    html = _html(source)
    assert "tick--on" in markup.classes(html)
    assert "done" not in markup.classes(html)


def test_an_empty_done_task_is_a_tick() -> None:
    assert markup.classes(_html("- [x] \n- [ ] b")) == {"tasks", "tick", "tick--on"}


def test_loose_tasks_keep_their_paragraphs() -> None:
    html = _html("- [x] a\n\n  b\n\n- [ ] c")
    assert '<div><p><span class="done">a</span></p>\n<p>b</p>\n</div>' in html
