import pytest

from agents.context.calibration import Calibration
from tests.agents.context.cast import context_of


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
