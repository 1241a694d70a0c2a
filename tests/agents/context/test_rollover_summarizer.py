"""Any model that completes a prompt can summarize, in chunks where the messages exceed its window."""

from typing import Any, cast

from agents.context import RolloverRequest
from agents.context.messages import InputItem
from agents.context.rollover_summarizer import model_summarizer, transcript
from agents.context.tokens import ApproximateTokenEstimator
from tests.agents.context.cast import assistant, results, user
from tests.agents.context.compaction.cast import exchange, turn, words
from tests.agents.context.test_rollover import talked

APPROXIMATE = ApproximateTokenEstimator()


def request(*items: InputItem) -> RolloverRequest:
    return RolloverRequest(list(items), 0, 8, "manual")


def test_one_prompt_is_enough_for_what_fits() -> None:
    asked: list[str] = []

    def complete(prompt: str) -> str:
        asked.append(prompt)
        return "brief"

    summarize = model_summarizer(complete, APPROXIMATE, window_tokens=8_000, max_summary_tokens=500)
    assert summarize(request(*turn("a"), *exchange("x", 30))) == "brief"
    (prompt,) = asked
    assert "At most 500 tokens." in prompt
    assert "user: a xxx" in prompt
    assert "(calls look with {})" in prompt


def test_more_is_read_in_chunks_that_carry_the_brief_on() -> None:
    asked: list[str] = []

    async def complete(prompt: str) -> str:
        asked.append(prompt)
        return f"brief {len(asked)}"

    summarize = model_summarizer(complete, APPROXIMATE, window_tokens=1_000, max_summary_tokens=200)
    long = user(f"{words(1_500)} end", "u-long")
    assert summarize(request(*turn("a", 200), long, *turn("b", 200))) == f"brief {len(asked)}"
    assert len(asked) > 3
    assert all(APPROXIMATE.estimate_tokens(prompt) <= 1_000 for prompt in asked)
    assert "brief 1" not in asked[0]
    assert all(f"```\nbrief {number}\n```" in asked[number] for number in range(1, len(asked)))
    assert " end" in "".join(asked)


def test_nothing_to_tell_asks_nobody() -> None:
    opaque = cast("InputItem", {"type": "compaction", "id": "cmp", "encrypted_content": "zz"})
    summarize = model_summarizer(lambda _: "brief", APPROXIMATE, window_tokens=1_000, max_summary_tokens=100)
    assert summarize(request(opaque)) == ""


def test_a_transcript_names_calls_results_and_failures() -> None:
    failed: Any = results("x", item_id="r")
    failed["content"][0]["error"] = "not found"
    image = {"type": "input_image_url", "image_url": {"url": "https://example.org/x.png"}}
    picture = cast("InputItem", {**user("", "i"), "content": [image]})
    told = transcript([user("look"), assistant("I look.", ("x",)), failed, picture])
    assert told.split("\n\n") == [
        "user: look",
        "assistant: I look.\n(calls look with {})",
        "user: (result: failed: not found seen)",
    ]


def test_it_serves_a_rollover() -> None:
    summarize = model_summarizer(lambda _: "brief", APPROXIMATE, window_tokens=2_000, max_summary_tokens=100)
    assert talked().rollover(summarize=summarize).summary == "brief"
