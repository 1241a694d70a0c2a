import asyncio
import logging

import pytest

from agents.context.errors import TurnAborted
from agents.context.isolation import contain


def test_the_value_of_a_call_that_goes_well_is_the_outcome() -> None:
    outcome = contain("A call", lambda: 5)
    assert (outcome.value, outcome.failure) == (5, None)


def test_a_coroutine_function_is_awaited() -> None:
    async def answer() -> str:
        return "late"

    assert contain("A call", answer).value == "late"


def test_a_failure_is_logged_with_its_stack_and_contained(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ValueError("bad")

    outcome = contain("Handler of x", fail)
    assert outcome.value is None
    assert isinstance(outcome.failure, ValueError)
    [record] = caplog.records
    assert record.message == "Handler of x failed"
    assert record.exc_info is not None
    assert record.levelno == logging.ERROR


def test_a_call_that_takes_too_long_is_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    async def wait() -> None:
        await asyncio.Event().wait()

    assert isinstance(contain("A call", wait, 0.01).failure, TimeoutError)
    assert caplog.records


def test_the_end_of_the_turn_is_not_contained() -> None:
    def stop() -> None:
        raise TurnAborted("the lease is lost")

    with pytest.raises(TurnAborted, match="lease"):
        contain("A call", stop)
