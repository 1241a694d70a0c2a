import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextsite.demo import searching
from contextsite.demo.searching import LineSearch

TEXT = st.text("ab\n", max_size=40).map(str.encode)
NEEDLE = st.text("ab", min_size=1, max_size=4).map(str.encode)


def search(content: bytes, needle: bytes, chunk_bytes: int = 1024) -> dict[str, Any]:
    line_search = LineSearch(needle)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "CHUNK_BYTES", chunk_bytes)
        line_search.add("f", io.BytesIO(content))
    return line_search.answer(10)


@given(TEXT, NEEDLE, st.integers(1, 7))
def test_a_line_counts_once_however_the_file_is_cut(content: bytes, needle: bytes, chunk_bytes: int) -> None:
    hits = [number for number, line in enumerate(content.split(b"\n"), start=1) if needle in line]
    answer = search(content, needle, chunk_bytes)
    assert answer["lines"] == len(hits)
    expected = [{"path": "f", "lines": len(hits), "first_line": hits[0]}] if hits else []
    assert answer["files"] == expected


def test_binary_files_are_only_counted() -> None:
    answer = search(b"a\x00b\n", b"a")
    assert (answer["searched"], answer["binary"], answer["lines"]) == (0, 1, 0)


def test_files_with_equally_many_hits_come_in_byte_order() -> None:
    found = LineSearch(b"x")
    for name in ("ü", "b", "a"):
        found.add(name, io.BytesIO(b"x\n"))
    answer: Any = found.answer(3)
    assert [each["path"] for each in answer["files"]] == ["a", "b", "ü"]
