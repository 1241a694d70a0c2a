"""Fixtures of the demonstration's tests."""

from pathlib import Path

import pytest

from contextsite.demo.tree import Tree
from tests.contextsite.demo.odd_folder import build_odd_folder


@pytest.fixture(scope="session")
def odd_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("odd") / "folder"
    root.mkdir()
    build_odd_folder(root)
    return root


@pytest.fixture
def odd_tree(odd_folder: Path) -> Tree:
    return Tree(odd_folder)
