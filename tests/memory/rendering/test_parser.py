"""The dialect: what is markup, what is refused, and that words stay."""

import threading

import pytest

from memory.rendering.cards import render_markdown
from memory.rendering.fill import Draft
from memory.rendering.guard import DEFAULT_SETTINGS, RenderRefused, RenderSettings
from memory.rendering.parser import markdown_html
from tests.memory.rendering import markup


def _html(source: str) -> str:
    card = render_markdown(source, "card")
    assert card.error is None
    markup.check(card.html)
    return card.html.strip()


def _refusal(source: str, settings: RenderSettings = DEFAULT_SETTINGS) -> str:
    with pytest.raises(RenderRefused) as refused:
        markdown_html(source, Draft("card", settings))
    return str(refused.value)


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("one\ntwo\n\nthree", "<p>one<br>\ntwo</p>\n<p>three</p>"),
        (
            "*em* **strong** ~~gone~~ `code`",
            "<p><em>em</em> <strong>strong</strong> <s>gone</s> <code>code</code></p>",
        ),
        ("a  \nb", "<p>a<br>\nb</p>"),
        ("a<br>b<BR />c", "<p>a<br>\nb<br>\nc</p>"),
        ("a<br class=x>b", "<p>a&lt;br class=x&gt;b</p>"),
        ("---", "<hr>"),
        ("> quote", "<blockquote>\n<p>quote</p>\n</blockquote>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("3. a\n4. b", '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'),
        ("1. a\n\n   b", "<ol>\n<li><p>a</p>\n<p>b</p>\n</li>\n</ol>"),
        ("<b>x</b> <!-- y -->", "<p>&lt;b&gt;x&lt;/b&gt; &lt;!-- y --&gt;</p>"),
        ("&copy; &lt; &#x202e;", "<p>© &lt; \ufffd</p>"),
    ],
)
def test_basic_markdown(source: str, html: str) -> None:
    assert _html(source) == html


@pytest.mark.parametrize(
    ("source", "address"),
    [
        ("see https://example.org/a.", "https://example.org/a"),
        ("write to a@b.org", "mailto:a@b.org"),
        ("<https://example.org>", "https://example.org"),
        ("[t](https://example.org)", "https://example.org"),
    ],
)
def test_written_out_addresses_become_links(source: str, address: str) -> None:
    assert markup.links(_html(source)) == [address]


@pytest.mark.parametrize(
    "word", ["README.md", "main.rs", "example.com", "www.example.com", "//host/x", "ftp://host/x"]
)
def test_file_names_and_bare_hosts_stay_text(word: str) -> None:
    assert _html(f"see {word} now") == f"<p>see {word} now</p>"


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $10, from $5-$10 or $5k to $10k; US$5 and US$10.",
        "Path $HOME/$USER and $HOME or $PATH",
        "the $n$th",
        "spaced $ x $ too",
        "a lone $ sign",
        "$$",
    ],
)
def test_prices_and_variables_are_not_formulas(text: str) -> None:
    assert markup.text(_html(text)) == text
    assert not markup.classes(_html(text))


def test_an_unclosed_formula_stays_text() -> None:
    assert markup.text(_html("\\(x and \\[y")) == "(x and [y"


@pytest.mark.parametrize("text", ["so $x$", "a<br>b", "\\(x\\)"])
def test_formulas_and_line_breaks_may_stand_in_a_link(text: str) -> None:
    assert markup.links(_html(f"[{text}](https://example.org)")) == ["https://example.org"]


def test_a_formula_longer_than_the_limit_is_text() -> None:
    assert not markup.classes(_html(f"${'x' * 2_100}$"))


def test_deep_nesting_is_kept_up_to_the_limit() -> None:
    html = _html("- " * 18 + "eighteen\n\n" + "> " * 36 + "thirty six")
    assert markup.tags(html).count("ul") == 18
    assert markup.tags(html).count("blockquote") == 36
    assert "eighteen" in markup.text(html)
    assert "thirty six" in markup.text(html)


@pytest.mark.parametrize("marks", ["- " * 60, "> " * 60, "1. " * 40, "- > " * 30])
def test_nesting_that_the_parser_would_drop_is_refused(marks: str) -> None:
    assert _refusal(f"{marks}deep") == "nested deeper than 40 levels"


def test_too_many_blocks_are_refused() -> None:
    assert _refusal("a\n\nb", RenderSettings(max_blocks=5)) == "more than 5 blocks"


def test_too_many_unused_definitions_are_refused() -> None:
    assert _refusal("[a]: b\n" * 9_000) == "more than 20,000 blocks"


def test_a_long_paragraph_is_refused_but_long_code_is_not() -> None:
    settings = RenderSettings(max_inline_chars=9)
    assert _refusal("x" * 10, settings) == "a paragraph longer than 9 characters"
    markdown_html("```\n" + "x" * 10 + "\n```", Draft("card", settings))


def test_too_many_parts_side_by_side_are_refused() -> None:
    settings = RenderSettings(max_siblings=3)
    assert _refusal("a\n\nb\n\nc\n\nd", settings) == "more than 3 parts side by side"
    markdown_html("- a\n- b\n\n> - c\n> - d\n", Draft("card", settings))


@pytest.mark.parametrize("settings", [RenderSettings(max_siblings=4), RenderSettings(max_blocks=3)])
def test_too_many_inline_parts_are_refused(settings: RenderSettings) -> None:
    assert _refusal("*a* *b* *c* *d* *e*", settings) == "too many links, notes and other inline parts"


def test_threads_do_not_disturb_each_other() -> None:
    sources = [f"https://example.org/{n} a{n}@b.example " * 30 for n in range(4)]
    expected = [render_markdown(source, "card").html for source in sources]
    results: dict[int, list[str]] = {}

    def work(n: int) -> None:
        results[n] = [render_markdown(sources[n], "card").html for _ in range(5)]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: [expected[n]] * 5 for n in range(4)}
