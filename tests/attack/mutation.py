"""Hostile inputs changed at random: spliced, doubled, cut, encoded, mixed with marks of every language."""

import html
import random
from collections.abc import Callable, Iterator

from tests.attack.vectors import IMAGE, RUN, VECTORS

MOST_CHARACTERS = 400
TOKENS = (
    *(
        "<",
        ">",
        "</",
        "/>",
        '"',
        "'",
        "`",
        "=",
        "&",
        ";",
        "#",
        "\x00",
        "\n",
        "\t",
        "\x0c",
        " ",
        "\u2028",
        "\u202e",
        "\ufeff",
    ),
    *(
        "<!--",
        "-->",
        "--!>",
        "<![CDATA[",
        "]]>",
        "<?",
        "<svg>",
        "</svg>",
        "<math>",
        "</math>",
        "<mtext>",
        "<style>",
        "</style>",
    ),
    *(
        "<title>",
        "</title>",
        "<table>",
        "<tr>",
        "<td>",
        "<p>",
        "</p>",
        "<form>",
        "<template>",
        "<select>",
        "<mglyph>",
        "<desc>",
    ),
    *(
        "<foreignObject>",
        "<annotation-xml encoding=text/html>",
        "<textarea>",
        "<noscript>",
        "<a href=",
        " onerror=",
        " onclick=",
    ),
    *(
        " style=",
        " href=",
        " src=",
        "javascript:",
        "data:text/html,",
        "&lt;",
        "&#60;",
        "&colon;",
        RUN,
        IMAGE,
        f"<script>{RUN}</script>",
    ),
    *(
        "[",
        "](",
        ")",
        "![",
        "[^1]",
        "\n[^1]: ",
        "|",
        "\n|-|\n",
        "\n> ",
        "\n- [x] ",
        "\n# ",
        "**",
        "~~",
        "\\",
        "```",
        "\n~~~\n",
        "    ",
    ),
    *(
        "$",
        "$$",
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "\\text{",
        "}",
        "{",
        "\\frac",
        "^",
        "_",
        "\\begin{align}",
        "\\end{align}",
        "\\href{",
    ),
    *(
        "https://",
        "<https://",
        "\n```mermaid\n",
        "\n```markmap\n",
        "\n```vega-lite\n",
        "\n```json\n",
        "\n```math\n",
        "\n```\n",
        "<br>",
    ),
)


def mutants(number: int, seed: int) -> Iterator[str]:
    """Yield that many inputs, the same ones for the same seed."""
    source = random.Random(seed)
    for _ in range(number):
        text = source.choice(VECTORS)
        for _ in range(source.randint(1, 6)):
            text = source.choice(CHANGES)(text, source)
        yield text[:MOST_CHARACTERS]


def _splice(text: str, source: random.Random) -> str:
    other, cut = source.choice(VECTORS), _place(text, source)
    return text[:cut] + other[_place(other, source) :] + text[cut:]


def _insert(text: str, source: random.Random) -> str:
    cut = _place(text, source)
    return text[:cut] + source.choice(TOKENS) + text[cut:]


def _drop(text: str, source: random.Random) -> str:
    start = _place(text, source)
    return text[:start] + text[start + source.randint(1, 8) :]


def _double(text: str, source: random.Random) -> str:
    start = _place(text, source)
    piece = text[start : start + source.randint(1, 20)]
    return text[:start] + piece * source.randint(2, 4) + text[start + len(piece) :]


def _encode(text: str, source: random.Random) -> str:
    return "".join(f"&#{ord(mark)};" if source.random() < 0.1 else mark for mark in text)


def _unescape(text: str, source: random.Random) -> str:
    return html.unescape(text)


def _swap_case(text: str, source: random.Random) -> str:
    return "".join(mark.swapcase() if source.random() < 0.3 else mark for mark in text)


def _wrap(text: str, source: random.Random) -> str:
    return source.choice(TOKENS) + text + source.choice(TOKENS)


def _place(text: str, source: random.Random) -> int:
    return source.randint(0, len(text))


CHANGES: tuple[Callable[[str, random.Random], str], ...] = (
    *(_splice, _insert, _insert, _insert, _drop, _double, _encode, _unescape, _swap_case, _wrap),
)
