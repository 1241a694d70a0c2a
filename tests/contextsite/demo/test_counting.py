import io
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextsite.demo import counting
from contextsite.demo.counting import MAX_TYPES, NO_TYPE, OTHER_TYPES, Counts, Tally, count, file_type
from contextsite.demo.tree import File, Tree
from tests.contextsite.demo.odd_folder import counts_by_wc, passes_over_odd_words


def count_bytes(content: bytes) -> Counts:
    return count(io.BytesIO(content))


def counts_of(root: Path, path: bytes) -> tuple[int, int, int]:
    counts = count_bytes((root / os.fsdecode(path)).read_bytes())
    return counts.lines, counts.words, counts.bytes


def test_lines_words_and_bytes_of_odd_files_equal_wc(odd_folder: Path) -> None:
    paths = [found.path for found in Tree(odd_folder).walk() if isinstance(found, File)]
    for path, (lines, words, size) in counts_by_wc(odd_folder, paths).items():
        ours = counts_of(odd_folder, path)
        assert (ours[0], ours[2]) == (lines, size), path
        if passes_over_odd_words() or path not in {b"binary.bin", b"noise.dat", b"controls.txt"}:
            assert ours[1] == words, path


@pytest.mark.skipif(not passes_over_odd_words(), reason="this wc counts words of bytes that are not text")
def test_words_of_hostile_bytes_equal_wc(tmp_path: Path) -> None:
    pieces = [" ", "\n", "\t", "\x0b", "\r", "\x00", "\x1c", "\x7f", "\x85", "é", "\xa0", "\u1680", "\u2007"]
    pieces += ["\u2028", "\u202f", "\u2060", "\u3000", "\ufeff", "\u200b", "—", "😀", "\u0378", "\ue000", "a"]
    blocks = [piece.encode() for piece in pieces] + [b"\xff", b"\xe2", b"\x80", b"\xf0\x9f", b"\xed\xa0\x80"]
    for number in range(150):
        content = b"".join(blocks[number * 7 * place % len(blocks)] for place in range(number % 12))
        (tmp_path / str(number)).write_bytes(content)
    names = [str(number).encode() for number in range(150)]
    expected = counts_by_wc(tmp_path, names)
    assert {name: counts_of(tmp_path, name) for name in names} == expected


@given(st.binary(max_size=60), st.integers(1, 9))
def test_counts_do_not_depend_on_how_the_file_is_cut(content: bytes, size: int) -> None:
    whole = count_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "CHUNK_BYTES", size)
        parts = count_bytes(content)
    assert (parts.lines, parts.words, parts.bytes, parts.longest_line) == (
        whole.lines,
        whole.words,
        whole.bytes,
        whole.longest_line,
    )


@given(st.binary(max_size=60))
def test_the_longest_line_is_measured_in_bytes_without_its_newline(content: bytes) -> None:
    assert count_bytes(content).longest_line == max(len(line) for line in content.split(b"\n"))


def test_a_word_over_a_chunk_border_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "CHUNK_BYTES", 3)
    assert count_bytes(b"abcdef gh").words == 2


def test_an_early_nul_makes_a_file_binary() -> None:
    assert count_bytes(b"a\x00b").is_binary
    assert not count_bytes(b"a" * counting.SNIFFED_BYTES + b"\x00").is_binary


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (b"a/b.py", ".py"),
        (b"B.PY", ".py"),
        (b"archive.tar.gz", ".gz"),
        (b"Makefile", NO_TYPE),
        (b".gitignore", NO_TYPE),
        (b"name.with space", NO_TYPE),
        (b"x.averyverylongextension", NO_TYPE),
        (b"odd.\xff", NO_TYPE),
        (b"ends with.", NO_TYPE),
    ],
)
def test_the_type_of_a_file_is_its_extension(path: bytes, kind: str) -> None:
    assert file_type(path) == kind


def test_a_tally_sums_and_names_the_extremes() -> None:
    tally = Tally()
    tally.add(b"a.py", Counts(3, 9, 30, 12, is_binary=False))
    tally.add(b"b.py", Counts(1, 1, 50, 4, is_binary=False))
    tally.add(b"c.png", Counts(2, 2, 50, 40, is_binary=True))
    answer: Any = tally.answer(2)
    assert (answer["lines"], answer["words"], answer["bytes"], answer["binary"]) == (6, 12, 130, 1)
    assert answer["by_type"] == {
        ".py": {"files": 2, "lines": 4, "bytes": 80},
        ".png": {"files": 1, "lines": 2, "bytes": 50},
    }
    assert [each["path"] for each in answer["largest"]] == ["b.py", "c.png"]
    assert answer["longest_lines"][0] == {
        "path": "c.png",
        "lines": 2,
        "words": 2,
        "bytes": 50,
        "longest_line": 40,
        "binary": True,
    }


def test_an_empty_tally_is_all_zeros() -> None:
    assert Tally().answer(3) == {
        "lines": 0,
        "words": 0,
        "bytes": 0,
        "binary": 0,
        "by_type": {},
        "largest": [],
        "longest_lines": [],
    }


@given(st.lists(st.integers(0, 80), max_size=200))
def test_rare_types_are_summed_up_and_no_line_is_lost(kinds: list[int]) -> None:
    tally = Tally()
    for kind in kinds:
        tally.add(f"f.e{kind}".encode(), Counts(kind, 0, 1, 0, is_binary=False))
    by_type: Any = tally.answer(0)["by_type"]
    totals: Counter[str] = Counter()
    for sums in by_type.values():
        totals.update(sums)
    assert (totals["lines"], totals["files"], totals["bytes"]) == (sum(kinds), len(kinds), len(kinds))
    assert (OTHER_TYPES in by_type) == (len(set(kinds)) > MAX_TYPES)
