"""Text of 64,000 characters that makes parsers slow, deep or large."""

import json
from collections.abc import Iterator

CHARACTERS = 64_000

# The smallest picture.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="

# Repeated until the text is full; each is worst for some stage.
REPEATED = {
    "ampersands": "&",
    "backslashes": "\\",
    "backticks growing": "` `` ``` ",
    "brackets": "[",
    "closing brackets": "]",
    "image openings": "![",
    "link openings": "[](",
    "nested links": "[[a](b)](c) ",
    "reference links": "[a][b] ",
    "definitions": "[a]: b\n",
    "footnote references": "[^1]",
    "footnotes": "[^1]: a\n\n",
    "stars": "*a ",
    "stars and underscores": "**_a ",
    "underscores": "_a__b",
    "tildes": "~~a ",
    "angles": "<",
    "tags": "<a b='c'>",
    "comments": "<!--",
    "entities": "&copy;&#x1;&bogus;",
    "autolinks": "<https://a.b>",
    "addresses": "https://a.b/c ",
    "mail addresses": "a@b.cd ",
    "colons": "x:",
    "mailto": "mailto:",
    "pipes": "|",
    "table rows": "|a|b|\n",
    "table of one row": "|a",
    "wide table": "|-",
    "pictures": "![a](a.png)\n\n",
    "pictures inside": f"![a](data:image/png;base64,{PIXEL})\n\n",
    "pictures without end": "![a](data:image/png;base64,A" * 2,
    "quotes": "> ",
    "lists in a line": "- ",
    "numbers": "1. ",
    "list lines": "- a\n",
    "tasks": "- [ ] a\n",
    "headings": "# a\n",
    "rules": "***\n",
    "setext": "a\n=\n",
    "fences": "```\n",
    "fenced json": "```json\n[1]\n```\n",
    "fenced mermaid": "```mermaid\na\n```\n",
    "fenced mind maps": "```markmap\n- a\n```\n",
    "fenced charts": '```vega-lite\n{"mark":"bar"}\n```\n',
    "indented": "    a\n",
    "blank lines": "\n",
    "spaces": " ",
    "tabs": "\t",
    "carriage returns": "\r",
    "control characters": "\x00\x1b",
    "surrogates": "\ud800",
    "bidi": "\u202e",
    "combining": "e\u0301\u0301",
    "emoji": "👩‍👩‍👧‍👦",
    "dollars": "$",
    "formulas": "$x$ ",
    "double dollars": "$$x$$",
    "dollar lines": "$$\n",
    "brackets of formulas": "\\[x",
    "parentheses of formulas": "\\(",
    "environments": "\\begin{align}\n",
    "alerts": "> [!NOTE]\n",
    "line breaks": "<br>",
    "hard breaks": "a  \n",
    "words": "word ",
}
# Put between fences of a language, or between the marks of a formula.
LANGUAGES = (
    "python",
    "js",
    "java",
    "c++",
    "perl",
    "css",
    "make",
    "console",
    "markdown",
    "json",
    "yaml",
    "bash",
)
CODE = ('"\\', "a b ", "(", "{", "/*", "'''", "$(", "<", "\\\n")
FORMULAS = {
    "braces": "{",
    "fractions": r"\frac{",
    "roots": r"\sqrt",
    "left": r"\left(",
    "environments": r"\begin{matrix}",
    "scripts": "^",
    "cells": "&",
    "commands": r"\alpha",
    "macros": r"\newcommand{\a}{\a\a}\a",
    "text": r"\text{",
}


def markdown_texts() -> Iterator[tuple[str, str]]:
    """Yield a name and a text, one for each generator."""
    for name, piece in REPEATED.items():
        yield name, _filled(piece)
        yield f"{name}, in a quoted list", f"> - {_filled(piece)}"
    for language in LANGUAGES:
        for piece in CODE:
            # Under the limit of what is highlighted, many times.
            block = f"```{language}\n{_filled(piece, 1_900)}\n```\n"
            yield f"{language} of {piece!r}", _filled(block)
    for name, piece in FORMULAS.items():
        yield f"one formula of {name}", f"${_filled(piece, 1_990)}$"
        yield f"formulas of {name}", _filled(f"$$\n{_filled(piece, 300)}\n$$\n")
        yield f"a long formula of {name}", f"$$\n{_filled(piece)}\n$$"


def value_texts() -> Iterator[tuple[str, str]]:
    """Yield a name and the JSON text of a value."""
    yield "deep arrays", "[" * 32_000 + "]" * 32_000
    yield "deep objects", '{"a":' * 12_000 + "1" + "}" * 12_000
    yield "many numbers", json.dumps(list(range(11_000)))
    yield "many texts", json.dumps(["x"] * 12_000)
    yield "a long number", "9" * CHARACTERS
    yield "a table", json.dumps([{"a": number, "b": number} for number in range(2_400)])
    yield "a wide object", json.dumps({f"k{number}": number for number in range(4_500)})
    yield "a long key", json.dumps({"k" * CHARACTERS: [1]})
    yield "no JSON", "[" * CHARACTERS


def _filled(piece: str, characters: int = CHARACTERS) -> str:
    return (piece * (characters // len(piece) + 1))[:characters]
