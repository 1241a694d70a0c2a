import base64
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.context.counting import count_item
from agents.context.cut_texts import cut_text
from agents.context.messages import InputItem
from agents.context.oversize import OversizeResult, looks_binary, shrink_input
from agents.context.tokens import ApproximateTokenEstimator, TiktokenEstimator, TokenEstimator
from tests.agents.context.cast import assistant, results, user

ESTIMATOR = ApproximateTokenEstimator()
BINARY = base64.b64encode(random.Random(7).randbytes(3_000)).decode()
IMAGE = {"type": "tool_result", "tool_use_id": "i", "content": BINARY, "__images": [{"base64": "AAAA"}]}


class Keeper:
    """Keeps what it is given under a key, or refuses."""

    def __init__(self, key: str | None = "raw.key") -> None:
        self.key = key
        self.kept: list[tuple[str, str]] = []

    def __call__(self, use_id: str, text: str) -> str | None:
        self.kept.append((use_id, text))
        return self.key


def shrunk(
    *items: InputItem, limit: int, keeper: Keeper | None = None, by: TokenEstimator = ESTIMATOR
) -> OversizeResult:
    return shrink_input(items, limit, by, keeper or Keeper(None))


def content_of(result: OversizeResult, place: int = 0, block: int = 0) -> Any:
    item: Any = result.items[place]
    return item["content"][block]


def test_the_words_of_a_person_are_refused_not_cut() -> None:
    result = shrunk(user("x" * 3_500), limit=100)
    assert not result.accepted
    assert result.error == "The input is too large: 1004 tokens, and 100 fit. Send less."
    assert result.items == (user("x" * 3_500),)
    assert result.original_size == result.final_size == 1_004


def test_a_result_is_cut_from_the_end_with_a_note_of_both_sizes() -> None:
    result = shrunk(results("c", text="word " * 2_000), limit=1_000)
    assert result.accepted
    assert result.changed == ("r",)
    text = content_of(result)["content"]
    assert text.startswith("word word")
    assert "[Cut: 9.8 KB, of which the first 3.2 KB are shown.]" in text
    assert result.original_size > 1_000 >= result.final_size
    assert result.warning is not None
    assert str(result.final_size) in result.warning


def test_the_full_text_is_kept_and_its_key_is_named() -> None:
    keeper = Keeper("raw.tool_result.x")
    text = "word " * 2_000
    result = shrunk(results("c", text=text), limit=1_000, keeper=keeper)
    assert keeper.kept == [("c", text)]
    assert 'Read all of it with store_get("notes", "raw.tool_result.x").' in content_of(result)["content"]


@pytest.mark.trap("W5.10")
def test_the_given_items_do_not_change() -> None:
    item = results("c", text="word " * 10_000)
    before = str(item)
    assert shrunk(item, limit=500).items[0] is not item
    assert str(item) == before


@pytest.mark.trap("W5.12")
def test_every_pending_item_is_looked_at() -> None:
    first, second = results("a", item_id="r1", text="a" * 7_000), results("b", item_id="r2", text="b" * 7_000)
    result = shrunk(first, user("and?"), second, limit=1_500)
    assert result.accepted
    assert result.final_size <= 1_500
    assert result.items[1] == user("and?")
    assert set(result.changed) <= {"r1", "r2"}


def test_results_are_served_in_order_until_the_room_is_spent() -> None:
    result = shrunk(results("a", "b", "c", text="z" * 3_000), limit=1_500)
    first, second, third = (content_of(result, block=n) for n in range(3))
    assert first["content"] == "z" * 3_000
    assert second["content"].startswith("zzz")
    assert "[Cut:" in second["content"]
    assert third["content"].startswith("[Cut: 2.9 KB, of which the first 0.0 KB are shown.")
    assert third["error"] == "The result did not fit into the context."


def test_small_results_stay_as_they_are() -> None:
    small, large = results("a", item_id="r1"), results("b", item_id="r2", text="b" * 9_000)
    result = shrunk(small, large, limit=1_000)
    assert result.items[0] is small
    assert result.changed == ("r2",)


def test_a_message_of_another_kind_stays() -> None:
    opaque: InputItem = {"type": "compaction", "id": "c"}
    result = shrunk(opaque, assistant("said"), results("a", text="b" * 9_000), limit=800)
    assert result.items[:2] == (opaque, assistant("said"))


