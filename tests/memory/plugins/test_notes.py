import pytest

from agents.context.json_values import JSON
from agents.context.plugin import ContextPlugin
from agents.context.tokens import ApproximateTokenEstimator
from memory.plugins.errors import InvalidEntry
from memory.plugins.notes import WorkingMemory
from memory.plugins.notes_keeper import StoreOutcome
from tests.memory.plugins.notes_cast import (
    START_MS,
    StoppedClock,
    found,
    keys_of,
    listed_keys,
    notes_of,
)

MB = 1024 * 1024


def test_it_is_the_plugin_working_memory() -> None:
    notes = WorkingMemory()
    assert isinstance(notes, ContextPlugin)
    assert (notes.name, notes.compaction_priority) == ("working_memory", 2)


def test_the_defaults_are_those_of_the_mission() -> None:
    notes = WorkingMemory()
    assert notes.max_size_bytes == 25 * MB
    assert notes.max_entries is None
    assert notes.max_index_entries == 30
    assert notes.description_max_length == 150


@pytest.mark.parametrize(
    "option", ["max_size_bytes", "max_entries", "max_index_entries", "description_max_length"]
)
@pytest.mark.parametrize("value", [0, -1, 1.5, "30", True])
def test_a_limit_below_one_or_of_another_type_is_refused_by_name(option: str, value: object) -> None:
    with pytest.raises(InvalidEntry, match=option):
        notes_of(**{option: value})


@pytest.mark.parametrize("option", ["max_size_bytes", "max_index_entries", "description_max_length"])
def test_none_switches_no_limit_off(option: str) -> None:
    with pytest.raises(InvalidEntry, match=option):
        notes_of(**{option: None})


@pytest.mark.trap("W3.13")
def test_options_in_the_wrong_shape_are_refused() -> None:
    with pytest.raises(TypeError):
        notes_of(config={"maxSizeBytes": 10})
    with pytest.raises(TypeError):
        notes_of(maxSizeBytes=10)
    with pytest.raises(TypeError):
        WorkingMemory({"maxSizeBytes": 10})  # type: ignore[call-arg, arg-type]


def test_an_empty_plugin_counts_as_true() -> None:
    assert notes_of()


def test_a_stored_value_is_retrieved() -> None:
    notes = notes_of()
    outcome = notes.store("search.results", "Found pages", {"pages": [1, 2]})
    assert outcome == StoreOutcome("search.results", 15)
    assert notes.retrieve("search.results") == {"pages": [1, 2]}
    assert notes.used_bytes == 15
    assert notes.count == 1


def test_what_is_not_there_is_none() -> None:
    assert notes_of().retrieve("missing") is None
    assert not notes_of().has("missing")
    assert not notes_of().delete("missing")


def test_values_are_copies_on_the_way_in_and_out() -> None:
    notes = notes_of()
    value: dict[str, JSON] = {"list": [1]}
    notes.store("k", "d", value)
    value["list"] = "changed"
    notes.retrieve("k").clear()  # type: ignore[union-attr]
    assert notes.retrieve("k") == {"list": [1]}


def test_the_size_is_in_bytes_of_compact_json() -> None:
    notes = notes_of()
    assert notes.store("k", "d", {"ü": "€"}).size_bytes == len('{"ü":"€"}'.encode())
    assert notes.store("null", "d", None).size_bytes == 4


def test_a_tier_is_a_prefix_and_sets_the_priority() -> None:
    notes = notes_of()
    assert notes.store("topic", "d", 1, tier="raw", priority="critical").key == "raw.topic"
    assert notes.store("raw.topic", "d", 2, tier="findings").key == "findings.topic"
    assert [notes.priority_of(entry) for entry in notes.entries()] == ["low", "high"]


@pytest.mark.parametrize(
    ("priority", "expected"), [(None, "normal"), ("low", "low"), ("critical", "critical")]
)
def test_without_a_tier_the_priority_is_as_given(priority: str | None, expected: str) -> None:
    notes = notes_of()
    notes.store("k", "d", 1, priority=priority)  # type: ignore[arg-type]
    assert notes.priority_of(found(notes, "k")) == expected


