from pathlib import Path

import pytest
from django.core.management import load_command_class
from pytest_django.fixtures import Settings

from contextsite.demo.accounts import FILE_NAME
from contextsite.demo.tree import SKIPPED_FOLDERS
from contextsite.demo.wishes import DETAILED, QUICK


@pytest.fixture
def text(settings: Settings) -> str:
    return (Path(settings.BASE_DIR) / "docs" / "demonstration.md").read_text()


@pytest.mark.parametrize("name", [*SKIPPED_FOLDERS, DETAILED, QUICK, "mode", "abort", "user_preferences"])
def test_what_people_can_meet_or_edit_is_documented(text: str, name: str) -> None:
    assert f"`{name}`" in text


@pytest.mark.parametrize("name", ["DEMO_PATH", "DEMO_PAUSE_MS", FILE_NAME])
def test_settings_and_files_are_documented(text: str, name: str) -> None:
    assert name in text


def test_every_option_of_the_import_is_documented(text: str) -> None:
    parser = load_command_class("contextsite", "import_conversation").create_parser("manage.py", "")
    own = parser.format_usage()
    for option in ("--live", "--agent", "--title", "--pause-ms"):
        assert option in own
        assert option in text
