import asyncio
from typing import Any

import pytest

from agents.context import lifecycle
from agents.context.errors import InvalidOption
from agents.context.lifecycle import Hooks
from tests.agents.context.cast import context_of


def test_a_hook_is_found_in_either_spelling() -> None:
    seen: list[object] = []
    Hooks({"beforeCompaction": seen.append}).run("before_compaction", 1)
    Hooks({"before_compaction": seen.append}).run("before_compaction", 2)
    assert seen == [1, 2]


def test_an_absent_hook_is_no_problem() -> None:
    Hooks(None).run("before_compaction", 1)


def test_an_unknown_hook_is_refused() -> None:
    with pytest.raises(ValueError, match="Unknown hook 'beforeLunch'; known are before_compaction"):
        Hooks({"beforeLunch": print})


@pytest.mark.parametrize(
    ("hooks", "words"),
    [
        ({"on_error": None}, "The hook on_error is a function, not None"),
        ({"on_error": [print, "print"]}, "The hook on_error is a function, not 'print'"),
        ({"on_error": ""}, "The hook on_error is a function, not ''"),
        ({7: print}, "Unknown hook 7; known are before_compaction"),
        ([print], "lifecycle_hooks is a mapping, not a value of type list"),
    ],
)
def test_what_is_no_hook_is_refused_when_it_is_added(hooks: Any, words: str) -> None:
    kept = Hooks({"on_error": print})
    with pytest.raises(InvalidOption, match=words):
        kept.merge(hooks)
    assert len(kept.named("on_error")) == 1


def test_a_failing_hook_is_logged_and_life_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(payload: object) -> None:
        raise RuntimeError("Hook error")

    Hooks({"on_error": fail}).run("on_error", 1)
    assert [record.message for record in caplog.records] == ["Hook on_error failed"]


def test_a_hook_that_never_ends_is_left_behind(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def wait(payload: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(lifecycle, "_TIMEOUT_S", 0.01)
    Hooks({"on_error": wait}).run("on_error", 1)
    assert caplog.records


def test_merging_replaces_hooks_of_the_same_name_and_keeps_others() -> None:
    seen: list[str] = []
    hooks = Hooks(
        {"on_error": lambda _: seen.append("old"), "after_compaction": lambda _: seen.append("kept")}
    )
    hooks.merge({"onError": lambda _: seen.append("new")})
    hooks.run("on_error", 0)
    hooks.run("after_compaction", 0)
    assert seen == ["new", "kept"]


def test_several_hooks_of_one_name_are_called_in_order() -> None:
    seen: list[str] = []
    hooks = Hooks({"on_error": [lambda _: seen.append("first"), lambda _: seen.append("second")]})
    hooks.run("on_error", 0)
    assert seen == ["first", "second"]


def test_hooks_of_another_owner_stay() -> None:
    seen: list[str] = []
    hooks = Hooks({"on_error": lambda _: seen.append("context")})
    hooks.merge({"on_error": lambda _: seen.append("agent")}, owner="one")
    hooks.merge({"on_error": lambda _: seen.append("agent again")}, owner="one")
    hooks.run("on_error", 0)
    assert seen == ["context", "agent again"]
    hooks.remove("one")
    hooks.run("on_error", 0)
    assert seen[2:] == ["context"]


def test_ten_hooks_of_one_name_are_the_most() -> None:
    hooks = Hooks({"on_error": [print] * 10})
    with pytest.raises(ValueError, match="At most 10 hooks may be named on_error"):
        hooks.merge({"after_compaction": print, "on_error": print}, owner="one")
    assert len(hooks.named("on_error")) == 10
    assert not hooks.named("after_compaction")
    hooks.merge({"on_error": [print] * 10})


def test_a_hook_that_fails_three_times_in_a_row_is_switched_off(caplog: pytest.LogCaptureFixture) -> None:
    seen: list[int] = []

    def fail_sometimes(number: int) -> None:
        seen.append(number)
        if number != 3:
            raise RuntimeError("no")

    hooks = Hooks({"on_error": fail_sometimes})
    for number in range(1, 9):
        hooks.run("on_error", number)
    assert seen == [1, 2, 3, 4, 5, 6]
    assert "Hook on_error failed 3 times in a row and is off now." in caplog.messages


def test_a_context_calls_the_hook_before_it_prepares() -> None:
    seen: list[object] = []
    context = context_of(lifecycle_hooks={"beforeContextPrepare": seen.append})
    context.add_user_message("hi")
    context.prepare()
    [snapshot] = seen
    assert snapshot == {"messages": [], "current_input": context.get_current_input()}
    context.set_lifecycle_hooks({"before_context_prepare": lambda _: seen.append("second")})
    context.prepare()
    assert seen[1:] == ["second"]
