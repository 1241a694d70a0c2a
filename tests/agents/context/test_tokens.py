import math
from types import SimpleNamespace
from typing import NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.context import tokens
from agents.context.tokens import (
    ApproximateTokenEstimator,
    TiktokenEstimator,
    TokenEstimator,
    count_recurring,
)
from agents.context.vocabulary_files import load_encoding

PARAGRAPH = (
    "The agent (version 2) wrote\n    state = {'step': 3}  # then it went on, over 1,024 lines.\n\nÜber 漢字 "
)


@pytest.fixture(scope="module")
def exact() -> TiktokenEstimator:
    return TiktokenEstimator("gpt-4.1")


@pytest.mark.parametrize(
    ("text", "content_type", "expected"),
    [
        ("", "mixed", 0),
        ("x" * 13, "mixed", 4),
        ("x" * 1000, "mixed", 286),
        ("x" * 1000, "code", 334),
        ("x" * 1000, "prose", 250),
        ("x" * 1000, "poetry", 286),
    ],
)
def test_the_approximation_follows_the_published_ratios(text: str, content_type: str, expected: int) -> None:
    assert ApproximateTokenEstimator().estimate_tokens(text, content_type) == expected


@pytest.mark.parametrize(
    ("width", "height", "detail", "expected"),
    [
        (1920, 1080, None, 2125),
        (256, 256, "high", 255),
        (2048, 2048, None, 85 + 16 * 170),
        (2049, 2048, None, 85 + 16 * 170),
        (2**31 - 1, 2**31 - 1, "high", 85 + 16 * 170),
        (1920, 1080, "low", 85),
        (None, None, "low", 85),
        (None, None, None, 1000),
        (512, None, "auto", 1000),
    ],
)
@pytest.mark.parametrize("estimator", [ApproximateTokenEstimator(), TiktokenEstimator("gpt-4.1")])
def test_images_cost_by_tiles(
    estimator: TokenEstimator, width: int | None, height: int | None, detail: str | None, expected: int
) -> None:
    assert estimator.estimate_image_tokens(width, height, detail) == expected


def test_data_is_counted_as_compact_json() -> None:
    estimator = ApproximateTokenEstimator()

    assert estimator.estimate_data_tokens({"a": [1, 2]}) == estimator.estimate_tokens('{"a":[1,2]}')
    assert estimator.estimate_data_tokens(None) == 1
    assert estimator.estimate_data_tokens(math.nan) == 100
    assert estimator.estimate_data_tokens(object()) == 100


@pytest.mark.trap("W1.15")
def test_counts_are_those_of_the_model(exact: TiktokenEstimator) -> None:
    assert exact.estimate_tokens("hello world") == 2
    assert exact.estimate_tokens("") == 0
    assert exact.estimate_tokens("hello world", "code") == 2
    assert exact.estimate_data_tokens({"step": 3}) == len(
        load_encoding("o200k_base").encode_ordinary('{"step":3}')
    )
    assert exact.is_exact
    assert not TiktokenEstimator("claude-opus-4-1").is_exact
    assert not ApproximateTokenEstimator().is_exact


def test_older_models_use_their_own_vocabulary() -> None:
    assert TiktokenEstimator("gpt-4").encoding_name == "cl100k_base"
    assert TiktokenEstimator("gpt-4").estimate_tokens("hello world") == 2


def test_the_vocabulary_is_not_loaded_before_the_first_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> NoReturn:
        raise AssertionError(name)

    monkeypatch.setattr(tokens, "load_encoding", refuse)

    assert TiktokenEstimator("gpt-4.1").estimate_tokens("") == 0


def test_special_tokens_are_counted_as_the_text_they_are(exact: TiktokenEstimator) -> None:
    assert exact.estimate_tokens("<|endoftext|>") == 7


SPECIAL = ["<|endoftext|>", "<|endofprompt|>", "<|", "|>", "\ud83d", "\ude00", "\ud800", "\x00", "\n\n   "]


@settings(deadline=None)
@given(st.lists(st.text(max_size=30) | st.sampled_from(SPECIAL), max_size=20).map("".join))
def test_every_text_is_counted_as_the_encoder_encodes_it(text: str) -> None:
    for model, name in (("gpt-4.1", "o200k_base"), ("gpt-4", "cl100k_base")):
        assert TiktokenEstimator(model).estimate_tokens(text) == len(
            load_encoding(name).encode_ordinary(text)
        )


