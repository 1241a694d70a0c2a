"""The Markdown of cards: CommonMark with GitHub's tables, tasks, alerts and footnotes, and plain links."""

import re
import threading

from linkify_it import LinkifyIt
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from memory.rendering import mending, rewriting
from memory.rendering.fill import Draft
from memory.rendering.guard import MAX_NESTING, RenderRefused, RenderSettings
from memory.rendering.render import CardRenderer
from memory.rendering.tex import tex_block, tex_inline

_LINE_END = re.compile(r"\r\n?")
_LINE_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


class CardParser(MarkdownIt):
    """Parser and renderer of card text; raw HTML is never markup."""

    def __init__(self) -> None:
        super().__init__(
            "commonmark",
            {
                "html": False,
                "maxNesting": MAX_NESTING,
                "tasklists": True,
                "alerts": True,
                "linkify": True,
                "xhtmlOut": False,
            },
            renderer_cls=CardRenderer,
        )
        self.enable(["table", "strikethrough", "linkify"])
        self.linkify = _written_out_links()
        footnote_plugin(self, inline=False)
        # Once more, because the plugin replaced our rules for notes by its own.
        self.renderer = CardRenderer(self)
        self.inline.ruler.before("escape", "tex", tex_inline)
        self.block.ruler.before(
            "fence", "tex", tex_block, {"alt": ["paragraph", "reference", "blockquote", "list"]}
        )
        self.inline.ruler.before("html_inline", "line_break", _line_break)
        rules = self.core.ruler
        rules.before("inline", "refuse_blocks", _refuse_blocks)
        rules.before("inline", "mend_tables", mending.keep_extra_cells)
        rules.before("footnote_tail", "mend_footnotes", mending.keep_unused_footnotes)
        rules.before("footnote_tail", "mend_references", mending.keep_unused_references)
        rules.push("refuse_inline", _refuse_inline)
        rules.push("rewrite_links", rewriting.rewrite_links)
        rules.push("rewrite_blocks", rewriting.rewrite_blocks)
        rules.push("rewrite_tasks", rewriting.rewrite_tasks)

    # The name is markdown-it's.
    def validateLink(self, url: str) -> bool:  # noqa: N802
        """Accept every address: `rewriting.rewrite_links` shows the unsafe ones as text."""
        return True

    def to_html(self, text: str, draft: Draft) -> str:
        """Return the HTML of a text, to be sealed with its draft.

        Raises:
            RenderRefused: when the text is over a limit of the draft's settings.
        """
        env = {"draft": draft, "references": mending.References()}
        html: str = self.render(text, env)
        return html


def _written_out_links() -> LinkifyIt:
    """Return a finder of addresses that leaves README.md and main.rs alone."""
    finder = LinkifyIt(options={"fuzzy_link": False, "fuzzy_email": True})
    return finder.add("ftp:", None).add("//", None)


def _line_break(state: StateInline, silent: bool) -> bool:
    """Accept exactly ``<br>`` and ``<br/>``, which models put into table cells."""
    match = _LINE_BREAK.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        state.push("hardbreak", "br", 0)
    state.pos = match.end()
    return True


def _refuse_blocks(state: StateCore) -> None:
    draft: Draft = state.env["draft"]
    limits = draft.settings
    _refuse_many(state.tokens, limits)
    siblings: dict[int, int] = {}
    for token in state.tokens:
        # A token on the last level may be one whose content the parser has already dropped.
        if token.level >= MAX_NESTING - 1:
            raise RenderRefused(f"nested deeper than {MAX_NESTING} levels")
        if len(token.content) > limits.max_inline_chars and token.type == "inline":
            raise RenderRefused(f"a paragraph longer than {limits.max_inline_chars:,} characters")
        if token.nesting == -1:
            siblings.pop(token.level + 1, None)
        else:
            count = siblings[token.level] = siblings.get(token.level, 0) + 1
            if count > limits.max_siblings:
                raise RenderRefused(f"more than {limits.max_siblings:,} parts side by side")


def _refuse_inline(state: StateCore) -> None:
    draft: Draft = state.env["draft"]
    limits = draft.settings
    # Once more, because mending may have added blocks.
    _refuse_many(state.tokens, limits)
    total = 0
    for children in map(_children, state.tokens):
        total += len(children)
        if len(children) > limits.max_siblings or total > 2 * limits.max_blocks:
            raise RenderRefused("too many links, notes and other inline parts")


def _refuse_many(tokens: list[Token], limits: RenderSettings) -> None:
    if len(tokens) > limits.max_blocks:
        raise RenderRefused(f"more than {limits.max_blocks:,} blocks")


def _children(token: Token) -> list[Token]:
    return token.children or []


class _PerThread(threading.local):
    """One parser per thread: linkify-it keeps the text it works on in the instance."""

    def __init__(self) -> None:
        self.parser = CardParser()


_parsers = _PerThread()


def top_level_starts(text: str) -> list[int]:
    """Return the lines on which the outermost blocks of a text begin; definitions of links are none."""
    tokens: list[Token] = []
    parser = _parsers.parser
    text = _LINE_END.sub("\n", text)
    parser.block.parse(text, parser, {"references": mending.References()}, tokens)
    return [token.map[0] for token in tokens if token.level == 0 and token.nesting >= 0 and token.map]


def markdown_html(text: str, draft: Draft) -> str:
    """Return the HTML of Markdown text, to be sealed with its draft (see `CardParser.to_html`)."""
    return _parsers.parser.to_html(text, draft)
