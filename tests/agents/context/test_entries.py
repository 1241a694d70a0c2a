"""What cannot be kept is refused where it comes in, by name, and nothing has changed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.context import AgentContext, FileContextStorage
from agents.context.errors import ContextError
from agents.context.json_values import InvalidJSON
from tests.agents.context.cast import context_of, talked, user


@pytest.mark.parametrize(("name", "value"), [("user_id", "\x00"), ("agent_id", "\udfff"), ("user_id", 7)])
def test_an_id_that_cannot_be_stored_is_refused_at_once(name: str, value: object) -> None:
    with pytest.raises(ContextError, match=f"^{name}"):
        context_of(**{name: value})


def test_an_agent_state_that_cannot_be_stored_is_refused_when_it_is_set() -> None:
    context = context_of()
    context.agent_state = {"step": 1}
    with pytest.raises(InvalidJSON, match=r"agent_state\.step: .*remove the character"):
        context.agent_state = {"step": "\x00"}
    assert context.agent_state == {"step": 1}


def test_an_agent_state_is_saved_as_it_was_set() -> None:
    context, mine = context_of(), {"steps": [1]}
    context.agent_state = mine  # type: ignore[assignment]
    mine["steps"].append(2)
    state = context.get_state()
    assert state["agentState"] == {"steps": [1]}
    state["agentState"]["steps"].append(3)  # type: ignore[union-attr]
    assert context.agent_state == {"steps": [1]}


@pytest.mark.parametrize(
    ("session_id", "metadata", "place"),
    [("s\x00", {}, "session_id"), ("s", {"title": "\ud800"}, r"metadata\.title"), ("s", [1], "metadata")],
)
def test_metadata_that_cannot_be_stored_is_refused_before_anything_is_saved(
    tmp_path: Path, session_id: str, metadata: Any, place: str
) -> None:
    storage = FileContextStorage(agent_id="agent", root=tmp_path)
    with pytest.raises(ContextError, match=f"^{place}"):
        context_of(storage=storage).save(session_id, metadata)
    assert list(storage.list()) == []


@pytest.mark.parametrize(
    "call",
    [
        lambda context: context.add_tool_results([None]),
        lambda context: context.add_tool_results(None),
        lambda context: context.add_tool_results({"tool_use_id": "c", "content": "x"}),
        lambda context: context.add_input_items(None),
        lambda context: context.add_input_items("items"),
        lambda context: context.load_conversation(None),
        lambda context: context.load_conversation([None]),
        lambda context: context.load_conversation([user("x")]),
        lambda context: context.load_conversation([({"type": "message"}, 3)]),
        lambda context: context.load_conversation([({"type": "message", "content": []}, 3)]),
        lambda context: context.load_conversation([(user("x"), None)], [(None, None)]),
        lambda context: context.add_user_message(None),
        lambda context: context.add_assistant_response(None),
        lambda context: context.restore_state(None),
    ],
)
def test_arguments_of_another_form_get_a_typed_error_and_change_nothing(
    call: Callable[[AgentContext], object],
) -> None:
    context = talked()
    before = context.get_state()
    with pytest.raises(ContextError):
        call(context)
    assert context.get_state() == before
