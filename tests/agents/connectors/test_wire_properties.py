"""Any sound conversation is accepted by every provider's types, keeps its pairs, and comes back."""

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.connectors.wire import (
    from_anthropic,
    from_chat,
    from_responses,
    to_anthropic,
    to_chat,
    to_responses,
)
from agents.context.messages import InputItem
from tests.agents.connectors.strict_wire_types import check_anthropic, check_chat, check_responses
from tests.agents.connectors.wire_cast import (
    PHOTO_URL,
    PNG,
    PNG_URL,
    TOOLS,
    assistant,
    call,
    contents,
    developer,
    image,
    message,
    result,
    thinking,
    user,
)

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=20).filter(
    str.strip
)
ARGUMENTS = st.dictionaries(WORDS, st.none() | st.integers(-9, 9) | WORDS, max_size=3)
IMAGES = st.sampled_from([image(PNG_URL), image(PHOTO_URL)])


@st.composite
def exchanges(draw: st.DrawFn, name: str) -> list[InputItem]:
    """Return an assistant message with calls, and its results in one message or in several."""
    count = draw(st.integers(1, 4))
    ids = [f"call_{name}_{number}" for number in range(count)]
    blocks = [draw(st.sampled_from([[], [{"type": "output_text", "text": "wait"}]]))]
    if draw(st.booleans()):
        blocks.insert(0, [thinking("hm", "sig", "anthropic")])
    calls = [call(each, "now", json.dumps(draw(ARGUMENTS), separators=(",", ":"))) for each in ids]
    results = [draw(results_for(each)) for each in draw(st.permutations(ids))]
    split = draw(st.integers(0, count))
    parts = [message("user", *part) for part in (results[:split], results[split:]) if part]
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), user("hurry"))
    return [message("assistant", *(block for part in blocks for block in part), *calls), *parts]


@st.composite
def results_for(draw: st.DrawFn, call_id: str) -> dict[str, Any]:
    more: dict[str, Any] = {}
    if draw(st.booleans()):
        more["error"] = draw(WORDS)
    if draw(st.booleans()):
        more["__images"] = [{"base64": PNG, "mediaType": "image/png"}]
    return result(call_id, draw(WORDS | st.just("") | st.just("x" * 100_000)), **more)


def turns(name: str) -> st.SearchStrategy[list[InputItem]]:
    return st.one_of(
        WORDS.map(lambda text: [user(text)]),
        WORDS.map(lambda text: [assistant(text)]),
        st.tuples(WORDS, IMAGES).map(
            lambda pair: [message("user", {"type": "input_text", "text": pair[0]}, pair[1])]
        ),
        exchanges(name),
    )


CONVERSATIONS = st.tuples(*(st.just([]) | turns(name) for name in "abcdef")).map(
    lambda parts: [developer("Be brief."), user("Hello"), *(item for part in parts for item in part)]
)
THOROUGH = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def blocks_of(items: Sequence[InputItem], *types: str) -> list[dict[str, Any]]:
    return [block for _, content in contents(items) for block in content if block["type"] in types]


@THOROUGH
@given(items=CONVERSATIONS)
def test_every_body_is_accepted_by_the_official_types(items: list[InputItem]) -> None:
    check_chat(to_chat(items, TOOLS))
    check_responses(to_responses(items, TOOLS))
    check_anthropic(to_anthropic(items, TOOLS))


@THOROUGH
@given(items=CONVERSATIONS)
def test_chat_results_follow_their_calls_at_once(items: list[InputItem]) -> None:
    open_ids: set[str] = set()
    for each in to_chat(items)["messages"]:
        if each["role"] == "tool":
            open_ids.remove(each["tool_call_id"])
        else:
            assert not open_ids
            open_ids = {made["id"] for made in each.get("tool_calls", [])}
    assert not open_ids


@THOROUGH
@given(items=CONVERSATIONS)
def test_anthropic_roles_alternate_and_results_come_first(items: list[InputItem]) -> None:
    messages = to_anthropic(items)["messages"]
    assert [each["role"] for each in messages] == ["user", "assistant"] * (len(messages) // 2) + ["user"] * (
        len(messages) % 2
    )
    previous: set[str] = set()
    for each in messages:
        kinds = [block["type"] == "tool_result" for block in each["content"]]
        assert kinds == sorted(kinds, reverse=True)
        answered = {block["tool_use_id"] for block in each["content"] if block["type"] == "tool_result"}
        assert answered == (previous if each["role"] == "user" else set())
        previous = {block["id"] for block in each["content"] if block["type"] == "tool_use"}


@THOROUGH
@given(items=CONVERSATIONS)
def test_calls_texts_and_results_come_back(items: list[InputItem]) -> None:
    # Something to answer at the end: a last answer would lose the white space behind it.
    items = [*items, user("And now?")]
    calls = blocks_of(items, "tool_use")
    spoken = blocks_of(items, "input_text", "output_text")
    anthropic = to_anthropic(items)
    returned = from_anthropic(anthropic["messages"], anthropic["system"])
    for back in (
        from_chat(to_chat(items)["messages"]),
        from_responses(to_responses(items)["input"]),
        returned,
    ):
        assert [
            (each["id"], each["name"], json.loads(each["arguments"])) for each in blocks_of(back, "tool_use")
        ] == [(each["id"], each["name"], json.loads(each["arguments"])) for each in calls]
        answered = {each["tool_use_id"] for each in blocks_of(back, "tool_result")}
        assert answered == {each["id"] for each in calls}
    assert sorted(map(str, blocks_of(returned, "input_text", "output_text"))) == sorted(map(str, spoken))
    by_id = {each["tool_use_id"]: each for each in blocks_of(items, "tool_result")}
    for each in blocks_of(returned, "tool_result"):
        original = by_id[each["tool_use_id"]]
        assert each.get("__images") == original.get("__images")
        assert each.get("error") == original.get("error")
        assert each["content"] == original["content"]
