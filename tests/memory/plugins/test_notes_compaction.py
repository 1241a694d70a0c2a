import pytest

from memory.plugins.notes import WorkingMemory
from tests.memory.plugins.notes_cast import found, listed_keys, notes_of


def many_notes(count: int, **options: int) -> WorkingMemory:
    notes = notes_of(**options)
    for number in range(count):
        notes.store(f"topic.number_{number}", f"What was found about topic number {number}", number)
    return notes


def tokens_of(notes: WorkingMemory) -> int:
    return notes.estimator.estimate_tokens(notes.format_index())


@pytest.mark.trap("W3.9")
@pytest.mark.parametrize("target", [1, 40, 100, 300])
def test_it_frees_what_was_asked_and_not_one_line_more(target: int) -> None:
    notes = many_notes(20)
    before = tokens_of(notes)
    line = notes.estimator.estimate_tokens(
        "- `topic.number_10` (2B): What was found about topic number 10 [session]\n"
    )
    freed = notes.compact(target)
    assert target <= freed <= target + line + 1
    assert tokens_of(notes) == before - freed


@pytest.mark.trap("W3.9")
def test_it_destroys_no_note() -> None:
    notes = many_notes(20)
    before = [(entry.key, entry.value) for entry in notes.entries()]
    assert notes.compact(10_000) > 0
    assert listed_keys(notes) == []
    assert [(entry.key, entry.value) for entry in notes.entries()] == before
    assert "20 more notes are stored" in notes.format_index()


@pytest.mark.trap("W3.9")
def test_notes_beyond_the_index_do_not_move_up_into_the_freed_lines() -> None:
    notes = many_notes(50, max_index_entries=10)
    before = tokens_of(notes)
    freed = notes.compact(60)
    assert freed >= 60
    assert tokens_of(notes) == before - freed
    assert len(listed_keys(notes)) < 10


def test_lines_go_by_tier_and_oldest_access() -> None:
    notes = notes_of()
    notes.store("d", "The raw data of the search", 1, tier="raw")
    notes.store("c", "The summary of the search", 1, tier="summary")
    notes.store("b", "The findings of the search, older", 1, tier="findings")
    notes.store("a", "The findings of the search, newer", 1, tier="findings")
    gone = []
    while notes.is_compactable():
        before = set(listed_keys(notes))
        if not notes.compact(1):
            break
        gone.append(before - set(listed_keys(notes)))
    assert gone[0] >= {"raw.d"}
    assert [key for keys in gone for key in sorted(keys)][-1] == "findings.a"


def test_pinned_and_critical_lines_stay() -> None:
    notes = many_notes(10)
    notes.store("pinned", "d", 1, pinned=True)
    notes.store("critical", "d", 1, priority="critical")
    notes.compact(10_000)
    assert listed_keys(notes) == ["pinned", "critical"]
    assert not notes.is_compactable()
    assert notes.compact(10_000) == 0


def test_a_folded_line_returns_with_the_next_access() -> None:
    notes = many_notes(10)
    notes.compact(10_000)
    notes.get_content()
    notes.retrieve("topic.number_3")
    assert notes.get_token_size() == 0
    notes.store("topic.number_4", None, 4)
    assert listed_keys(notes) == ["topic.number_4", "topic.number_3"]
    assert not found(notes, "topic.number_4").folded


def test_reading_a_listed_note_keeps_the_token_size() -> None:
    notes = many_notes(2)
    notes.get_content()
    notes.retrieve("topic.number_0")
    assert notes.get_token_size() > 0


def test_nothing_happens_when_the_index_would_not_shrink() -> None:
    notes = notes_of()
    notes.store("a", "d", 1)
    before = (notes.get_state(), notes.revision)
    assert notes.compact(5) == 0
    assert (notes.get_state(), notes.revision) == before


@pytest.mark.parametrize("target", [0, -5])
def test_a_target_of_nothing_frees_nothing(target: int) -> None:
    notes = many_notes(10)
    assert notes.compact(target) == 0
    assert len(listed_keys(notes)) == 10


def test_the_change_counts_one_revision_and_forgets_the_token_size() -> None:
    notes = many_notes(10)
    notes.get_content()
    revision = notes.revision
    notes.compact(50)
    assert notes.revision == revision + 1
    assert notes.get_token_size() == 0


def test_it_is_compactable_only_with_lines_that_may_go() -> None:
    notes = notes_of()
    assert not notes.is_compactable()
    notes.store("a", "d", 1, pinned=True)
    assert not notes.is_compactable()
    notes.store("b", "d", 1)
    assert notes.is_compactable()


def test_it_tells_the_truth_before_the_first_rendering() -> None:
    notes = many_notes(20)
    assert notes.get_token_size() == 0
    before = tokens_of(notes)
    assert notes.compact(50) == before - tokens_of(notes)
