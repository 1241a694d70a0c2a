import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from contextsite.demo import pages
from contextsite.demo.tree import PathRefused, Tree, path_bytes
from tests.contextsite.demo.odd_folder import counts_by_wc, files_by_find, passes_over_odd_words


def every_page(answer_of: Any) -> list[dict[str, Any]]:
    """Return the pages that following `next` gives, the first one from an empty cursor."""
    found = [answer_of("")]
    while found[-1]["next"] is not None:
        found.append(answer_of(found[-1]["next"]))
    return found


@pytest.mark.parametrize("limit", [1, 7, 5000])
def test_listing_pages_name_every_file_of_find_once(odd_folder: Path, odd_tree: Tree, limit: int) -> None:
    listed = every_page(lambda cursor: pages.list_page(odd_tree, cursor, limit))
    names = [path_bytes(file["path"]) for page in listed for file in page["files"]]
    expected = files_by_find(odd_folder)
    assert names == expected
    assert {page["total_files"] for page in listed} == {len(expected)}
    assert all(len(page["files"]) <= limit for page in listed)


def test_a_listing_shows_the_size_of_the_whole_folder_and_how_to_find_the_same(
    odd_folder: Path, odd_tree: Tree
) -> None:
    page: Any = pages.list_page(odd_tree, "", 2)
    sizes = [size for *_, size in counts_by_wc(odd_folder, files_by_find(odd_folder)).values()]
    assert page["total_bytes"] == sum(sizes)
    assert (page["same_files"], page["left_out"]) == ("find . -type f", [])
    assert page["folder"] == "folder"
    assert page["unreadable"] == 0


def test_a_listing_of_a_missing_folder_says_so(tmp_path: Path) -> None:
    page: Any = pages.list_page(Tree(tmp_path / "gone"), "", 10)
    assert (page["total_files"], page["files"], page["next"]) == (0, [], None)
    assert page["unreadable_paths"] == [{"path": ".", "reason": "no such file or directory"}]


@pytest.mark.parametrize("limit", [1, 9, 5000])
def test_counted_pages_add_up_to_find_and_wc(odd_folder: Path, odd_tree: Tree, limit: int) -> None:
    counted = every_page(lambda cursor: pages.count_page(odd_tree, cursor, limit, 3))
    expected = counts_by_wc(odd_folder, files_by_find(odd_folder)).values()
    assert sum(page["files"] for page in counted) == len(expected)
    assert sum(page["lines"] for page in counted) == sum(lines for lines, _, _ in expected)
    assert sum(page["bytes"] for page in counted) == sum(size for _, _, size in expected)
    if passes_over_odd_words():
        assert sum(page["words"] for page in counted) == sum(words for _, words, _ in expected)


def test_a_counted_page_says_where_it_began(odd_tree: Tree) -> None:
    first: Any = pages.count_page(odd_tree, "", 4, 1)
    second: Any = pages.count_page(odd_tree, first["next"], 4, 1)
    assert (first["after"], second["after"]) == ("", first["next"])


def test_types_of_a_page_add_up_to_its_sums(odd_tree: Tree) -> None:
    page: Any = pages.count_page(odd_tree, "", 5000, 0)
    assert page["by_type"][".py"]["files"] == 4
    for column in ("files", "lines", "bytes"):
        assert sum(kind[column] for kind in page["by_type"].values()) == page[column]
    assert page["largest"] == []


def test_a_file_that_will_not_open_is_counted_as_a_file_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "b.txt").write_text("two\n")

    class Closed(Tree):
        def open(self, path: bytes) -> int:
            if path == b"b.txt":
                raise PathRefused("b.txt: permission denied; take a path from list_files.")
            return super().open(path)

    page: Any = pages.count_page(Closed(tmp_path), "", 10, 5)
    assert (page["files"], page["lines"], page["unreadable"]) == (2, 1, 1)
    assert page["unreadable_paths"][0]["path"] == "b.txt"
    search: Any = pages.search_page(Closed(tmp_path), "t", "", 10)
    assert (search["searched"], search["unreadable"]) == (1, 1)


def test_a_disk_that_fails_while_reading_refuses_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("one\n")

    def fail(file: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(pages, "count", fail)
    answer: Any = pages.count_one(Tree(tmp_path), "a.txt")
    assert answer["success"] is False
    assert "input/output error" in answer["error"]


def test_only_the_first_unreadable_paths_are_named(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number:02}").touch()

    class Closed(Tree):
        def open(self, path: bytes) -> int:
            raise PathRefused("no")

    page: Any = pages.count_page(Closed(tmp_path), "", 100, 5)
    assert page["unreadable"] == 30
    assert len(page["unreadable_paths"]) == pages.MAX_PROBLEMS


def test_one_file_counts_as_wc_does(odd_folder: Path, odd_tree: Tree) -> None:
    answer: Any = pages.count_one(odd_tree, "large.txt")
    expected = counts_by_wc(odd_folder, [b"large.txt"])[b"large.txt"]
    assert (answer["lines"], answer["words"], answer["bytes"]) == expected
    assert answer["binary"] is False


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "link outside/passwd", "gone", "a", ""])
def test_paths_that_are_no_file_get_a_refusal_with_a_remedy(odd_tree: Tree, path: str) -> None:
    for answer in (pages.count_one(odd_tree, path), pages.read_page(odd_tree, path, 1, 10)):
        assert answer["success"] is False
        assert "list_files" in str(answer["error"]) or "relative" in str(answer["error"])


