"""What leaves for each provider, held against the wire forms that are written and tested apart."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolReturnPart

from agents.connectors.access import Dialect
from agents.connectors.pydantic_ai.history import FORMS, form_of, to_messages
from agents.connectors.wire import to_anthropic, to_chat, to_responses
from agents.context.messages import InputItem
from tests.agents.connectors.pydantic_ai.cast import ACCESSES, request_for
from tests.agents.connectors.pydantic_ai.conftest import Connect
from tests.agents.connectors.wire_cast import (
    FULL,
    PHOTO_URL,
    PNG_URL,
    TOOLS,
    assistant,
    call,
    developer,
    image,
    message,
    result,
    thinking,
    user,
)
from tests.providers.answers import Answer
from tests.providers.server import FakeProvider

DIALECTS: list[Dialect] = ["chat", "responses", "anthropic", "google"]


def sent(provider: FakeProvider, connect: Connect, name: str, items: Sequence[InputItem]) -> dict[str, Any]:
    provider.script(Answer(("Noon.",)))
    list(connect(name).stream(request_for(name, *items)))
    return provider.requests[-1].body


def texts_of_chat(body: dict[str, Any]) -> list[Any]:
    """Return messages without what differs by taste: parts of one text, and white space in arguments."""
    found = []
    for each in body["messages"]:
        role = "developer" if each["role"] == "system" else each["role"]
        calls = [
            (made["id"], made["function"]["name"], json.loads(made["function"]["arguments"]))
            for made in each.get("tool_calls", ())
        ]
        found.append((role, each.get("content"), each.get("tool_call_id"), calls))
    return found


def test_openai_chat_gets_what_the_wire_form_says(provider: FakeProvider, connect: Connect) -> None:
    body = sent(provider, connect, "openai", FULL)
    assert texts_of_chat(body) == texts_of_chat(to_chat(FULL))
    assert [each["function"] for each in body["tools"]] == [
        each["function"] for each in to_chat(FULL, TOOLS)["tools"]
    ]


def test_openai_responses_gets_what_the_wire_form_says(provider: FakeProvider, connect: Connect) -> None:
    body = sent(provider, connect, "openai-responses", FULL)
    expected = to_responses(FULL, TOOLS)
    assert body["tools"] == expected["tools"]
    assert [_plain_part(part) for part in body["input"]] == [_plain_part(part) for part in expected["input"]]


def test_anthropic_gets_what_the_wire_form_says(provider: FakeProvider, connect: Connect) -> None:
    body = sent(provider, connect, "anthropic", FULL)
    expected = to_anthropic(FULL, TOOLS)
    assert body["system"] == expected["system"][0]["text"]
    assert body["tools"] == expected["tools"]
    for message_sent in body["messages"]:
        for block in message_sent["content"]:
            # False is what it is without the field.
            if block.get("is_error") is False:
                del block["is_error"]
    assert body["messages"] == expected["messages"]


def test_google_gets_the_conversation(provider: FakeProvider, connect: Connect) -> None:
    body = sent(provider, connect, "google", FULL)
    assert body["systemInstruction"]["parts"] == [{"text": "Be brief."}]
    assert [each["role"] for each in body["contents"]] == ["user", "model", "user", "model", "user"]
    looked, shown, told = body["contents"][0]["parts"]
    assert looked == {"text": "What is this?"}
    assert "image/png" in shown["inlineData"].values()
    assert told == {"text": f"[An image at {PHOTO_URL}, which cannot be shown here.]"}
    failed = body["contents"][2]["parts"][1]["functionResponse"]["response"]
    assert "The clock stands still." in failed["error"]


@pytest.mark.parametrize("name", ACCESSES)
def test_images_of_results_follow_them(provider: FakeProvider, connect: Connect, name: str) -> None:
    shown = result("call_1", "A chart", __images=[{"base64": PNG_URL.partition(",")[2]}])
    items = [user("Draw."), message("assistant", call("call_1")), message("user", shown)]
    body = json.dumps(sent(provider, connect, name, items))
    assert "A chart" in body
    # Google writes the alphabet of base64 that suits addresses.
    assert PNG_URL.partition(",")[2] in body.replace("_", "/").replace("-", "+")


def test_a_conversation_that_begins_with_the_assistant_gets_an_opening(
    provider: FakeProvider, connect: Connect
) -> None:
    items = [developer("Be brief."), assistant("As I said: noon."), user("Thanks")]
    body = sent(provider, connect, "anthropic", items)
    assert body["messages"] == to_anthropic(items)["messages"]


def test_a_late_system_message_is_the_users_where_the_form_has_no_place_for_it(
    provider: FakeProvider, connect: Connect
) -> None:
    items = [developer("Be brief."), user("Hi"), developer("It is late.")]
    body = sent(provider, connect, "anthropic", items)
    assert body["system"] == "Be brief."
    assert body["messages"] == to_anthropic(items)["messages"]
    chat = sent(provider, connect, "openai", items)
    assert [each["role"] for each in chat["messages"]] == ["system", "user", "system"]


def test_ids_of_another_provider_are_made_safe(provider: FakeProvider, connect: Connect) -> None:
    items = [user("Hi"), message("assistant", call("toolu|1:x")), message("user", result("toolu|1:x"))]
    for name in ("openai", "openai-responses", "anthropic"):
        body = json.dumps(sent(provider, connect, name, items))
        assert "toolu|" not in body
        assert body.count("call_") >= 2


@pytest.mark.parametrize("name", ACCESSES)
def test_names_of_tools_that_a_model_invented_are_made_safe(
    provider: FakeProvider, connect: Connect, name: str
) -> None:
    items = [user("Hi"), message("assistant", call("c", "functions.now")), message("user", result("c"))]
    body = json.dumps(sent(provider, connect, name, items))
    assert "functions.now" not in body
    assert "tool_functions_now_" in body


@pytest.mark.parametrize("name", ACCESSES)
def test_what_may_not_stand_in_its_role_does_not_leave(
    provider: FakeProvider, connect: Connect, name: str
) -> None:
    thought = {"type": "thinking", "thinking": "idle", "signature": "sig", "id": "rs_1"}
    unsigned = {**thought, "thinking": "unsigned", "signature": ""}
    items = [
        developer("Be brief."),
        message("user", {"type": "input_text", "text": "Hi"}, call("stray", "stray")),
        message("assistant", unsigned, call("c"), result("astray", "astray"), thought),
        message("user", result("c")),
    ]
    body = json.dumps(sent(provider, connect, name, items))
    assert not any(word in body for word in ("stray", "idle", "unsigned"))


def test_broken_arguments_stay_readable(provider: FakeProvider, connect: Connect) -> None:
    items = [user("Hi"), message("assistant", call("c", arguments='{"a": ')), message("user", result("c"))]
    body = sent(provider, connect, "anthropic", items)
    assert body["messages"][1]["content"][0]["input"] == {"invalid_json": '{"a": '}


def test_a_file_of_the_provider_is_named(provider: FakeProvider, connect: Connect) -> None:
    items = [message("user", {"type": "input_file", "file_id": "file-1"})]
    assert "file-1" in json.dumps(sent(provider, connect, "openai", items))


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("data:image/bmp;base64,AAAA", "[An image of type image/bmp, which cannot be shown here.]"),
        ("data:image/png;base64,A", "[An image whose data is damaged.]"),
    ],
)
def test_an_image_that_cannot_be_shown_is_said(
    provider: FakeProvider, connect: Connect, url: str, text: str
) -> None:
    body = sent(provider, connect, "openai", [message("user", image(url, detail="low"))])
    assert body["messages"][0]["content"] == text


def test_the_detail_of_an_image_is_kept(provider: FakeProvider, connect: Connect) -> None:
    items = [message("user", image(PNG_URL, detail="low"), image(PHOTO_URL, detail="high"))]
    parts = sent(provider, connect, "openai", items)["messages"][0]["content"]
    assert [part["image_url"]["detail"] for part in parts] == ["low", "high"]


def test_settings_of_the_request_are_the_providers(provider: FakeProvider, connect: Connect) -> None:
    provider.script(Answer(("Noon.",)))
    request = request_for("openai", settings={"temperature": 0.2, "max_tokens": 99})
    list(connect("openai").stream(request))
    body = provider.requests[0].body
    assert (body["temperature"], body["max_completion_tokens"]) == (0.2, 99)


def test_a_compaction_of_openai_stands_for_what_was_before_it(
    provider: FakeProvider, connect: Connect
) -> None:
    opaque = cast("InputItem", {"type": "compaction", "id": "cmp_1", "encrypted_content": "secret"})
    items = [developer("Be brief."), user("Long ago"), opaque, user("Now")]
    body = sent(provider, connect, "openai-responses", items)
    assert [part.get("type") or part["role"] for part in body["input"]] == ["compaction", "system", "user"]
    assert body["input"][0]["encrypted_content"] == "secret"
    chat = sent(provider, connect, "openai", items)
    assert [each["content"] for each in chat["messages"]] == ["Be brief.", "Long ago", "Now"]


def test_a_compaction_alone_is_sent(provider: FakeProvider, connect: Connect) -> None:
    opaque = cast("InputItem", {"type": "compaction", "id": "cmp_1", "encrypted_content": "secret"})
    body = sent(provider, connect, "openai-responses", [opaque, user("Now")])
    assert [part.get("type") or part["role"] for part in body["input"]] == ["compaction", "user"]


def test_reasoning_items_go_back_to_models_that_reason() -> None:
    opaque = cast("InputItem", {"type": "reasoning", "id": "rs_1", "encrypted_content": "secret"})
    empty = cast("InputItem", {"type": "reasoning", "id": "rs_2"})
    items = [user("Hi"), opaque, empty, assistant("Hello")]
    (_, reply) = to_messages(items, form_of("responses", sends_reasoning=True))
    assert [part.part_kind for part in reply.parts] == ["thinking", "text"]
    (_, reply) = to_messages(items, form_of("responses", sends_reasoning=False))
    assert [part.part_kind for part in reply.parts] == ["text"]


@pytest.mark.parametrize(("dialect", "content"), [("chat", ""), ("anthropic", [])])
def test_a_result_without_its_call_and_content_still_has_both(dialect: Dialect, content: object) -> None:
    (request,) = to_messages([message("user", result("c", ""))], FORMS[dialect])
    (part,) = request.parts
    assert isinstance(part, ToolReturnPart)
    assert (part.tool_name, part.content) == ("unknown", content)


@pytest.mark.parametrize("name", ACCESSES)
def test_an_empty_result_is_sent_without_an_empty_text(
    provider: FakeProvider, connect: Connect, name: str
) -> None:
    items = [user("Hi"), message("assistant", call("c")), message("user", result("c", ""))]
    sent(provider, connect, name, items)


def test_an_id_that_a_model_uses_twice_is_told_apart(provider: FakeProvider, connect: Connect) -> None:
    again = [message("assistant", call("c")), message("user", result("c"))]
    body = sent(provider, connect, "anthropic", [user("Hi"), *again, *again])
    ids = [block["id"] for each in body["messages"][1::2] for block in each["content"]]
    answered = [block["tool_use_id"] for each in body["messages"][2::2] for block in each["content"]]
    assert ids == answered
    assert len(set(ids)) == 2


def test_nothing_is_said_where_there_is_nothing_to_say() -> None:
    blank = [developer(" "), user("\n"), assistant(""), message("user", thinking("a", "b", "anthropic"))]
    for dialect in DIALECTS:
        assert to_messages(blank, FORMS[dialect]) == []


_TEXTS = st.text("ab ", max_size=3)
_ITEMS = st.lists(
    st.one_of(
        st.builds(user, _TEXTS),
        st.builds(assistant, _TEXTS),
        st.builds(developer, _TEXTS),
        st.sampled_from(FULL),
    ),
    max_size=8,
)


@given(items=_ITEMS)
@settings(max_examples=100)
def test_messages_alternate_and_lose_no_text(items: list[InputItem]) -> None:
    for dialect in DIALECTS:
        messages = to_messages(items, FORMS[dialect])
        kinds = [type(each) for each in messages]
        assert all(one is not other for one, other in pairwise(kinds))
        if FORMS[dialect].opens_with_user and ModelResponse in kinds:
            assert kinds[0] is ModelRequest
        said = "".join(str(getattr(part, "content", "")) for each in messages for part in each.parts)
        for item in items:
            for block in item["content"] if item["type"] == "message" else ():
                text = str(block.get("text", ""))
                assert text.strip() == "" or text in said


def _plain_part(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part without what differs by taste: defaults, roles of system messages, lists of one text."""
    found = {name: value for name, value in part.items() if name not in {"type", "id", "status"}}
    if found.get("role") == "system":
        found["role"] = "developer"
    content = found.get("content")
    if isinstance(content, list) and len(content) == 1:
        found["content"] = content[0].get("text", content)
    if "arguments" in found:
        found["arguments"] = json.loads(found["arguments"])
    return found
