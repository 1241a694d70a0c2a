from pathlib import Path

import pytest

from agents.context.home import home_folder


def test_the_variable_names_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONTEXTSITE_HOME", str(tmp_path))

    assert home_folder() == tmp_path


@pytest.mark.parametrize("unset", [True, False])
def test_without_the_variable_it_is_in_the_home_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, unset: bool
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    if unset:
        monkeypatch.delenv("CONTEXTSITE_HOME", raising=False)
    else:
        monkeypatch.setenv("CONTEXTSITE_HOME", "")

    assert home_folder() == tmp_path / ".contextsite"