def test_a_file_is_read_in_pages_of_lines(odd_tree: Tree) -> None:
    first: Any = pages.read_page(odd_tree, "large.txt", 1, 3)
    assert first["text"] == "line 0 of many\nline 1 of many\nline 2 of many"
    assert first["next_line"] == 4
    last: Any = pages.read_page(odd_tree, "large.txt", 90_000, 3)
    assert (last["lines"], last["next_line"]) == (1, None)
    assert pages.read_page(odd_tree, "large.txt", 90_001, 3)["lines"] == 0


def test_a_last_line_without_newline_and_an_empty_file_are_read(odd_tree: Tree) -> None:
    assert pages.read_page(odd_tree, "no newline at the end.txt", 1, 9)["text"] == "one\ntwo words"
    assert pages.read_page(odd_tree, "empty.txt", 1, 9)["lines"] == 0


def test_long_lines_are_cut_and_named(odd_tree: Tree) -> None:
    answer: Any = pages.read_page(odd_tree, "long line.txt", 1, 9)
    lines = answer["text"].split("\n")
    assert [len(line) for line in lines] == [pages.MAX_LINE_BYTES, 5, 10]
    assert answer["cut_lines"] == [1]


@pytest.mark.parametrize(("extra", "is_cut"), [(0, False), (1, True), (2, True)])
def test_a_line_of_just_the_limit_is_whole(tmp_path: Path, extra: int, is_cut: bool) -> None:
    for ending in ("", "\n", "\nmore\n"):
        (tmp_path / "f").write_text("x" * (pages.MAX_LINE_BYTES + extra) + ending)
        answer: Any = pages.read_page(Tree(tmp_path), "f", 1, 1)
        assert answer["cut_lines"] == ([1] if is_cut else [])
        assert len(answer["text"]) == pages.MAX_LINE_BYTES


def test_reading_stops_when_the_answer_is_long_enough(tmp_path: Path) -> None:
    (tmp_path / "f").write_text(("x" * 1500 + "\n") * 100)
    answer: Any = pages.read_page(Tree(tmp_path), "f", 1, 1000)
    assert len(answer["text"]) < pages.MAX_READ_CHARACTERS + 2 * pages.MAX_LINE_BYTES
    assert answer["next_line"] == answer["lines"] + 1


def test_text_that_is_not_utf8_is_shown_with_replacements(odd_tree: Tree) -> None:
    assert pages.read_page(odd_tree, r"not-utf8-\xff\xfe.txt", 1, 9)["text"] == "caf\ufffd latin\n\ufffd"


def test_a_nul_far_into_a_text_is_repaired(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x\n" * 5000 + b"a\x00b\n")
    assert pages.read_page(Tree(tmp_path), "f", 5001, 1)["text"] == "a\ufffdb"


def test_binary_files_are_not_read(odd_tree: Tree) -> None:
    answer = pages.read_page(odd_tree, "binary.bin", 1, 9)
    assert answer["success"] is False
    assert "count_file" in str(answer["error"])


@pytest.mark.parametrize("text", ["TODO", "o", "é", "—", "many", "zzz", "y" * 50, " "])
def test_lines_with_a_text_equal_grep(odd_folder: Path, odd_tree: Tree, text: str) -> None:
    answer: Any = pages.search_page(odd_tree, text, "", 1000)
    command = ["grep", "-rIFc", "--null", "--devices=skip", "--", text, "."]
    out = subprocess.run(
        command, check=False, cwd=odd_folder, capture_output=True, env={**os.environ, "LC_ALL": "C"}
    ).stdout
    expected = {}
    for line in out.replace(b"\n\xff", b"\xff").split(b"\n./"):
        path, _, hits = line.removeprefix(b"./").partition(b"\0")
        if hits.strip() not in {b"", b"0"} and not (odd_folder / os.fsdecode(path)).is_symlink():
            expected[path] = int(hits)
    assert {path_bytes(file["path"]): file["lines"] for file in answer["files"]} == expected
    assert answer["lines"] == sum(expected.values())


def test_a_search_names_the_files_with_most_hits_first(odd_tree: Tree) -> None:
    answer: Any = pages.search_page(odd_tree, "TODO", "", 1)
    assert answer["files"] == [{"path": "a/one.py", "lines": 2, "first_line": 1}]
    assert answer["files_with_text"] == 1
    assert answer["binary"] >= 1


@pytest.mark.parametrize("text", ["", "two\nlines"])
def test_a_search_for_no_line_of_text_is_refused(odd_tree: Tree, text: str) -> None:
    assert pages.search_page(odd_tree, text, "", 5)["success"] is False


def test_a_search_of_a_lone_surrogate_finds_nothing(odd_tree: Tree) -> None:
    assert pages.search_page(odd_tree, "\ud800", "", 5)["lines"] == 0


def test_a_search_of_too_much_goes_on_from_its_cursor(
    odd_tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole: Any = pages.search_page(odd_tree, "o", "", 1000)
    monkeypatch.setattr(pages, "SEARCHED_BYTES", 1000)
    parts = every_page(lambda cursor: pages.search_page(odd_tree, "o", cursor, 1000))
    assert len(parts) > 3
    assert sum(part["lines"] for part in parts) == whole["lines"]
    assert sum(part["searched"] for part in parts) == whole["searched"]
