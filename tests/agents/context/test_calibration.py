from typing import Any

import pytest

from agents.context.calibration import MAX_RATIO, Calibration
from agents.context.errors import InvalidOption
from tests.agents.context.cast import context_of, reply


def test_nothing_is_corrected_before_the_first_report() -> None:
    calibration = Calibration()
    assert (calibration.ratio, calibration.error, calibration.safety_factor) == (1.0, 0.0, 1.0)


def test_the_ratio_is_that_of_all_calls_together() -> None:
    calibration = Calibration().observe(estimated=100, reported=120).observe(estimated=300, reported=320)
    assert calibration.ratio == 1.1
    assert calibration.error == pytest.approx(0.1)
    assert calibration.safety_factor == 1.1


def test_counting_too_much_lowers_no_guard() -> None:
    calibration = Calibration().observe(estimated=200, reported=100)
    assert calibration.error == -0.5
    assert calibration.safety_factor == 1.0


@pytest.mark.parametrize(("estimated", "reported"), [(0, 5), (5, 0), (-1, 5)])
def test_a_call_without_figures_changes_nothing(estimated: int, reported: int) -> None:
    assert Calibration().observe(estimated=estimated, reported=reported) == Calibration()


def test_a_context_compares_the_report_with_its_last_prompt() -> None:
    context = context_of()
    context.record_usage(50)
    assert context.calibration == Calibration()
    context.add_user_message("hi")
    used = context.prepare().budget.total_used
    context.record_usage(used * 2)
    assert context.calibration.ratio == 2.0
    assert context.calculate_budget().total_used == used


@pytest.mark.parametrize("count", [None, "x", "5", float("nan"), float("inf"), 5.0, -1, True])
def test_what_is_no_count_is_refused_with_the_remedy(count: Any) -> None:
    context = context_of()
    context.add_user_message("hi")
    context.prepare()
    with pytest.raises(InvalidOption, match="leave the call out when the provider sent none"):
        context.record_usage(count)
    assert context.calibration == Calibration()


def test_one_report_counts_for_no_more_than_vocabularies_differ() -> None:
    calibration = Calibration().observe(estimated=100, reported=10**400)
    assert (calibration.reported, calibration.safety_factor) == (400, MAX_RATIO)
    assert calibration.observe(estimated=1_900, reported=1_900).ratio == pytest.approx(1.15)


def test_a_wrong_report_for_a_tiny_prompt_costs_no_messages() -> None:
    context = context_of(max_context_tokens=128_000)
    for number in range(10):
        context.add_user_message(f"Question {number}")
        context.add_assistant_response(reply("Answer"))
    context.add_user_message("And now?")
    context.prepare()
    context.record_usage(10**12)
    assert not context.prepare().compacted
    assert context.get_conversation_length() == 20
