import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.plugins.errors import InvalidEntry
from memory.plugins.notes_keys import (
    MAX_KEY_LENGTH,
    Tier,
    check_tier,
    final_key,
    find_key,
    glob_matches,
    is_moved_result,
    is_tier,
    tier_of,
    usual_priority,
)


@pytest.mark.parametrize(
    "key", ["a", "search.results", "A-1_b.c", "9", "raw.topic", "raw", "x" * MAX_KEY_LENGTH]
)
def test_a_key_of_letters_digits_and_single_dots_is_kept(key: str) -> None:
    assert final_key(key, None) == key


@pytest.mark.parametrize(
    "key",
    [
        "",
        ".a",
        "a.",
        "a..b",
        "a b",
        "a/b",
        "a:b",
        "ä",
        "a\n",
        "a`b",
        "٣",
        "x" * (MAX_KEY_LENGTH + 1),
        None,
        7,
        ["a"],
    ],
)
def test_any_other_key_is_refused_with_an_example(key: object) -> None:
    with pytest.raises(InvalidEntry, match=r"search\.results"):
        final_key(key, None)


def test_a_refused_key_is_quoted_only_in_part() -> None:
    with pytest.raises(InvalidEntry) as caught:
        final_key("é" * 100_000, None)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    ("key", "tier", "stored"),
    [
        ("topic", "raw", "raw.topic"),
        ("topic", "findings", "findings.topic"),
        ("raw.topic", "summary", "summary.topic"),
        ("raw.topic", "raw", "raw.topic"),
        ("raw", "raw", "raw.raw"),
        ("rawest.topic", "raw", "raw.rawest.topic"),
        ("search.raw.topic", "raw", "raw.search.raw.topic"),
        ("raw.summary.topic", "findings", "findings.summary.topic"),
    ],
)
def test_a_tier_becomes_the_prefix_or_replaces_it(key: str, tier: Tier, stored: str) -> None:
    assert final_key(key, tier) == stored


@pytest.mark.parametrize("key", ["raw.", ".x", "raw..x"])
def test_a_tier_does_not_repair_a_bad_key(key: str) -> None:
    with pytest.raises(InvalidEntry):
        final_key(key, "raw")


def test_the_length_limit_counts_the_prefix() -> None:
    with pytest.raises(InvalidEntry):
        final_key("x" * MAX_KEY_LENGTH, "raw")


@pytest.mark.parametrize(
    ("key", "tier"),
    [
        ("raw.x", "raw"),
        ("summary.x.y", "summary"),
        ("findings.x", "findings"),
        ("raw", None),
        ("x.raw", None),
    ],
)
def test_the_tier_is_read_from_the_prefix(key: str, tier: Tier | None) -> None:
    assert tier_of(key) == tier


@pytest.mark.parametrize(
    ("key", "priority"), [("raw.x", "low"), ("summary.x", "normal"), ("findings.x", "high"), ("x", "normal")]
)
def test_the_prefix_gives_the_usual_priority(key: str, priority: str) -> None:
    assert usual_priority(key) == priority


@pytest.mark.parametrize("value", ["RAW", "", 1, ["raw"], {"raw": 1}])
def test_what_is_no_tier_is_refused_by_naming_the_three(value: object) -> None:
    assert not is_tier(value)
    with pytest.raises(InvalidEntry, match="raw, summary or findings"):
        check_tier(value)


def test_no_tier_is_accepted() -> None:
    check_tier(None)
    check_tier("raw")


def test_lookup_prefers_the_exact_key() -> None:
    assert find_key("topic", {"topic", "findings.topic", "raw.topic"}) == "topic"


def test_lookup_of_a_base_key_takes_the_most_refined_tier() -> None:
    stored = {"raw.topic", "summary.topic", "findings.topic"}
    order = []
    while (key := find_key("topic", stored)) is not None:
        order.append(key)
        stored.remove(key)
    assert order == ["findings.topic", "summary.topic", "raw.topic"]


def test_lookup_of_a_key_with_a_tier_stays_in_that_tier() -> None:
    assert find_key("raw.topic", {"findings.topic", "findings.raw.topic"}) is None


@pytest.mark.parametrize("key", [None, 5, ["raw.a"], "missing"])
def test_lookup_of_anything_else_finds_nothing(key: object) -> None:
    assert find_key(key, {"raw.a"}) is None


@pytest.mark.parametrize(
    ("key", "is_moved"),
    [
        ("raw.tool_result.search.call_1", True),
        ("tool_result.search.call_1", True),
        ("raw.tool_results.x", False),
        ("findings.tool_result.x", False),
        ("raw.tool_result", False),
        ("raw.search", False),
    ],
)
def test_moved_results_are_known_by_their_key(key: str, is_moved: bool) -> None:
    assert is_moved_result(key) is is_moved


@pytest.mark.parametrize(
    ("pattern", "key", "fits"),
    [
        ("*", "anything", True),
        ("*", "", True),
        ("", "", True),
        ("", "a", False),
        ("abc", "abc", True),
        ("abc", "abcd", False),
        ("raw.*", "raw.topic", True),
        ("raw.*", "summary.topic", False),
        ("*.topic", "raw.topic", True),
        ("*topic*", "raw.topic.2", True),
        ("a*b*c", "a-b-c", True),
        ("a*b*c", "abc", True),
        ("a*b*c", "acb", False),
        ("xy*yx", "xyx", False),
        ("xy*yx", "xyyx", True),
        ("a*ab*b", "ab", False),
        ("**", "x", True),
        ("a.c", "abc", False),
        ("a?c", "abc", False),
        ("[ab]", "a", False),
    ],
)
def test_only_the_star_is_special_in_a_pattern(pattern: str, key: str, fits: bool) -> None:
    assert glob_matches(pattern, key) is fits


@pytest.mark.trap("W3.10")
@pytest.mark.parametrize("pattern", ["a(b", "[", "\\", "+", "(?P<", "a{99999}", "^$"])
def test_characters_of_regular_expressions_are_plain_text(pattern: str) -> None:
    assert glob_matches(pattern, pattern)
    assert not glob_matches(pattern, "other")


@pytest.mark.trap("W3.10")
def test_no_pattern_blows_up() -> None:
    begin = time.process_time()
    assert not glob_matches("*a" * 400 + "*b", "a" * MAX_KEY_LENGTH)
    # A backtracking matcher would need longer than the universe; generous enough for any machine.
    assert time.process_time() - begin < 1


@given(
    pattern=st.text(alphabet="ab*.", max_size=12),
    key=st.text(alphabet="ab.", max_size=12),
)
def test_patterns_agree_with_a_regular_expression(pattern: str, key: str) -> None:
    expression = ".*".join(re.escape(part) for part in pattern.split("*"))
    assert glob_matches(pattern, key) is (re.fullmatch(expression, key) is not None)


@given(
    key=st.from_regex(r"[A-Za-z0-9_-]{1,8}(\.[A-Za-z0-9_-]{1,8}){0,3}", fullmatch=True),
    tier=st.sampled_from(["raw", "summary", "findings"]),
)
def test_a_stored_key_is_found_by_the_key_it_was_stored_with(key: str, tier: Tier) -> None:
    stored = final_key(key, tier)
    assert tier_of(stored) == tier
    assert final_key(stored, tier) == stored
    if tier_of(key) is None:
        assert find_key(key, {stored}) == stored
