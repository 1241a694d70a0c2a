from decimal import Decimal

import pytest

from agents.connectors.base import Usage
from agents.prices import cost_of

USAGE = Usage(input_tokens=1_000_000, output_tokens=1_000_000)


def test_a_known_model_has_its_published_price() -> None:
    assert cost_of("openai:gpt-4.1", "gpt-4.1-2025-04-14", USAGE) == Decimal(10)


def test_both_interfaces_of_openai_have_one_price() -> None:
    assert cost_of("openai-responses:gpt-4.1", "", USAGE) == cost_of("openai:gpt-4.1", "", USAGE)


def test_cached_tokens_cost_less() -> None:
    cached = Usage(input_tokens=1_000_000, output_tokens=0, cached_tokens=1_000_000)
    assert cost_of("openai:gpt-4.1", "", cached) == Decimal("0.5")


def test_the_price_of_what_was_asked_stands_in_for_an_unknown_answer() -> None:
    assert cost_of("openai:gpt-4.1", "something-new", USAGE) == Decimal(10)


@pytest.mark.parametrize("model", ["openai:no-such-model", "compatible:gpt-4.1", "scripted:demo"])
def test_an_unknown_price_is_no_price(model: str) -> None:
    assert cost_of(model, "", USAGE) is None


@pytest.mark.parametrize("usage", [Usage(), Usage(input_tokens=1), Usage(output_tokens=1)])
def test_usage_that_was_not_reported_has_no_price(usage: Usage) -> None:
    assert cost_of("openai:gpt-4.1", "", usage) is None
