from typing import Any

import pytest

from agents.context.errors import InvalidOption
from agents.context.events import EVENTS, Events, Payload
from tests.agents.context.cast import context_of, reply


def _nothing() -> list[Any]:
    return []


def test_handlers_get_one_dict_in_the_order_they_were_added() -> None:
    events, seen = Events(), _nothing()
    events.on("message:added", lambda payload: seen.append(("first", payload)))
    events.on("message:added", lambda payload: seen.append(("second", payload)))
    events.emit("message:added", role="user", index=0)
    payload = {"role": "user", "index": 0}
    assert seen == [("first", payload), ("second", payload)]


def test_a_coroutine_function_may_listen() -> None:
    events, seen = Events(), _nothing()

    async def listen(payload: Payload) -> None:
        seen.append(payload["index"])

    events.on("message:added", listen)
    events.emit("message:added", index=4)
    assert seen == [4]


def test_a_failing_handler_is_logged_and_the_others_are_called(caplog: pytest.LogCaptureFixture) -> None:
    events, seen = Events(), _nothing()

    def fail(payload: Payload) -> None:
        raise RuntimeError("handler")

    events.on("budget:updated", fail)
    events.on("budget:updated", seen.append)
    events.emit("budget:updated", timestamp=1)
    assert seen == [{"timestamp": 1}]
    assert [record.message for record in caplog.records] == ["Handler of budget:updated failed"]


def test_a_handler_taken_off_is_not_called() -> None:
    events, seen = Events(), _nothing()
    events.on("message:added", seen.append)
    events.off("message:added", seen.append)
    events.off("message:added", print)
    events.off("context:prepared", print)
    events.emit("message:added")
    assert seen == []


def test_a_handler_may_take_itself_off() -> None:
    events, seen = Events(), _nothing()

    def once(payload: Payload) -> None:
        events.off("message:added", once)
        seen.append("once")

    events.on("message:added", once)
    events.on("message:added", lambda payload: seen.append("always"))
    events.emit("message:added")
    events.emit("message:added")
    assert seen == ["once", "always", "always"]


def test_an_event_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="Unknown event 'message:gone'; known are budget:critical"):
        Events().on("message:gone", print)


def test_an_event_that_is_no_text_is_refused() -> None:
    with pytest.raises(InvalidOption, match="Unknown event a value of type list"):
        Events().on(["message:added"], print)  # type: ignore[arg-type]


def test_a_handler_that_is_no_function_is_refused_when_it_is_added() -> None:
    with pytest.raises(InvalidOption, match="A handler of message:added is a function, not None"):
        context_of().on("message:added", None)  # type: ignore[arg-type]


def test_nobody_is_called_after_clearing() -> None:
    events, seen = Events(), _nothing()
    events.on("message:added", seen.append)
    events.clear()
    events.emit("message:added")
    assert seen == []


def test_the_events_are_those_of_the_specification() -> None:
    assert len(EVENTS) == 13
    assert {"input:oversized", "context:compacted", "compaction:starting", "session:saved"} <= EVENTS


def test_a_conversation_tells_role_and_index() -> None:
    context, seen = context_of(), _nothing()
    context.on("message:added", seen.append)
    context.add_user_message("hi")
    context.add_assistant_response(reply("look", {"c": "look"}))
    context.add_tool_results([{"tool_use_id": "c", "content": "seen"}])
    context.add_assistant_response(reply("done"))
    context.off("message:added", seen.append)
    context.add_user_message("more")
    assert seen == [
        {"role": "user", "index": 0},
        {"role": "assistant", "index": 1},
        {"role": "tool", "index": 2},
        {"role": "assistant", "index": 3},
    ]
