import pytest

from agents.connectors.base import ConnectorError, Done, ModelRequest, TextDelta, ToolCallStarted
from agents.connectors.scripted import ScriptedConnector, call, say

REQUEST = ModelRequest(input=[], tools=[], model="m")


def test_replies_come_in_order_as_events() -> None:
    connector = ScriptedConnector(say("one"), call(("c1", "double", "{}"), text="let me"))
    assert list(connector.stream(REQUEST)) == [TextDelta("one"), Done(say("one"))]
    events = list(connector.stream(REQUEST))
    assert events[:2] == [TextDelta("let me"), ToolCallStarted("c1", "double")]


def test_a_reply_may_be_a_function_of_the_request() -> None:
    connector = ScriptedConnector(lambda request: say(request.model))
    assert next(iter(connector.stream(REQUEST))) == TextDelta("m")


def test_a_reply_may_be_an_error() -> None:
    with pytest.raises(ConnectorError, match="busy"):
        list(ScriptedConnector(ConnectorError("busy")).stream(REQUEST))


def test_a_script_that_ran_out_says_so() -> None:
    with pytest.raises(ConnectorError, match="no reply left"):
        list(ScriptedConnector().stream(REQUEST))


def test_an_unused_reply_fails_the_test_that_scripted_it() -> None:
    with pytest.raises(AssertionError, match="1 scripted"), ScriptedConnector(say("never")):
        pass


def test_another_failure_is_not_hidden_by_an_unused_reply() -> None:
    with pytest.raises(KeyError), ScriptedConnector(say("never")):
        raise KeyError


def test_requests_are_kept() -> None:
    connector = ScriptedConnector(say("a"))
    list(connector.stream(REQUEST))
    assert connector.requests == [REQUEST]
