"""Rendering: cards cold and from memory, beside Markdown alone and beside nh3 in place of bleach."""

import json

import nh3
from markdown_it import MarkdownIt

from benchmarks.timing import Timed, medians_ms, print_table, timed
from memory.rendered import RenderedTexts
from memory.rendering.blocks import math
from memory.rendering.cards import CardHTML, render_card, render_markdown
from memory.rendering.fill import Draft
from memory.rendering.guard import DEFAULT_SETTINGS
from memory.rendering.parser import markdown_html
from memory.rendering.sanitize import TAGS, seal

ROUNDS = 30
HEAD = (
    "card",
    "bytes",
    "Markdown alone",
    "cold",
    "times Markdown",
    "of it bleach",
    "with nh3",
    "from memory",
)

# Everything but drawings, in the shares of a usual status card.
SMALL = """## Indexing run 14

Shard **3 of 8** done in `4m 12s`; loss $L(\\theta)=\\frac{1}{n}\\sum_i (y_i-f(x_i))^2$ so far.
See [the dashboard](https://example.org/runs/14) or the notes below, and ask `ops` before a restart.

| shard | documents | errors | state |
|---|---:|---:|---|
| 1 | 120331 | 3 | done |
| 2 | 118020 | 0 | done |
| 3 | 99812 | 12 | *running* |

- [x] plan the shards and reserve disk space
- [ ] crawl 4 to 8
  - [ ] retry what failed, at most three times each
- [ ] compare the counts with the last run

> [!WARNING]
> Shard 3 had transient failures between 02:10 and 02:25; see the log of the crawler.

```python
async def crawl(shard: int, *, limit: int = 100) -> list[str]:
    # keep the order
    return [item["id"] async for item in source(shard)][:limit]
```

The next step merges the shards. It needs about twice the space of the largest one and takes
some twenty minutes; the search stays on the old index until it is complete[^1].

1. build the merged index beside the old one
2. check a sample of 500 queries against both
3. switch the alias, and keep the old index for a day

Nothing on this card needs an answer before the morning; the operators of the search know about it.
Questions go to the **search** channel. The run is repeated every night at 02:00 UTC, and its costs
are reported weekly.

[^1]: The alias is switched in one step.
"""
LARGE = "\n\n".join(
    SMALL.replace("[^1]", f"[^{number}]").replace("run 14", f"run {number}") for number in range(1, 16)
)


def main() -> None:
    print(f"Rendering: medians of {ROUNDS} in milliseconds")
    rows = []
    for name, text in (("small", SMALL), ("large", LARGE)):
        ms = medians_ms(_measurements(text), ROUNDS)
        rows.append(
            (
                name,
                len(text.encode()),
                ms["alone"],
                ms["cold"],
                ms["cold"] / ms["alone"],
                ms["bleach"],
                ms["cold"] - ms["bleach"] + ms["nh3"],
                ms["cached"],
            )
        )
    print_table(HEAD, rows)


def _measurements(text: str) -> dict[str, Timed]:
    alone = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    value = json.dumps(text)
    draft = Draft("card", DEFAULT_SETTINGS)
    raw = markdown_html(text, draft)
    kept = RenderedTexts()
    kept.get(render_card, "value", value, "card")
    return {
        "alone": timed(lambda: text, alone.render),
        "cold": timed(_without_memory, lambda _: _shown(render_markdown(text, "card"))),
        "bleach": timed(lambda: raw, lambda html: seal(html, draft)),
        "nh3": timed(lambda: raw, lambda html: nh3.clean(html, tags=set(TAGS))),
        "cached": timed(lambda: value, lambda json_text: kept.get(render_card, "value", json_text, "card")),
    }


def _without_memory() -> None:
    math.typeset.cache_clear()


def _shown(card: CardHTML) -> None:
    if card.error is not None:
        raise RuntimeError(card.error)
