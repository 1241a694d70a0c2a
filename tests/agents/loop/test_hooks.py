import pytest

from agents.context.errors import InvalidOption, TurnAborted
from agents.context.json_values import InvalidJSON
from agents.context.lifecycle import Hooks
from agents.loop.hooks import BeforeToolExecution, Mock, Modify, Skip, decide

CALL = BeforeToolExecution("ada", "c1", "double", {"number": 2})


def test_without_hooks_the_call_stays_as_it_is() -> None:
    assert decide(Hooks(None), CALL) is CALL


def test_the_first_skip_or_mock_decides() -> None:
    seen: list[object] = []
    hooks = Hooks({"before_tool_execution": [lambda _: Mock("m"), seen.append]})
    assert decide(hooks, CALL) == Mock("m")
    assert decide(Hooks({"before_tool_execution": [lambda _: Skip(), seen.append]}), CALL) == Skip()
    assert not seen


def test_modifications_add_up() -> None:
    def one_more(call: BeforeToolExecution) -> Modify:
        number = call.arguments["number"]
        assert isinstance(number, int)
        return Modify({"number": number + 1})

    decided = decide(Hooks({"before_tool_execution": [one_more, one_more]}), CALL)
    assert decided == BeforeToolExecution("ada", "c1", "double", {"number": 4})


def test_a_hook_that_fails_or_returns_anything_else_changes_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hooks = Hooks({"before_tool_execution": [lambda call: call.nothing, lambda _: {"skip": True}]})
    assert decide(hooks, CALL) == CALL
    assert caplog.messages == ["Hook before_tool_execution failed"]


@pytest.mark.parametrize("wish", [lambda: Mock({1, 2}), lambda: Modify({"number": float("nan")})])  # type: ignore[arg-type]
def test_what_json_cannot_hold_is_refused_where_the_hook_makes_it(wish: object) -> None:
    with pytest.raises(InvalidJSON):
        wish()  # type: ignore[operator]


def test_a_strict_hook_can_end_the_turn() -> None:
    def forbid(call: BeforeToolExecution) -> None:
        raise TurnAborted("not here")

    with pytest.raises(TurnAborted, match="not here"):
        decide(Hooks({"before_tool_execution": forbid}), CALL)


def test_arguments_that_are_no_mapping_are_refused() -> None:
    with pytest.raises(InvalidOption, match="arguments is a mapping, not 5"):
        Modify(5)  # type: ignore[arg-type]
