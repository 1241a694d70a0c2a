import os
import socket
from pathlib import Path
from typing import Any

import pytest

from agents.context.tools import Tool
from agents.tools import folder
from agents.tools.folder import ConfinedFolder, Refused
from agents.tools.workspace import MOST_CHARACTERS, MOST_HITS, Workspace

SECRET = "the secret of another session"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return the folder of a workspace, not made yet, beside a file that is none of its business."""
    (tmp_path / "secret.txt").write_text(SECRET)
    return tmp_path / "workspaces" / "mine"


@pytest.fixture
def workspace(root: Path) -> Workspace:
    return Workspace(root)


def test_a_workspace_begins_empty_and_makes_no_folder(workspace: Workspace, root: Path) -> None:
    assert workspace.list_files() == {"files": [], "totalBytes": 0}
    assert workspace.search("x") == {"hits": [], "hasMore": False}
    assert not root.exists()


def test_what_is_written_can_be_listed_and_read(workspace: Workspace, root: Path) -> None:
    assert workspace.write("notes/today.md", "grüß dich") == {"path": "notes/today.md", "bytes": 11}
    workspace.append("notes/today.md", "\nmore")
    workspace.append("fresh.txt", "made")
    assert workspace.read("notes/today.md")["text"] == "grüß dich\nmore"
    assert workspace.list_files()["files"] == [
        {"path": "fresh.txt", "bytes": 4},
        {"path": "notes/today.md", "bytes": 16},
    ]
    assert workspace.list_files("notes/")["totalBytes"] == 16
    assert root.stat().st_mode & 0o077 == 0
    assert not list(root.glob("**/.writing*"))


def test_a_long_file_is_read_in_parts(workspace: Workspace) -> None:
    workspace.write("long.txt", "a" * MOST_CHARACTERS + "end")
    first = workspace.read("long.txt")
    assert (first["characters"], first["next"]) == (MOST_CHARACTERS + 3, MOST_CHARACTERS)
    assert workspace.read("long.txt", start=MOST_CHARACTERS) == {
        "text": "end",
        "characters": MOST_CHARACTERS + 3,
        "next": None,
    }


def test_search_finds_lines_and_says_when_there_are_more(workspace: Workspace) -> None:
    workspace.write("a.txt", "one\nThe Needle\n")
    workspace.write("b.txt", "needle\n" * (MOST_HITS + 1))
    found: Any = workspace.search("needle")
    assert found["hits"][0] == {"path": "a.txt", "line": 2, "text": "The Needle"}
    assert (len(found["hits"]), found["hasMore"]) == (MOST_HITS, True)


def test_a_deleted_file_is_gone(workspace: Workspace) -> None:
    workspace.write("a.txt", "x")
    assert workspace.delete("a.txt") == {"deleted": "a.txt"}
    with pytest.raises(Refused, match="There is no file"):
        workspace.delete("a.txt")


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "..",
        "../secret.txt",
        "../../secret.txt",
        "a/../../secret.txt",
        "/etc/passwd",
        "a//b",
        "a/",
        "./a",
        "a\0b",
        "a\nb",
        "x" * 200,
        "ü" * 61,
        "a/" * 9 + "b",
        ".writing-1",
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(workspace: Workspace, path: str) -> None:
    workspace.write("a/inner.txt", "x")
    with pytest.raises(Refused):
        workspace.read(path)
    with pytest.raises(Refused):
        workspace.write(path, "x")
    with pytest.raises(Refused):
        workspace.delete(path)


def test_links_are_never_followed(workspace: Workspace, root: Path) -> None:
    workspace.write("real.txt", "x")
    secret = root.parent.parent / "secret.txt"
    (root / "link.txt").symlink_to(secret)
    (root / "out").symlink_to(root.parent.parent)
    for path in ("link.txt", "out/secret.txt"):
        with pytest.raises(Refused):
            workspace.read(path)
    with pytest.raises(Refused, match="no folder"):
        workspace.write("out/new.txt", "x")
    with pytest.raises(Refused):
        workspace.delete("out/secret.txt")
    workspace.write("link.txt", "mine now")
    assert secret.read_text() == SECRET
    assert workspace.read("link.txt")["text"] == "mine now"
    assert [each.path for each in ConfinedFolder(root).files()] == ["link.txt", "real.txt"]
    assert workspace.search("secret") == {"hits": [], "hasMore": False}


def test_a_workspace_that_is_itself_a_link_is_refused(workspace: Workspace, root: Path) -> None:
    root.parent.mkdir()
    root.symlink_to(root.parent.parent)
    with pytest.raises(Refused):
        workspace.read("secret.txt")
    with pytest.raises((Refused, OSError)):
        workspace.list_files()


def test_only_regular_files_are_read(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.write("a/b.txt", "x")
    os.mkfifo(root / "pipe")
    monkeypatch.chdir(root)
    server = socket.socket(socket.AF_UNIX)
    server.bind("socket")
    server.close()
    for path in ("pipe", "socket", "a"):
        with pytest.raises(Refused, match="There is no file"):
            workspace.read(path)
    with pytest.raises(Refused, match="is a folder"):
        workspace.write("a", "x")
    with pytest.raises(Refused, match="no folder"):
        workspace.read("a/b.txt/c")
    assert [each.path for each in ConfinedFolder(root).files()] == ["a/b.txt"]
    assert not list(root.glob("**/.writing*"))


def test_a_file_that_is_no_text_says_so(workspace: Workspace, root: Path) -> None:
    workspace.write("a.bin", "x")
    (root / "a.bin").write_bytes(b"\xff\xfe")
    with pytest.raises(Refused, match="no text"):
        workspace.read("a.bin")
    assert workspace.search("x") == {"hits": [], "hasMore": False}


def test_sizes_and_counts_have_limits(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "MOST_FILE_BYTES", 10)
    monkeypatch.setattr(folder, "MOST_TOTAL_BYTES", 15)
    monkeypatch.setattr(folder, "MOST_FILES", 2)
    with pytest.raises(Refused, match="at most 10 bytes"):
        workspace.write("a.txt", "x" * 11)
    workspace.write("a.txt", "x" * 10)
    workspace.write("a.txt", "y" * 10)
    with pytest.raises(Refused, match="15 bytes; delete"):
        workspace.write("b.txt", "x" * 6)
    with pytest.raises(Refused, match="at most 10"):
        workspace.append("a.txt", "x")
    workspace.write("b.txt", "x")
    with pytest.raises(Refused, match="2 files; delete"):
        workspace.write("c.txt", "x")
    (root / "a.txt").write_text("z" * 11)
    with pytest.raises(Refused, match="larger than 10"):
        workspace.read("a.txt")


@pytest.mark.parametrize(
    ("name", "tool_name", "line"),
    [
        ("list_files", "workspace_list", "list"),
        ("read", "workspace_read", "read a.txt"),
        ("write", "workspace_write", "write a.txt"),
        ("append", "workspace_append", "append a.txt"),
        ("search", "workspace_search", "search needle"),
        ("delete", "workspace_delete", "delete a.txt"),
    ],
)
def test_every_action_is_a_tool(workspace: Workspace, name: str, tool_name: str, line: str) -> None:
    made: Tool = workspace.tool(name)
    assert (made.name, "workspace" in made.description) == (tool_name, True)
    given: dict[str, Any] = {"search": {"text": "needle"}, "list_files": {}}.get(name, {"path": "a.txt"})
    assert made.describe_call(given) == line
    assert (made.permission == "ask") == (name == "delete")
