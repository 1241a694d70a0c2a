"""Strategies are found by name, made with options, and ours stay."""

from collections.abc import Iterator
from typing import Any, cast

import pytest

from agents.context import AlgorithmicStrategy, StrategyRegistry
from agents.context.compaction.strategy import CompactionResult, ConsolidationResult, DefaultStrategy
from agents.context.errors import AlreadyRegistered, BuiltInStrategy, InvalidOption, UnknownStrategy
from tests.agents.context.compaction.cast import sized


class Own(AlgorithmicStrategy):
    name = "own"
    display_name = "Own"
    description = "A strategy of a host."

    def __init__(self, *, threshold: float = 0.5) -> None:
        super().__init__(threshold=threshold)


@pytest.fixture
def own() -> Iterator[None]:
    StrategyRegistry.register(Own)
    yield
    StrategyRegistry.remove("own")


def test_ours_are_there() -> None:
    assert StrategyRegistry.list() == ("algorithmic", "default")
    assert StrategyRegistry.get("algorithmic") is AlgorithmicStrategy
    info = StrategyRegistry.get_info("algorithmic")
    assert info is not None
    assert (info.threshold, info.is_built_in) == (0.75, True)
    assert info.required_plugins == ("working_memory",)


@pytest.mark.usefixtures("own")
def test_a_host_registers_its_own() -> None:
    assert StrategyRegistry.has("own")
    assert isinstance(StrategyRegistry.create("own"), Own)
    assert StrategyRegistry.create("own", threshold=0.4).threshold == 0.4
    info = StrategyRegistry.get_info("own")
    assert info is not None
    assert (info.display_name, info.description, info.is_built_in) == ("Own", "A strategy of a host.", False)
    with pytest.raises(AlreadyRegistered, match="already registered"):
        StrategyRegistry.register(Own)


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownStrategy, match=r'"gone" not found\. .*: algorithmic, default'):
        StrategyRegistry.get("gone")
    assert StrategyRegistry.get_if_exists("gone") is None
    assert StrategyRegistry.get_if_exists("default") is DefaultStrategy
    assert StrategyRegistry.get_info("gone") is None
    assert not StrategyRegistry.has("gone")
    assert not StrategyRegistry.remove("gone")


def test_ours_cannot_be_removed() -> None:
    with pytest.raises(BuiltInStrategy, match="Cannot remove built-in"):
        StrategyRegistry.remove("algorithmic")
    assert StrategyRegistry.has("algorithmic")


def test_options_come_as_keywords_or_in_a_mapping_of_either_spelling() -> None:
    made = StrategyRegistry.create("algorithmic", {"toolResultSizeThreshold": 10, "max_tool_pairs": 2})
    assert isinstance(made, AlgorithmicStrategy)
    assert (made.tool_result_size_threshold, made.max_tool_pairs, made.threshold) == (10, 2, 0.75)
    with pytest.raises(TypeError, match="colour"):
        StrategyRegistry.create("algorithmic", colour="red")


@pytest.mark.parametrize("threshold", [0, -0.1, 1.01, float("nan"), True, "0.7", None])
@pytest.mark.parametrize("name", ["algorithmic", "default"])
def test_a_threshold_out_of_range_is_refused(name: str, threshold: Any) -> None:
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        StrategyRegistry.create(name, threshold=threshold)


def test_the_plain_strategy_does_not_consolidate() -> None:
    assert DefaultStrategy().consolidate(None) == ConsolidationResult()  # type: ignore[arg-type]
    assert CompactionResult().log == ()


@pytest.mark.parametrize("threshold", [7, -1, float("nan"), "a"])
def test_a_threshold_of_one_compaction_is_checked_too(threshold: Any) -> None:
    context = sized(10_000)
    for ask in (context.compact, context.preview_compaction):
        with pytest.raises(InvalidOption, match="threshold is a number above 0 and at most 1"):
            ask(threshold=threshold)


@pytest.mark.parametrize(
    "option", ["tool_result_size_threshold", "max_tool_pairs", "protected_turns", "max_summary_tokens"]
)
@pytest.mark.parametrize("value", [-1, 1.5, True, "3"])
def test_an_option_out_of_range_is_named(option: str, value: Any) -> None:
    with pytest.raises(InvalidOption, match=f"{option} is a whole number"):
        StrategyRegistry.create("algorithmic", {option: value})


def test_what_is_no_strategy_is_refused_where_it_is_given() -> None:
    context = sized(10_000)
    odd: Any
    for odd in (5, int, Own):
        with pytest.raises(InvalidOption, match="CompactionStrategy"):
            context.use_strategy(odd)
    with pytest.raises(InvalidOption, match="int has not"):
        StrategyRegistry.register(cast("Any", int))
    bad: Any = Own()
    bad.threshold = "0.7"
    with pytest.raises(InvalidOption, match="threshold"):
        context.use_strategy(bad)
    bad.threshold = 0.7
    context.use_strategy(bad)
    assert context.strategy == "own"
