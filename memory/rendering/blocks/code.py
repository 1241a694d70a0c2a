"""Code blocks, highlighted with the stylesheet's six token classes as long as that stays cheap."""

import re
import time
from collections.abc import Iterable
from functools import lru_cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import (
    Comment,
    Generic,
    Keyword,
    Literal,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Token,
)
from pygments.token import _TokenType as TokenType
from pygments.util import ClassNotFound

from memory.rendering.fill import Draft
from memory.rendering.guard import RenderSettings
from memory.rendering.sanitize import SafeHTML, code_html, escape

_LANGUAGE = re.compile(r"[a-z0-9+#._-]{1,30}")
# Names that writers use and Pygments does not know.
_ALIASES = {"plain": "text", "plaintext": "text"}

_CLASSES = {
    Comment: "tk-c",
    Comment.Preproc: "tk-k",
    Generic.Deleted: "tk-n",
    Generic.Heading: "tk-f",
    Generic.Inserted: "tk-s",
    Generic.Prompt: "tk-c",
    Generic.Subheading: "tk-f",
    Keyword: "tk-k",
    Literal: "tk-s",
    Name.Attribute: "tk-f",
    Name.Builtin: "tk-f",
    Name.Class: "tk-f",
    Name.Decorator: "tk-f",
    Name.Function: "tk-f",
    Name.Tag: "tk-k",
    Number: "tk-n",
    Operator: "tk-p",
    Operator.Word: "tk-k",
    Punctuation: "tk-p",
    String: "tk-s",
    Token: "",
}

_COPY = (
    '<button class="code__copy needs-script" type="button" data-copy-next="" data-copy-name="code">'
    "Copy</button>"
)


def code_block(source: str, info: str, draft: Draft, *, language: str = "") -> str:
    """Return a code block; ``info`` is what stood behind the opening fence and is shown in full.

    ``language`` is what the source is written in, where the info does not begin with it.
    """
    draft.features.add("code")
    content = draft.slot(highlight(source, language or language_of(info), draft.settings))
    return (
        f'<div class="code"><div class="code__bar"><span>{escape(info)}</span>{_COPY}</div>'
        f'<pre tabindex="0"><code>{content}</code></pre></div>\n'
    )


def language_of(info: str) -> str:
    """Return the language an info string names, in lower case; an empty text when it names none."""
    words = info.split(maxsplit=1)
    return words[0].strip("{}.").lower() if words else ""


def source_block(source: str, info: str, reason: str, draft: Draft) -> str:
    """Return a block that could not be shown as what it is: the reason, then its source as code."""
    notice = f'<div class="notice notice--warn"><p>{escape(reason)}</p></div>'
    return notice + code_block(source, info, draft)


def highlight(source: str, language: str, settings: RenderSettings) -> SafeHTML:
    """Return escaped code with token spans, or without them when the language is unknown.

    Lexers are super-linear on some inputs, so long code, long lines and lexers that use up
    ``code_budget_ms`` are left plain; so is code that a lexer would change.
    """
    lexer = _lexer(language) if _LANGUAGE.fullmatch(language) else None
    if (
        lexer is None
        or len(source) > settings.max_code_chars
        or max(map(len, source.split("\n"))) > settings.max_code_line_chars
    ):
        return escape(source)
    deadline = time.thread_time() + settings.code_budget_ms / 1000
    runs: list[tuple[str, list[str]]] = []
    for kind, text in lexer.get_tokens(source):
        if time.thread_time() > deadline:
            return escape(source)
        name = _class_of(kind)
        if runs and runs[-1][0] == name:
            runs[-1][1].append(text)
        else:
            runs.append((name, [text]))
    if "".join(text for _, texts in runs for text in texts) != source:
        return escape(source)
    return code_html("".join(_spans(runs)))


def _spans(runs: Iterable[tuple[str, list[str]]]) -> Iterable[str]:
    for name, texts in runs:
        text = escape("".join(texts))
        yield f'<span class="{name}">{text}</span>' if name else text


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(_ALIASES.get(language, language), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@lru_cache(maxsize=512)
def _class_of(kind: TokenType) -> str:
    # Every kind descends from Token, which has no class.
    return next(_CLASSES[part] for part in reversed(kind.split()) if part in _CLASSES)
