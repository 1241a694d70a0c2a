from hypothesis import given
from hypothesis import strategies as st

from memory.diffs import MOST_LINES, blame, compare

TEXTS = st.lists(st.sampled_from(["a", "b", "one two", "one three", ""]), max_size=12).map("\n".join)


@given(TEXTS, TEXTS)
def test_a_comparison_without_its_gaps_gives_back_both_texts(before: str, after: str) -> None:
    found = compare(before, after)
    if not found.lines:
        assert before.splitlines() == after.splitlines()
        return
    old, new = before.splitlines(), after.splitlines()
    for line in found.lines:
        text = "".join(piece for piece, _ in line.pieces)
        if line.kind in {"same", "removed"}:
            assert line.old is not None
            assert old[line.old - 1] == text
        if line.kind in {"same", "added"}:
            assert line.new is not None
            assert new[line.new - 1] == text
    hidden = sum(line.hidden for line in found.lines)
    same = sum(line.kind == "same" for line in found.lines)
    assert hidden + same + found.removed == len(old)
    assert hidden + same + found.added == len(new)


def test_words_that_changed_are_marked_inside_their_line() -> None:
    removed, added = compare("Counting, step 3. Mode: quick", "Counting, step 4. Mode: quick").lines
    assert [text for text, is_marked in removed.pieces if is_marked] == ["3"]
    assert [text for text, is_marked in added.pieces if is_marked] == ["4"]


def test_lines_with_little_in_common_are_other_lines() -> None:
    removed, added = compare("alpha beta gamma", "nothing of that kind here").lines
    assert [is_marked for _, is_marked in [*removed.pieces, *added.pieces]] == [False, False]


def test_long_stretches_without_a_change_are_left_out() -> None:
    before = "\n".join(map(str, range(100)))
    found = compare(before, before.replace("50", "fifty"))
    assert [line.kind for line in found.lines] == [
        "gap", "same", "same", "same", "removed", "added", "same", "same", "same", "gap",
    ]  # fmt: skip
    assert [line.hidden for line in found.lines if line.kind == "gap"] == [47, 46]


def test_equal_texts_have_no_lines() -> None:
    assert compare("a\nb", "a\nb").lines == ()


def test_very_long_texts_are_not_compared() -> None:
    assert compare("x\n" * (MOST_LINES + 1), "x").is_too_long


def test_blame_names_the_text_that_brought_each_line() -> None:
    assert blame(["a\nb", "a\nc\nb", "z\nc\nb"]) == [("z", 2), ("c", 1), ("b", 0)]
    assert blame([]) == []
    assert blame(["a", "", "a"]) == [("a", 2)]
