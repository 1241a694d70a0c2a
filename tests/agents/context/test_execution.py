import pytest

from agents.context.errors import ContextError, ExecutionActive
from agents.context.execution import ExecutionGuard
from tests.agents.context.cast import context_of


def test_a_second_holder_is_refused_with_a_code() -> None:
    guard = ExecutionGuard()
    with guard.hold(), pytest.raises(ExecutionActive, match="cancel it first") as refused, guard.hold():
        raise AssertionError("two at once")
    assert refused.value.code == "execution_active"
    assert isinstance(refused.value, ContextError)


def test_it_is_free_again_after_a_failure() -> None:
    guard = ExecutionGuard()
    with pytest.raises(ZeroDivisionError), guard.hold():
        raise ZeroDivisionError
    assert not guard.is_active
    with guard.hold():
        assert guard.is_active


def test_every_context_has_a_guard_of_its_own() -> None:
    one, other = context_of(), context_of()
    with one.execution.hold():
        assert not other.execution.is_active
