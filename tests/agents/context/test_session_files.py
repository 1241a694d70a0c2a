import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.context.errors import InvalidOption, StorageUnusable
from agents.context.session_files import file_name, write_atomically


@pytest.mark.parametrize("name", ["session-001", "1769798400000_abc1234", "A.b_c"])
def test_a_plain_id_is_its_own_file_name(name: str) -> None:
    assert file_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "a/b",
        "a\\b",
        ".hidden",
        "..",
        "_index",
        "a b",
        "a\x00b",
        "ü" * 3,
        "%41",
        "x" * 5_000,
        "\ud800",
    ],
)
def test_any_other_id_stays_in_the_folder_and_is_visible(name: str) -> None:
    made = file_name(name)
    assert "/" not in made
    assert "\\" not in made
    assert "\x00" not in made
    assert made.startswith("%")
    assert len(made.encode()) < 200


def test_an_empty_id_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        file_name("")


@settings(deadline=None)
@given(st.lists(st.text(st.sampled_from("ab./%_\\ü4A1 "), min_size=1, max_size=8), unique=True))
def test_different_ids_have_different_names(names: list[str]) -> None:
    assert len({file_name(each) for each in names}) == len(names)


def test_a_file_is_written_whole_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "down" / "file.json"
    write_atomically(path, "dé")
    write_atomically(path, "new")
    assert path.read_text(encoding="utf-8") == "new"
    assert [each.name for each in path.parent.iterdir()] == ["file.json"]


def test_a_failed_write_leaves_the_old_file_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.json"
    write_atomically(path, "old")

    def fail(handle: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["file.json"]


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_id_is_one_ordinary_file_name(name: str) -> None:
    if name:
        made = file_name(name)
        assert Path(made).name == made
        assert not made.startswith(".")
        assert len(made.encode()) <= 150


def test_ids_that_cannot_be_stored_meet_no_other_id() -> None:
    assert len({file_name(name) for name in ("?", "\ud800", "\udfff", "\ufffd")}) == 4


@pytest.mark.parametrize("name", ["", None, 5])
def test_an_id_is_a_text(name: Any) -> None:
    with pytest.raises(InvalidOption, match="An id is a text"):
        file_name(name)


def test_a_folder_that_is_none_is_named_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageUnusable, match="choose another with root="):
        write_atomically(tmp_path / "file" / "s.json", "{}")
