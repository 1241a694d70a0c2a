"""Whatever makes a stage slow is refused, drawn or killed in time, and the next card is unaffected."""

import itertools
import time
from collections.abc import Iterator

import pytest

from memory.rendering.child import TIME_LIMIT_S, RenderChild
from tests.attack.generators import markdown_texts, value_texts
from tests.conftest import Measured

pytestmark = pytest.mark.timeout(300)

# Every so many of the texts; `make attack` takes all.
EVERY = 24
# Starting the process again after it was killed takes its time, too.
PATIENCE_S = 30


@pytest.fixture
def child() -> Iterator[RenderChild]:
    child = RenderChild()
    yield child
    child.close()


def test_slow_texts_end_and_the_next_card_is_right(child: RenderChild, measured: Measured) -> None:
    longest = 0.0
    for _, text in itertools.islice(markdown_texts(), 0, None, EVERY):
        begin = time.monotonic()
        assert child.render_markdown(text, "card").html or not text.strip()
        longest = max(longest, time.monotonic() - begin)
        assert child.render('"**next**"', "card").html == "<p><strong>next</strong></p>\n"
    assert longest < TIME_LIMIT_S + PATIENCE_S
    measured(f"longest of the slow texts: {longest:.1f} s")


def test_slow_values_end_and_the_next_card_is_right(child: RenderChild) -> None:
    for _, text in value_texts():
        assert child.render(text, "card").html
        assert child.render("1", "card").error is None
