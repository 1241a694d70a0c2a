"""From tokens to HTML: the rules that differ from the parser's own."""

from collections.abc import Sequence

from markdown_it.common.utils import unescapeAll
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from memory.rendering.blocks import FENCES
from memory.rendering.blocks.code import code_block, language_of
from memory.rendering.blocks.math import formula
from memory.rendering.blocks.picture import picture_html
from memory.rendering.fill import Draft
from memory.rendering.links import LINK_REL, LINK_TARGET, is_safe_url, web_host
from memory.rendering.sanitize import escape, hidden_image_html, title_attribute

_TICKS = {
    True: '<span class="tick tick--on" role="img" aria-label="Done"></span>',
    False: '<span class="tick" role="img" aria-label="Open"></span>',
}

_IMAGE_RULE = "not shown: only files of the workspace and https addresses of allowed hosts are"


class CardRenderer(RendererHTML):
    """Renders a card's tokens; each method is the rule for tokens of its name."""

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return a fenced block by its language; what no block claims is code."""
        info = unescapeAll(tokens[idx].info).strip()
        block = FENCES.get(language_of(info), code_block)
        return block(tokens[idx].content, info, _draft(env))

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return an indented block as code without a language."""
        return code_block(tokens[idx].content, "", _draft(env))

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return a picture of our origin, or a labelled link: loading it would tell its site who reads."""
        token = tokens[idx]
        words = _words(token.children)
        url, title = str(token.attrs["src"]), str(token.attrs.get("title", ""))
        shown = picture_html(url, words, title, _draft(env))
        if shown:
            return shown
        if not is_safe_url(url) or not web_host(url) or token.meta["inside_link"]:
            return hidden_image_html(words, _IMAGE_RULE, address=url, title=title)
        label = f"image: {words} ({web_host(url)})" if words.strip() else f"image ({web_host(url)})"
        attributes = f'href="{escape(url)}"{title_attribute(title)} rel="{LINK_REL}" target="{LINK_TARGET}"'
        return f'<a class="md-image" {attributes}>{escape(label)}</a>'

    def tex(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return a formula in a line."""
        return formula(tokens[idx].content, _draft(env))

    def tex_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return a formula that fills whole lines."""
        return f"<div>{formula(tokens[idx].content, _draft(env))}</div>\n"

    def softbreak(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return the end of a line: people type messages in lines, files have them anywhere."""
        return "<br>\n" if _draft(env).hard_breaks else "\n"

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return the opening of a table that scrolls by itself."""
        return '<div class="scroll-x" tabindex="0" role="group" aria-label="Table"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return the end of a table and of what scrolls it."""
        return "</table></div>\n"

    def list_item_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return the opening of an item, with a tick when it is a task among other items."""
        tick = f"{_TICKS[tokens[idx].meta['checked']]} " if "checked" in tokens[idx].meta else ""
        return f"<li>{tick}"

    def task_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return the opening of a task: its tick, then one element for the rest."""
        return f"<li>{_TICKS[tokens[idx].meta['checked']]}<div>"

    def task_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return the end of a task."""
        return "</div></li>\n"

    def footnote_ref(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return the number of a note, leading to it."""
        note, place = _note(tokens[idx])
        anchor = _draft(env).anchor
        return f'<sup><a href="#{anchor}-fn{note}" id="{anchor}-fnref{note}-{place}">[{note}]</a></sup>'

    def footnote_block_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Return the opening of the notes."""
        return '<section class="md-footnotes"><ol>\n'

    def footnote_block_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Return the end of the notes."""
        return "</ol></section>\n"

    def footnote_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return the opening of one note."""
        return f'<li id="{_draft(env).anchor}-fn{tokens[idx].meta["id"] + 1}">'

    def footnote_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return the end of one note."""
        return "</li>\n"

    def footnote_anchor(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return the way back from a note to one of its references."""
        note, place = _note(tokens[idx])
        return f' <a class="md-footnote-back" href="#{_draft(env).anchor}-fnref{note}-{place}">↩</a>'


def _draft(env: EnvType) -> Draft:
    draft: Draft = env["draft"]
    return draft


def _note(token: Token) -> tuple[int, int]:
    return token.meta["id"] + 1, token.meta["subId"] + 1


def _words(tokens: Sequence[Token] | None) -> str:
    """Return the text of an image's description without its markup."""
    return "".join(
        _words(token.children) if token.children else token.content or " " * (token.tag == "br")
        for token in tokens or ()
    )