@pytest.mark.trap("W3.2")
def test_a_base_key_finds_its_most_refined_tier() -> None:
    notes = notes_of()
    notes.store("topic", "d", "raw", tier="raw")
    assert notes.retrieve("topic") == "raw"
    notes.store("topic", "d", "findings", tier="findings")
    notes.store("topic", "d", "summary", tier="summary")
    assert notes.retrieve("topic") == "findings"
    assert notes.retrieve("raw.topic") == "raw"
    assert notes.delete("topic")
    assert notes.retrieve("topic") == "summary"
    assert keys_of(notes) == ["raw.topic", "summary.topic"]


def test_an_update_keeps_what_it_leaves_out() -> None:
    notes = notes_of()
    notes.store("k", "first", 1, priority="high", pinned=True, scope="persistent")
    notes.store("k", None, 2)
    entry = found(notes, "k")
    assert (entry.description, entry.value) == ("first", 2)
    assert (entry.base_priority, entry.pinned, entry.scope.to_json()) == ("high", True, "persistent")


def test_an_update_changes_what_it_names() -> None:
    notes = notes_of()
    notes.store("k", "first", 1, priority="high", pinned=True, scope="persistent")
    notes.store("k", "second", 1, priority="low", pinned=False, scope="session")
    entry = found(notes, "k")
    assert (entry.description, entry.base_priority, entry.pinned) == ("second", "low", False)
    assert entry.scope.to_json() == "session"


def test_an_update_keeps_place_and_creation_time() -> None:
    clock = StoppedClock()
    notes = notes_of(clock=clock)
    notes.store("a", "d", 1)
    notes.store("b", "d", 1)
    clock.now += 5
    notes.store("a", "d", 2)
    assert keys_of(notes) == ["a", "b"]
    entry = found(notes, "a")
    assert (entry.created_at, entry.updated_at, entry.last_accessed_at) == (
        START_MS,
        START_MS + 5,
        START_MS + 5,
    )


def test_an_equal_write_moves_only_the_order_of_access() -> None:
    clock = StoppedClock()
    notes = notes_of(clock=clock)
    notes.store("a", "d", {"x": 1})
    notes.store("b", "d", 1)
    revision = notes.revision
    clock.now += 5
    assert not notes.store("a", "d", {"x": 1}).changed
    assert notes.revision == revision
    assert found(notes, "a").updated_at == START_MS
    assert listed_keys(notes) == ["a", "b"]


def test_every_change_counts_one_revision() -> None:
    notes = notes_of()
    assert notes.revision == 0
    notes.store("a", "d", 1)
    notes.store("a", "d", 2)
    assert notes.revision == 2
    notes.retrieve("a")
    notes.delete("b")
    notes.cleanup_raw()
    notes.evict(0)
    assert notes.revision == 2
    notes.delete("a")
    assert notes.revision == 3


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (("bad key", "d", 1), {}),
        (("k", "", 1), {}),
        (("k", None, 1), {}),
        (("k", "x" * 151, 1), {}),
        (("k", "d", float("inf")), {}),
        (("k", "d", 1), {"tier": "gold"}),
        (("k", "d", 1), {"priority": "urgent"}),
        (("k", "d", 1), {"pinned": "yes"}),
        (("k", "d", 1), {"scope": "for ever"}),
    ],
)
def test_a_bad_write_is_refused_and_changes_nothing(
    arguments: tuple[str, str, object], options: dict[str, object]
) -> None:
    notes = notes_of()
    notes.store("k", "kept", "kept", tier="raw")
    before = notes.get_state()
    with pytest.raises(InvalidEntry):
        notes.store(*arguments, **options)  # type: ignore[arg-type]
    assert notes.get_state() == before


def test_reading_counts_the_access() -> None:
    clock = StoppedClock()
    notes = notes_of(clock=clock)
    notes.store("k", "d", 1)
    clock.now += 7
    notes.retrieve("k")
    notes.retrieve("k")
    entry = found(notes, "k")
    assert (entry.access_count, entry.last_accessed_at, entry.created_at) == (2, START_MS + 7, START_MS)


