"""The working memory examples of the mission documents, in Python names and without a context around them."""

import pytest

from memory.plugins import WorkingMemory

LARGE_RESULTS = [{"title": f"Page {number}", "text": "word " * 200} for number in range(100)]


@pytest.fixture
def memory_plugin() -> WorkingMemory:
    return WorkingMemory()


def priorities(plugin: WorkingMemory) -> dict[str, str]:
    return {entry.key: plugin.priority_of(entry) for entry in plugin.entries()}


def test_store_data_in_appropriate_tiers_based_on_importance(memory_plugin: WorkingMemory) -> None:
    memory_plugin.store("search.results", "Raw search results", LARGE_RESULTS, tier="raw")
    memory_plugin.store("search.summary", "Search summary", {"pages": 100}, tier="summary")
    memory_plugin.store("search.findings", "Key findings", ["A", "B"], tier="findings")

    assert priorities(memory_plugin) == {
        "raw.search.results": "low",
        "summary.search.summary": "normal",
        "findings.search.findings": "high",
    }
    assert memory_plugin.retrieve("search.results") == LARGE_RESULTS
    assert memory_plugin.evict(1) == ["raw.search.results"]
    assert memory_plugin.evict(1) == ["summary.search.summary"]
    assert memory_plugin.evict(1) == ["findings.search.findings"]


def test_split_data_by_importance_so_that_only_the_raw_part_goes(memory_plugin: WorkingMemory) -> None:
    small = WorkingMemory(max_size_bytes=2_000)
    small.store("data.raw", "Raw data", "x" * 1_500, tier="raw")
    small.store("data.summary", "Summarized data", "x" * 300, tier="summary")
    small.store("data.findings", "Key findings", "x" * 100, tier="findings")

    outcome = small.store("next.findings", "More findings", "x" * 200, tier="findings")

    assert outcome.evicted == ("raw.data.raw",)
    assert small.retrieve("data.findings") == "x" * 100


def test_the_model_sees_an_index_and_loads_values_by_key(memory_plugin: WorkingMemory) -> None:
    memory_plugin.store("search_results", "Web search results", LARGE_RESULTS)

    content = memory_plugin.get_content()

    assert content is not None
    assert "`search_results`" in content
    assert "Web search results" in content
    assert "Page 1" not in content
    assert memory_plugin.store_get("search_results")["found"] is True


def test_the_default_capacity_is_25_mb(memory_plugin: WorkingMemory) -> None:
    memory_plugin.store("key", "description", "value")
    assert memory_plugin.format_index().startswith("## Notes (7B / 25MB - 0%)")


def test_a_saved_session_restores_the_notes(memory_plugin: WorkingMemory) -> None:
    memory_plugin.store("key", "description", {"any": ["value", None]})
    restored = WorkingMemory()
    restored.restore_state(memory_plugin.get_state())
    assert restored.retrieve("key") == {"any": ["value", None]}
