import ast
import builtins
import importlib
import inspect
import pkgutil
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

import agents.context
from agents.context import Breakdown, Budget, ToolManager, errors
from agents.context.errors import ContextError, ContextOverflow, InputTooLarge, InvalidState, TurnAborted
from agents.context.json_values import JSON
from agents.context.stores import StoreResult
from tests.agents.context.cast import NotePad, Shelf, context_of

MODULES = [
    importlib.import_module(each.name)
    for each in pkgutil.walk_packages(agents.context.__path__, "agents.context.")
]
CLASSES = {
    each
    for module in MODULES
    for _, each in inspect.getmembers(module, inspect.isclass)
    if issubclass(each, BaseException) and each.__module__ == module.__name__
}
# What Python's own protocols demand, and what `execute` turns into a result.
PLAIN = {("features", "AttributeError"), ("toolbox", "TypeError")}


@pytest.mark.parametrize("error", sorted(CLASSES, key=str))
def test_every_error_of_the_package_has_the_one_base(error: type[Exception]) -> None:
    assert issubclass(error, ContextError)
    assert error.__doc__


def test_the_package_raises_nothing_else_on_purpose() -> None:
    raised = {
        (module.__name__.rpartition(".")[2], node.exc.func.id)
        for module in MODULES
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and isinstance(node.exc.func, ast.Name)
    }
    assert {(place, name) for place, name in raised if hasattr(builtins, name)} == PLAIN


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (errors.ContextDestroyed(), "destroyed; create a new one"),
        (errors.AlreadyRegistered("Store", "notes"), 'Store "notes" is already registered'),
        (errors.UnknownStore("x", ("a", "b")), 'Unknown store "x". Available stores: a, b'),
        (errors.UnknownStore(None, ("a",)), 'The argument "store" is missing. Available stores: a'),
        (errors.UnknownFeature("x", ("a", "b")), 'Unknown feature "x". Known features: a, b'),
        (errors.FeatureUnavailable("x", "a.B"), "a.B is not installed. Switch it off"),
        (errors.FeatureNotReady("x", "a user"), 'Feature "x" needs a user'),
        (errors.NewerState(3, 1), "schema version 3; this version reads up to 1. Upgrade"),
        (errors.StorageMissing(), "pass storage= to AgentContext.create"),
        (errors.PreparationActive(), "after prepare has returned"),
        (errors.SessionIdMissing(), "pass one, or save the context first"),
        (errors.ToolNotFound("x", ("a", "b")), 'Tool "x" not found. Available tools: a, b'),
        (errors.ToolNotFound("x", ()), "Available tools: none"),
        (errors.EndingRefused(SystemExit(3)), "SystemExit was raised (3), which ends nothing here. Raise"),
        (errors.ToolDisabled("x"), 'Tool "x" is disabled'),
        (errors.ToolTimeout("x", 50), "no answer within 50 ms"),
    ],
)
def test_an_error_says_what_to_do(error: Exception, words: str) -> None:
    assert words in str(error)


def test_errors_carry_their_data() -> None:
    budget = Budget(100, 10, Breakdown(tools=5))
    overflow = InputTooLarge("too large", budget=budget, content_max=85)
    assert isinstance(overflow, ContextOverflow)
    assert (overflow.budget, overflow.content_max) == (budget, 85)
    newer = errors.NewerState(3, 1)
    assert isinstance(newer, InvalidState)
    assert (newer.found, newer.supported) == (3, 1)
    registered = errors.AlreadyRegistered("Tool", "t")
    assert (registered.kind, registered.name) == ("Tool", "t")
    timeout = errors.ToolTimeout("t", 7)
    assert (timeout.name, timeout.timeout_ms) == ("t", 7)
    assert (errors.ToolNotFound("t", ()).name, errors.ToolDisabled("u").name) == ("t", "u")


class Leaving(Shelf):
    """A store whose unit of work finds that the turn must end."""

    def store_set(self, key: str, data: dict[str, JSON]) -> StoreResult:
        raise TurnAborted("the lease is lost")

    def get_content(self) -> str | None:
        if self.entries:
            raise TurnAborted("the lease is lost")
        return None


def _through_a_tool() -> None:
    context = context_of()
    context.register_plugin(Leaving())
    context.tools.execute("store_set", {"store": "shelf", "key": "k", "value": 1, "description": "d"})


def _through_a_plugin() -> None:
    context, shelf = context_of(), Leaving()
    context.register_plugin(shelf)
    shelf.entries["k"] = {}
    context.prepare()


def _through_a_handler() -> None:
    context = context_of()
    context.on("message:added", _leave)
    context.add_user_message("hi")


def _through_a_hook() -> None:
    context_of(lifecycle_hooks={"before_context_prepare": _leave}).prepare()


def _leave(payload: object) -> None:
    raise TurnAborted("the lease is lost")


@pytest.mark.parametrize("way", [_through_a_tool, _through_a_plugin, _through_a_handler, _through_a_hook])
def test_the_end_of_a_turn_passes_through_every_wall(way: Callable[[], None]) -> None:
    with pytest.raises(TurnAborted, match="lease is lost"):
        way()


def test_a_failing_plugin_in_every_role_never_stops_a_prompt(caplog: pytest.LogCaptureFixture) -> None:
    class Hopeless(NotePad):
        def __getattribute__(self, name: str) -> Any:
            if name in {"get_content", "get_instructions", "on_before_prepare"}:
                return _fail
            return super().__getattribute__(name)

    context = context_of(lifecycle_hooks={"before_context_prepare": _fail})
    context.register_plugin(Hopeless())
    caplog.clear()
    context.on("context:prepared", _fail)
    context.add_user_message("hi")
    assert context.prepare().budget.total_used > 0
    assert len([record for record in caplog.records if record.message.endswith("failed")]) == 5


def _fail(*args: object) -> None:
    raise RuntimeError("hopeless")


def test_a_suspended_call_tells_until_when() -> None:
    until = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    suspended = errors.CallSuspended(until)
    assert suspended.until == until
    assert (
        str(suspended) == "This call waits until 2026-01-02T03:04:00+00:00, which only a stored turn can do."
    )


class Mute(Exception):
    """A failure that cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("failure", "words"),
    [(Mute(), "Mute"), (ValueError(), "ValueError"), (ValueError("bad"), "bad"), ("late", "late")],
)
def test_a_failure_is_told_in_its_words_or_by_its_type(failure: object, words: str) -> None:
    assert errors.words_of(failure) == words


def test_a_failure_without_words_is_a_result_like_any_other() -> None:
    manager = ToolManager()

    @manager.register
    def mute() -> str:
        """Fail without words."""
        raise Mute

    answer: Any = manager.execute(mute.name, {})
    assert (answer["error"], answer["errorType"]) == ("Mute", "Mute")