def test_an_encoder_without_the_faster_way_gives_the_same_count(
    exact: TiktokenEstimator, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "One more text that is counted."
    expected = exact.estimate_tokens(text)
    encode = load_encoding("o200k_base").encode_ordinary
    monkeypatch.setattr(tokens, "load_encoding", lambda name: SimpleNamespace(encode_ordinary=encode))

    assert exact.estimate_tokens(text) == expected


@pytest.mark.parametrize("encoding_name", ["o200k_base", "cl100k_base"])
def test_cutting_long_text_does_not_change_its_count(encoding_name: str) -> None:
    text = PARAGRAPH * 2_000
    estimator = TiktokenEstimator("gpt-4.1" if encoding_name == "o200k_base" else "gpt-4")

    assert len(text) > 5 * tokens.CHUNK_CHARACTERS
    assert estimator.estimate_tokens(text) == len(load_encoding(encoding_name).encode_ordinary(text))


def test_lines_without_spaces_are_cut_at_their_breaks(exact: TiktokenEstimator) -> None:
    text = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODk\n" * 2_000

    assert exact.estimate_tokens(text) == len(load_encoding("o200k_base").encode_ordinary(text))


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@settings(deadline=None)
@given(st.lists(words, min_size=5, max_size=60).map(" ".join))
def test_any_cut_at_a_boundary_is_exact(text: str) -> None:
    for name in ("o200k_base", "cl100k_base"):
        encoding = load_encoding(name)
        whole = len(encoding.encode_ordinary(text))
        for place in range(1, len(text)):
            if tokens.is_boundary(text, place):
                halves = (text[:place], text[place:])
                assert sum(len(encoding.encode_ordinary(half)) for half in halves) == whole


@pytest.mark.parametrize("character", [" ", "\t", "\n", "a", "=", "\u3000", "😀", "\ud800"])
def test_a_million_equal_characters_are_counted(exact: TiktokenEstimator, character: str) -> None:
    assert 0 < exact.estimate_tokens(character * 1_000_000) <= 4_000_000


def test_text_beyond_the_limit_is_extrapolated_from_its_beginning(
    exact: TiktokenEstimator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "MAX_EXACT_CHARACTERS", 1_000)
    text = "one two three " * 1_000

    assert exact.estimate_tokens(text) == pytest.approx(3_000, rel=0.02)


class PanicException(BaseException):
    """Stands for the class of the Rust binding: same name, same base."""


class BrokenEncoding:
    def __init__(self, error: BaseException) -> None:
        self._error = error

    def encode_ordinary(self, text: str) -> NoReturn:
        raise self._error


def test_a_panic_of_the_encoder_counts_bytes_instead(
    exact: TiktokenEstimator, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = BrokenEncoding(PanicException("stack overflow"))
    monkeypatch.setattr(tokens, "load_encoding", lambda name: broken)

    assert exact.estimate_tokens("aé\ud800") == 4


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), GeneratorExit(), ValueError("bug")])
def test_everything_else_the_encoder_raises_is_passed_on(
    exact: TiktokenEstimator, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    monkeypatch.setattr(tokens, "load_encoding", lambda name: BrokenEncoding(error))

    with pytest.raises(type(error)):
        exact.estimate_tokens("text")


def test_a_recurring_text_is_encoded_once_for_all_estimators_of_an_encoding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "How to use a tool that no other test knows."
    expected = TiktokenEstimator("gpt-4.1").estimate_tokens(text)
    assert count_recurring(text, TiktokenEstimator("gpt-4.1")) == expected
    monkeypatch.setattr(tokens, "load_encoding", _refuse_to_load)
    assert count_recurring(text, TiktokenEstimator("gpt-4o")) == expected
    with pytest.raises(AssertionError, match="cl100k_base"):
        count_recurring(text, TiktokenEstimator("gpt-4"))


def test_a_long_recurring_text_is_counted_and_not_kept(exact: TiktokenEstimator) -> None:
    text = PARAGRAPH * 400
    before = tokens._kept_count.cache_info().currsize
    assert count_recurring(text, exact) == exact.estimate_tokens(text)
    assert tokens._kept_count.cache_info().currsize == before


def test_other_estimators_count_recurring_texts_themselves() -> None:
    class Sevens(TiktokenEstimator):
        def estimate_tokens(self, text: str, content_type: str = "mixed") -> int:
            return 7

    assert count_recurring("x" * 35, ApproximateTokenEstimator()) == 10
    assert count_recurring("x" * 35, Sevens("gpt-4.1")) == 7


def _refuse_to_load(name: str) -> NoReturn:
    raise AssertionError(f"{name} was loaded")
