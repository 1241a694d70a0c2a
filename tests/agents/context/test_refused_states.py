import threading
from typing import Any

import pytest

from agents.context.errors import InvalidState, TurnAborted
from agents.context.tokens import ApproximateTokenEstimator
from tests.agents.context.cast import (
    NotePad,
    context_of,
    say,
    talked,
    user,
)
from tests.fuzz.compaction import MemoryJournal, MemoryStorage


@pytest.mark.parametrize("value", [float("nan"), "\ud800", 2**53 + 1, {"deep": ["\x00"]}])
def test_an_agent_state_that_cannot_be_kept_changes_nothing(value: Any) -> None:
    context = context_of(features={})
    context.get_plugin("in_context_memory").set("old", "d", 1)
    before = context.get_state()
    with pytest.raises(InvalidState, match="agentState"):
        context.restore_state({**context_of().get_state(), "agentState": value})
    assert context.get_state() == before


@pytest.mark.parametrize("said", [{}, None, [], {"version": 1}, {"entries": None}])
def test_a_built_in_of_which_a_state_says_nothing_keeps_nothing(said: Any) -> None:
    context = context_of(features={})
    context.get_plugin("in_context_memory").set("stale", "d", 0)
    context.memory.store("stale", "d", 0)
    names = ("in_context_memory", "working_memory")
    context.restore_state({"conversation": [], "pluginStates": dict.fromkeys(names, said)})
    assert context.get_plugin("in_context_memory").list() == []
    assert context.memory.entries() == ()


def test_a_built_in_refuses_a_state_of_another_kind() -> None:
    context = context_of(features={})
    with pytest.raises(InvalidState, match="working_memory refused its state"):
        context.restore_state({"conversation": [], "pluginStates": {"working_memory": "notes"}})


class Wary(NotePad):
    """A note pad of a host that ends the turn instead of taking a state it does not like."""

    name = "wary"

    def restore_state(self, state: object) -> None:
        if state == {"text": "bad"}:
            raise TurnAborted("not this one")
        super().restore_state(state)


def test_a_plugin_that_ends_the_turn_leaves_the_others_as_they_were() -> None:
    context, pad = talked(), NotePad("mine")
    for each in (pad, Wary("mine too")):
        context.register_plugin(each)
    before = context.get_state()
    states = {"note_pad": {"text": "new"}, "wary": {"text": "bad"}}
    with pytest.raises(TurnAborted):
        context.restore_state({"conversation": [], "pluginStates": states})
    assert context.get_state() == before


class Refusing(ApproximateTokenEstimator):
    """Cannot count one word."""

    def estimate_tokens(self, text: str, content_type: str = "mixed") -> int:
        if "uncountable" in text:
            raise OSError("no vocabulary")
        return super().estimate_tokens(text, content_type)


def test_messages_that_cannot_be_counted_leave_everything_as_it_was() -> None:
    context, pad = talked(estimator=Refusing(), tools=[say]), NotePad("mine")
    context.register_plugin(pad)
    before = context.get_state()
    state = {
        "conversation": [user("uncountable")],
        "pluginStates": {"note_pad": {"text": "new"}},
        "toolsEnabled": {"say": False},
    }
    with pytest.raises(OSError, match="no vocabulary"):
        context.restore_state(state)
    assert context.get_state() == before


def test_a_prompt_that_cannot_be_counted_yet_is_restored_all_the_same() -> None:
    context = context_of(estimator=Refusing())
    context.restore_state({"conversation": [], "systemPrompt": "uncountable", "exhausted": True})
    assert context.system_prompt == "uncountable"


def test_a_state_that_cannot_be_copied_is_refused() -> None:
    context = talked()
    before = context.get_state()
    with pytest.raises(InvalidState, match="cannot be copied"):
        context.restore_state({"conversation": [], "metadata": {"lock": threading.Lock()}})
    assert context.get_state() == before


class Careless(MemoryStorage):
    """A storage of another maker that keeps what it was given."""

    def __init__(self, stored: Any) -> None:
        super().__init__()
        self.stored = stored

    def load(self, session_id: str) -> Any:
        return self.stored


@pytest.mark.parametrize("stored", [{}, {"state": None}, {"state": {"metadata": None}, "metadata": 5}])
def test_a_session_without_a_state_is_refused(stored: Any) -> None:
    context = talked(storage=Careless(stored))
    before = context.get_state()
    with pytest.raises(InvalidState):
        context.load("s")
    assert context.get_state() == before
    assert context.session_id is None


def test_a_history_that_cannot_be_read_keeps_no_session_from_being_loaded() -> None:
    class Torn(MemoryJournal):
        def stream(self, session_id: str, **how: Any) -> Any:
            raise OSError("torn")

    class Forgetful(Careless):
        journal = Torn()  # type: ignore[assignment]

    storage = Forgetful({"state": {"conversation": [user("one"), user("two")]}, "metadata": None})
    context = context_of(storage=storage)
    assert context.load("s")
    assert context.turn_index == 2
