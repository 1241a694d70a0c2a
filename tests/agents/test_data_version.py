import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection

from agents.data_version import DataVersion, of_default_database


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Return another connection to the database, as another process has one."""
    writer = sqlite3.connect(tmp_path / "data.sqlite3", isolation_level=None)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("CREATE TABLE entry (value)")
    yield writer
    writer.close()


@pytest.fixture
def version(tmp_path: Path, writer: sqlite3.Connection) -> Iterator[DataVersion]:
    with DataVersion(tmp_path / "data.sqlite3") as version:
        yield version


def test_it_hears_a_commit_of_another_connection_once(
    version: DataVersion, writer: sqlite3.Connection
) -> None:
    assert not version.has_changed()
    writer.execute("INSERT INTO entry VALUES (1)")
    assert version.has_changed()
    assert not version.has_changed()


def test_many_commits_between_two_questions_are_one_change(
    version: DataVersion, writer: sqlite3.Connection
) -> None:
    version.has_changed()
    for number in range(10):
        writer.execute("INSERT INTO entry VALUES (?)", [number])
    assert version.has_changed()
    assert not version.has_changed()


def test_what_is_not_committed_is_no_change(version: DataVersion, writer: sqlite3.Connection) -> None:
    version.has_changed()
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("INSERT INTO entry VALUES (1)")
    assert not version.has_changed()
    writer.execute("ROLLBACK")
    assert not version.has_changed()


def test_a_writer_at_work_keeps_nobody_waiting(version: DataVersion, writer: sqlite3.Connection) -> None:
    writer.execute("BEGIN EXCLUSIVE")
    assert not version.has_changed()
    writer.execute("COMMIT")


def test_a_missing_file_counts_as_unchanged_and_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "data.sqlite3"
    with DataVersion(path) as version:
        assert not version.has_changed()
        assert not version.has_changed()
    assert not path.exists()


def test_a_file_name_may_hold_anything(tmp_path: Path) -> None:
    path = tmp_path / "a ?strange%20#name.sqlite3"
    writer = sqlite3.connect(path, isolation_level=None)
    with DataVersion(path) as version:
        assert not version.has_changed()
        writer.execute("CREATE TABLE entry (value)")
        assert version.has_changed()
    writer.close()


@pytest.mark.parametrize(
    ("vendor", "name", "is_watched"),
    [
        ("sqlite", "/data/contextsite.sqlite3", True),
        ("sqlite", ":memory:", False),
        ("sqlite", "file:memorydb_default?mode=memory&cache=shared", False),
        ("postgresql", "contextsite", False),
    ],
)
def test_only_a_sqlite_file_is_watched(
    monkeypatch: pytest.MonkeyPatch, vendor: str, name: str, *, is_watched: bool
) -> None:
    monkeypatch.setattr(connection, "vendor", vendor)
    monkeypatch.setitem(connection.settings_dict, "NAME", name)
    assert (of_default_database() is not None) is is_watched
