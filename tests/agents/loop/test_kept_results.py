import pytest

from agents import tool
from agents.connectors.scripted import ScriptedConnector, call, say
from agents.context import json_values
from agents.context.tokens import ApproximateTokenEstimator
from agents.context.tools import ToolCallState
from agents.loop.events import TurnFinished
from agents.loop.hooks import AfterToolExecution, Skip
from agents.loop.kept_results import keepable
from tests.agents.loop.cast import double, make_context, play, results, unanswered


def test_of_results_that_are_too_large_together_the_largest_becomes_an_error() -> None:
    @tool(parallel=True)
    def read(letter: str, megabytes: int) -> str:
        """Read a file."""
        return letter * (megabytes * 1024 * 1024)

    context = make_context(
        tools=(read,), estimator=ApproximateTokenEstimator(), max_context_tokens=50_000_000
    )
    calls = [
        ("c1", "read", '{"letter":"a","megabytes":15}'),
        ("c2", "read", '{"letter":"b","megabytes":20}'),
        ("c3", "read", '{"letter":"c","megabytes":1}'),
    ]
    with ScriptedConnector(call(*calls), say("done")) as connector:
        events = play(context, connector)
    assert events[-1] == TurnFinished("done")
    first, second, third = results(context)
    assert first["content"].startswith("aaa")
    assert third["content"].startswith("ccc")
    assert "cannot be kept" in second["content"]
    assert "ask for less at once" in second["error"]


@pytest.mark.parametrize("answer", ["Ana says \ud800", "\x00", OSError("\udfff")])
def test_what_a_person_said_is_repaired_and_earlier_results_stay(answer: str) -> None:
    @tool(permission="ask")
    def delete() -> str:
        """Delete all."""
        return "deleted"

    context = make_context(tools=(double, delete))
    reply = call(("c1", "double", '{"number":4}'), ("c2", "delete", "{}"))
    with ScriptedConnector(reply, say("done")) as connector:
        play(context, connector, approve=lambda _: answer)
    first, second = results(context)
    assert first["content"] == "8"
    assert "\ufffd" in second["error"]


@pytest.mark.parametrize("reason", ["\ud800", OSError("\x00")])
def test_what_a_hook_said_is_repaired(reason: str) -> None:
    context = make_context(lifecycle_hooks={"before_tool_execution": lambda _: Skip(reason)})
    with ScriptedConnector(call(("c1", "double", '{"number":4}')), say("done")) as connector:
        play(context, connector)
    (result,) = results(context)
    assert result["error"] == "\ufffd"


def test_a_result_that_a_hook_spoiled_becomes_an_error_and_the_others_stay() -> None:
    @tool
    def look() -> dict[str, int]:
        """Look."""
        return {"seen": 1}

    def spoil(report: AfterToolExecution) -> None:
        if isinstance(report.result, dict):
            report.result["odd"] = object()  # type: ignore[assignment]

    context = make_context(tools=(double, look), lifecycle_hooks={"after_tool_execution": spoil})
    reply = call(("c1", "double", '{"number":4}'), ("c2", "look", "{}"))
    with ScriptedConnector(reply, say("done")) as connector:
        play(context, connector)
    assert unanswered(context) == set()
    first, second = results(context)
    assert first["content"] == "8"
    assert "object is not JSON" in second["error"]


def test_results_that_can_be_kept_stay_as_they_are() -> None:
    outcome = {"tool_use_id": "c", "content": {"a": 1}, "state": ToolCallState.COMPLETED}
    assert keepable([outcome, outcome]) == [outcome, outcome]  # type: ignore[list-item]


def test_more_calls_than_there_is_room_for_are_told_as_well_as_can_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(json_values, "MAX_BYTES", 10)
    outcome = {"tool_use_id": "c", "content": "seen", "state": ToolCallState.COMPLETED}
    (kept,) = keepable([outcome])  # type: ignore[list-item]
    assert "cannot be kept" in str(kept["content"])
