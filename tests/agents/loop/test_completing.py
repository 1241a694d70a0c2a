import pytest

from agents.connectors.base import ConnectorError, Done, TextDelta
from agents.connectors.scripted import ScriptedConnector, call, say
from agents.loop.completing import complete
from tests.agents.loop.cast import Sending


def test_the_model_gets_the_prompt_alone() -> None:
    connector = ScriptedConnector(say("short"))
    assert complete(connector, "m", {"temperature": 0}, "Sum up.") == "short"
    (request,) = connector.requests
    assert [item["content"] for item in request.input] == [[{"type": "input_text", "text": "Sum up."}]]
    assert (request.tools, request.may_call_tools, request.model) == ((), False, "m")
    assert request.settings == {"temperature": 0}


def test_only_words_count() -> None:
    assert complete(ScriptedConnector(call(("c", "t", "{}"), text="a")), "m", {}, "p") == "a"


def test_an_answer_that_breaks_off_is_an_error() -> None:
    with pytest.raises(ConnectorError, match="broke off"):
        complete(Sending(TextDelta("half")), "m", {}, "p")


def test_whoever_observes_gets_every_event() -> None:
    seen: list[object] = []
    complete(ScriptedConnector(say("short")), "m", {}, "p", observe=seen.append)
    assert isinstance(seen[-1], Done)
    assert any(isinstance(event, TextDelta) for event in seen)
