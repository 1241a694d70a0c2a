import errno
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextsite.demo.tree import (
    SKIPPED_FOLDERS,
    File,
    PathRefused,
    Problem,
    Tree,
    path_bytes,
    path_text,
)
from tests.contextsite.demo.odd_folder import files_by_find


def paths(tree: Tree, after: bytes = b"") -> list[bytes]:
    return [found.path for found in tree.walk(after) if isinstance(found, File)]


@given(st.binary(max_size=30))
def test_every_path_survives_being_written_as_text(path: bytes) -> None:
    text = path_text(path)
    assert path_bytes(text) == path
    text.encode()


def test_ordinary_paths_are_written_as_they_are() -> None:
    assert path_text("docs/größe 1.md".encode()) == "docs/größe 1.md"
    assert path_text(b"caf\xe9") == r"caf\xe9"


def test_a_backslash_that_starts_no_escape_stands_for_itself() -> None:
    assert path_bytes(r"a\b") == rb"a\b"


def test_it_finds_exactly_the_files_of_find_in_byte_order(odd_folder: Path, odd_tree: Tree) -> None:
    assert paths(odd_tree) == files_by_find(odd_folder)


def test_walking_on_from_any_file_yields_the_rest(odd_tree: Tree) -> None:
    everything = paths(odd_tree)
    for index, path in enumerate(everything):
        assert paths(odd_tree, after=path) == everything[index + 1 :]


def test_sizes_are_those_of_the_file_system(odd_folder: Path, odd_tree: Tree) -> None:
    for found in odd_tree.walk():
        assert isinstance(found, File)
        assert found.size == (odd_folder / os.fsdecode(found.path)).stat().st_size


def test_skipped_folders_are_left_out_at_any_depth_as_the_command_shown_does(tmp_path: Path) -> None:
    for path in ("a.py", "var/secret", "sub/__pycache__/x.pyc", "sub/b.py", ".git/config", "sub/var.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    tree = Tree(tmp_path, SKIPPED_FOLDERS)
    out = subprocess.run(tree.find_command(), shell=True, cwd=tmp_path, capture_output=True, check=True)  # noqa: S602
    assert paths(tree) == sorted(line.removeprefix(b"./") for line in out.stdout.splitlines())
    assert paths(tree) == [b"a.py", b"sub/b.py", b"sub/var.py"]


def test_a_folder_of_which_nothing_is_skipped_names_the_plain_command(odd_tree: Tree) -> None:
    assert odd_tree.find_command() == "find . -type f"


def test_a_missing_folder_is_reported_and_raises_nothing(tmp_path: Path) -> None:
    assert list(Tree(tmp_path / "gone").walk()) == [Problem(b".", "no such file or directory")]


def test_an_unreadable_folder_is_reported_and_the_rest_is_walked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "closed").mkdir()
    scan = os.scandir

    def refuse_closed(path: bytes) -> object:
        if path.endswith(b"closed/"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse_closed)
    assert list(Tree(tmp_path).walk()) == [File(b"a", 0), Problem(b"closed", "permission denied")]


def test_a_file_deleted_while_walking_is_not_there(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).touch()
    walk = Tree(tmp_path).walk()
    assert next(walk) == File(b"a", 0)
    (tmp_path / "b").unlink()
    assert list(walk) == []


def test_a_file_whose_size_cannot_be_read_is_still_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Entry:
        name = b"a"

        def is_dir(self, *, follow_symlinks: bool) -> bool:
            return False

        def is_file(self, *, follow_symlinks: bool) -> bool:
            return True

        def stat(self, *, follow_symlinks: bool) -> os.stat_result:
            raise PermissionError

    class Listing(list[Entry]):
        def __enter__(self) -> "Listing":
            return self

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(os, "scandir", lambda _: Listing([Entry()]))
    assert list(Tree(tmp_path).walk()) == [File(b"a", 0)]


def test_it_opens_every_file_it_lists(odd_folder: Path, odd_tree: Tree) -> None:
    for path in paths(odd_tree):
        descriptor = odd_tree.open(path)
        with os.fdopen(descriptor, "rb") as file:
            assert file.read() == (odd_folder / os.fsdecode(path)).read_bytes()


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (b"../outside", "without '..'"),
        (b"a/../../outside", "without '..'"),
        (b"/etc/passwd", "relative"),
        (b"", "names no file"),
        (b".", "names no file"),
        (b"a\x00b", "names no file"),
        (b"gone.txt", "no such file"),
        (b"a", "no regular file"),
        (b"pipe", "no regular file"),
        (b"link to file", "symbolic links"),
        (b"link to folder/one.py", "not a directory"),
        (b"link outside/passwd", "not a directory"),
        (b"README.md/x", "not a directory"),
        (b"x" * 300, "too long"),
    ],
)
def test_it_refuses_what_is_no_file_of_the_folder(odd_tree: Tree, path: bytes, why: str) -> None:
    with pytest.raises(PathRefused, match=why):
        odd_tree.open(path)


def test_every_refusal_names_a_remedy(odd_tree: Tree) -> None:
    for path in (b"../x", b"", b"gone", b"pipe"):
        with pytest.raises(PathRefused, match=r"list_files|relative"):
            odd_tree.open(path)


def test_files_in_skipped_folders_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "secret").write_text("x")
    with pytest.raises(PathRefused, match="left out"):
        Tree(tmp_path, SKIPPED_FOLDERS).open(b"var/secret")


def test_refused_paths_leave_no_open_file(odd_tree: Tree) -> None:
    before = len(list(Path("/dev/fd").iterdir()))
    for path in (b"gone", b"a/gone", b"link to folder/one.py", b"pipe", b"a"):
        with pytest.raises(PathRefused):
            odd_tree.open(path)
    assert len(list(Path("/dev/fd").iterdir())) == before
