from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from agents.context.errors import InvalidArguments
from contextsite.demo import tools
from contextsite.demo.tree import SKIPPED_FOLDERS


def call(name: str, **arguments: Any) -> Any:
    """Call a tool as the tool manager does, arguments checked."""
    tool = getattr(tools, name)
    return tool(**tool.bind(arguments))


@pytest.fixture
def folder(odd_folder: Path, settings: Settings) -> Path:
    settings.DEMO_PATH = odd_folder
    return odd_folder


def test_the_tools_look_at_the_folder_of_the_settings(folder: Path) -> None:
    assert call("list_files")["folder"] == folder.name
    assert call("count_file", path="README.md")["lines"] == 3
    assert call("count_files", limit=1, top=1)["files"] == 1
    assert call("read_file", path="README.md", max_lines=1)["text"] == "# Title"
    assert call("search_files", text="TODO")["lines"] == 2


def test_of_the_projects_own_tree_generated_folders_are_left_out(settings: Settings) -> None:
    settings.DEMO_PATH = settings.BASE_DIR
    assert tools.demo_tree().skipped == SKIPPED_FOLDERS
    listing = call("list_files", limit=1)
    assert listing["left_out"] == list(SKIPPED_FOLDERS)
    assert "-name var" in listing["same_files"]


def test_the_database_and_passwords_of_the_own_tree_cannot_be_read(settings: Settings) -> None:
    settings.DEMO_PATH = settings.BASE_DIR
    assert "left out" in call("read_file", path="var/contextsite.sqlite3")["error"]


def test_of_any_other_folder_nothing_is_left_out(folder: Path) -> None:
    assert tools.demo_tree().skipped == ()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("list_files", {"limit": 0}),
        ("count_files", {"limit": 100_000}),
        ("count_files", {"top": -1}),
        ("read_file", {"path": "README.md", "start_line": 0}),
        ("search_files", {"text": ""}),
        ("read_file", {}),
    ],
)
def test_arguments_out_of_bounds_are_refused(folder: Path, name: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArguments):
        call(name, **arguments)


def test_every_tool_of_the_demo_exists_and_describes_itself(settings: Settings) -> None:
    of_the_demo = {name: path for name, path in settings.AGENT_TOOLS.items() if ".demo." in path}
    assert of_the_demo
    for name, path in of_the_demo.items():
        tool = getattr(tools, path.rpartition(".")[2])
        assert tool.name == name
        assert tool.description
        assert tool.parameters["type"] == "object"
