import pytest
from pydantic_ai.exceptions import ModelTimeoutError
from pydantic_ai.messages import (
    BinaryContent,
    FilePart,
    FinalResultEvent,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    SpeechPartDelta,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.usage import RequestUsage

from agents.connectors import access
from agents.connectors.base import TextDelta, ToolArgumentsDelta, ToolCallStarted, Usage
from agents.connectors.pydantic_ai.failures import is_temporary, reason
from agents.connectors.pydantic_ai.history import FORMS, to_messages
from agents.connectors.pydantic_ai.reply import Reply, done, usage_of
from tests.agents.connectors.wire_cast import message, user

OPENAI = access.openai_responses({})
PICTURE = FilePart(BinaryContent(b"x", media_type="image/png"))


def blocks_of(*parts: TextPart | ThinkingPart | ToolCallPart | FilePart) -> list[dict[str, object]]:
    return [
        dict(block)
        for item in done(ModelResponse(list(parts)), "stop", OPENAI).output
        for block in item["content"]
    ]


def test_parts_we_have_no_use_for_are_passed_over() -> None:
    reply = Reply()
    assert list(reply.events(FinalResultEvent(tool_name=None, tool_call_id=None))) == []
    assert list(reply.events(PartStartEvent(index=0, part=PICTURE))) == []
    assert list(reply.events(PartDeltaEvent(index=0, delta=SpeechPartDelta()))) == []
    assert blocks_of(PICTURE) == []


def test_empty_pieces_are_no_events() -> None:
    reply = Reply()
    for event in (
        PartStartEvent(index=0, part=TextPart("")),
        PartDeltaEvent(index=0, delta=TextPartDelta("")),
        PartStartEvent(index=1, part=ThinkingPart("")),
        PartDeltaEvent(index=1, delta=ThinkingPartDelta(signature_delta="s")),
    ):
        assert list(reply.events(event)) == []


def test_pieces_of_arguments_belong_to_their_call() -> None:
    reply = Reply()
    started = [
        *reply.events(PartStartEvent(index=0, part=ToolCallPart("a", {"x": 1}, "c1"))),
        *reply.events(PartStartEvent(index=1, part=ToolCallPart("b", None, "c2"))),
        *reply.events(PartDeltaEvent(index=1, delta=ToolCallPartDelta(args_delta='{"y":'))),
        *reply.events(PartDeltaEvent(index=0, delta=TextPartDelta("between"))),
    ]
    assert started == [
        ToolCallStarted("c1", "a"),
        ToolArgumentsDelta("c1", '{"x":1}'),
        ToolCallStarted("c2", "b"),
        ToolArgumentsDelta("c2", '{"y":'),
        TextDelta("between"),
    ]


def test_a_call_without_arguments_has_an_empty_object() -> None:
    assert blocks_of(ToolCallPart("now", None, "c"))[0]["arguments"] == "{}"


@pytest.mark.parametrize("signed", [0, 1])
def test_summaries_of_one_reasoning_keep_its_signature_wherever_it_comes(signed: int) -> None:
    parts = [ThinkingPart("a", id="rs_1"), ThinkingPart("b", id="rs_1")]
    parts[signed].signature = "secret"
    (block,) = blocks_of(*parts)
    assert (block["thinking"], block["signature"], block["id"]) == ("a\n\nb", "secret", "rs_1")
    assert block["persistInHistory"] is True


def test_two_reasonings_stay_two() -> None:
    found = blocks_of(ThinkingPart("a", id="rs_1"), ThinkingPart("b", id="rs_2"), ThinkingPart("c"))
    assert [block["thinking"] for block in found] == ["a", "b", "c"]


def test_reasoning_without_an_id_cannot_go_back_to_openai() -> None:
    nameless = {"type": "thinking", "thinking": "Hm", "signature": "s"}
    items = [user("Hi"), message("assistant", nameless, {"type": "output_text", "text": "Yes"})]
    (_, reply) = to_messages(items, FORMS["responses"])
    assert [part.part_kind for part in reply.parts] == ["text"]


def test_usage_without_figures_is_unknown() -> None:
    assert usage_of(RequestUsage()) == Usage()
    assert usage_of(RequestUsage(input_tokens=3)) == Usage(3, 0, 0, 0)


def test_only_a_timeout_before_the_request_left_is_worth_another_attempt() -> None:
    connecting = ModelTimeoutError("m", "slow", phase="connect")
    reading = ModelTimeoutError("m", "slow", phase="read")
    assert (is_temporary(connecting), is_temporary(reading)) == (True, False)
    assert reason(connecting) == "no answer in time"


def test_what_a_model_says_to_refuse_is_its_answer() -> None:
    refused = ModelResponse([], provider_details={"refusal": "I will not."})
    assert done(refused, "content_filter", OPENAI).output == [
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "I will not."}],
        }
    ]
    said = ModelResponse([TextPart("No.")], provider_details={"refusal": "I will not."})
    assert [block["text"] for item in done(said, "stop", OPENAI).output for block in item["content"]] == [
        "No."
    ]


@pytest.mark.parametrize("figure", [10**20, -1, "7"])
def test_a_figure_that_cannot_be_one_counts_as_not_reported(figure: object) -> None:
    usage = RequestUsage(output_tokens=7)
    usage.input_tokens = figure  # type: ignore[assignment]
    assert usage_of(usage) == Usage(input_tokens=None, output_tokens=7, cached_tokens=0, cache_write_tokens=0)