def test_accesses_of_one_millisecond_keep_their_order() -> None:
    notes = notes_of(max_entries=3)
    for key in ("a", "b", "c"):
        notes.store(key, "d", 1)
    notes.retrieve("a")
    assert notes.store("d", "d", 1).evicted == ("b",)


def test_a_query_filters_by_pattern_and_tier() -> None:
    notes = notes_of()
    notes.store("search.a", "A", 1, tier="raw")
    notes.store("search.b", "B", 2, tier="findings")
    notes.store("other", "C", 3)
    assert notes.query()["entries"] == [
        {"key": "raw.search.a", "description": "A", "tier": "raw"},
        {"key": "findings.search.b", "description": "B", "tier": "findings"},
        {"key": "other", "description": "C", "tier": None},
    ]
    assert [item["key"] for item in notes.query(pattern="*.search.*")["entries"]] == [
        "raw.search.a",
        "findings.search.b",
    ]
    assert [item["key"] for item in notes.query(pattern="*search*", tier="raw")["entries"]] == [
        "raw.search.a"
    ]


def test_a_query_gives_values_and_stats_when_asked() -> None:
    notes = notes_of()
    notes.store("a", "A", [1])
    notes.store("b", "B", "text")
    result = notes.query(pattern="b", include_values=True, include_stats=True)
    assert result == {
        "entries": [{"key": "b", "description": "B", "tier": None, "value": "text"}],
        "stats": {"count": 1, "totalBytes": 6},
    }
    assert "stats" not in notes.query()


def test_a_query_does_not_count_as_access() -> None:
    notes = notes_of()
    notes.store("a", "A", 1)
    before = notes.get_state()
    notes.query(include_values=True)
    assert notes.get_state() == before


@pytest.mark.parametrize(("pattern", "tier"), [(5, None), ("x" * 1001, None), ("*", "gold")])
def test_a_bad_query_is_refused(pattern: object, tier: object) -> None:
    with pytest.raises(InvalidEntry):
        notes_of().query(pattern=pattern, tier=tier)  # type: ignore[arg-type]


def test_the_default_clock_gives_milliseconds_since_the_epoch() -> None:
    notes = WorkingMemory()
    notes.store("a", "d", 1)
    assert found(notes, "a").created_at > START_MS


def test_the_content_is_the_index_and_its_size_is_remembered() -> None:
    notes = notes_of()
    assert notes.get_content() is None
    assert notes.get_token_size() == 0
    notes.store("a", "d", 1)
    assert notes.get_token_size() == 0
    content = notes.get_content()
    assert content == notes.format_index()
    assert notes.get_token_size() == ApproximateTokenEstimator().estimate_tokens(content)
    notes.delete("a")
    assert notes.get_token_size() == 0
    assert notes.get_content() is None


def test_no_value_ever_stands_in_the_prompt() -> None:
    notes = notes_of()
    notes.store("secret", "d", "VALUE")
    assert "VALUE" not in f"{notes.get_content()}{notes.get_instructions()}{notes.get_contents()}"


def test_the_contents_describe_every_note() -> None:
    notes = notes_of()
    notes.store("a", "A", [1], tier="raw", scope="plan", pinned=True)
    assert notes.get_contents() == [
        {
            "key": "raw.a",
            "description": "A",
            "tier": "raw",
            "priority": "critical",
            "pinned": True,
            "scope": {"type": "plan"},
            "sizeBytes": 3,
            "updatedAt": START_MS,
        }
    ]


def test_the_estimator_given_wins_over_that_of_the_context() -> None:
    own = ApproximateTokenEstimator()
    assert notes_of(estimator=own).estimator is own
    given, taken = notes_of(estimator=own), notes_of()
    other = ApproximateTokenEstimator()
    given.adopt_estimator(other)
    taken.adopt_estimator(other)
    assert (given.estimator, taken.estimator) == (own, other)