def test_binary_data_is_refused_with_a_remedy() -> None:
    keeper = Keeper()
    result = shrunk(results("c", text=BINARY), limit=500, keeper=keeper)
    assert content_of(result)["content"] == "[Binary data is not shown.]"
    assert "ask the tool for text" in content_of(result)["error"]
    assert keeper.kept == []


def test_images_stay_whatever_their_text_looks_like() -> None:
    item: Any = {"type": "message", "id": "r", "role": "user", "content": [IMAGE]}
    result = shrunk(item, limit=1_500)
    assert content_of(result)["__images"] == [{"base64": "AAAA"}]
    assert content_of(result)["content"].startswith(BINARY[:50])


def test_what_cannot_be_cut_enough_is_refused_as_it_was() -> None:
    items = [results(f"c{n}", item_id=f"r{n}", text="z" * 400) for n in range(20)]
    result = shrunk(*items, limit=100)
    assert not result.accepted
    assert result.items == tuple(items)
    assert result.error is not None
    assert "even after cutting" in result.error


def test_a_limit_below_zero_is_shown_as_none() -> None:
    result = shrunk(user("hi"), limit=-5)
    assert result.error == "The input is too large: 5 tokens, and 0 fit. Send less."


@pytest.mark.trap("W5.11")
def test_the_limit_is_checked_again_with_exact_counts() -> None:
    exact = TiktokenEstimator("gpt-4.1")
    dense = "".join(random.Random(3).choices("漢字仮名交じり文é%&§", k=6_000))
    result = shrunk(results("c", text=dense), limit=1_000, by=exact)
    assert result.accepted
    assert result.final_size <= 1_000
    assert result.final_size == sum(count_item(item, exact) for item in result.items)
    assert result.final_size > 400


@pytest.mark.trap("W5.11")
@pytest.mark.parametrize(
    "text",
    [
        "/usr/local/lib/python3/site/packages/" * 40,
        "a" * 5_000,
        "x" * 99,
        "0123456789abcdef" * 100,
        "deadbeef" * 300,
        "averylongidentifierWithoutAnySpaces" * 60,
        "The quick brown fox jumps over the lazy dog. " * 50,
        "src/App/Views/Main9/Index/Row4/Cell/" * 60,
        "Ein Text mit Umlauten: äöü. " * 40,
    ],
)
def test_ordinary_text_is_not_binary(text: str) -> None:
    assert not looks_binary(text)


@pytest.mark.parametrize(
    "text",
    [
        BINARY,
        BINARY[:300],
        "\n".join(BINARY[n : n + 76] for n in range(0, len(BINARY), 76)),
        "\x00\x01\x02\x03" * 50,
        "�" * 200,
    ],
)
def test_encoded_bytes_and_control_characters_are_binary(text: str) -> None:
    assert looks_binary(text)


TEXT = st.sampled_from(["short", "word " * 300, "漢字" * 500, "é" * 900, BINARY, ""])
ITEM = st.builds(
    lambda ids, text: results(*(f"c{each}" for each in ids), text=text),
    st.lists(st.integers(0, 9), min_size=1, max_size=3, unique=True),
    TEXT,
)


@settings(deadline=None)
@given(st.lists(ITEM, min_size=1, max_size=4), st.integers(0, 2_000))
def test_whatever_is_accepted_fits_and_keeps_every_result(items: list[InputItem], limit: int) -> None:
    result = shrunk(*items, limit=limit)
    if not result.accepted:
        assert result.items == tuple(items)
        return
    assert result.final_size <= limit
    for before, after in zip(items, result.items, strict=True):
        assert before["type"] == after["type"] == "message"
        assert [each["type"] for each in before["content"]] == [each["type"] for each in after["content"]]


def test_a_cut_text_is_cut_again_without_the_note_in_what_is_shown() -> None:
    cut = cut_text("word " * 2_000, 3_000, "raw." + "k" * 400)
    keeper = Keeper("raw.key")
    result = shrunk(results("c", text=cut), limit=1_000, keeper=keeper)
    text = content_of(result)["content"]
    assert keeper.kept == [("c", cut)]
    assert text.count("[Cut: ") == 1
    assert text.startswith("word word")


def test_two_results_of_one_id_are_kept_each() -> None:
    keeper = Keeper()
    first, second = (results("c", item_id=each, text=f"{each} word " * 2_000) for each in "ab")
    shrunk(first, second, limit=1_000, keeper=keeper)
    assert [text[0] for _, text in keeper.kept] == ["a", "b"]
