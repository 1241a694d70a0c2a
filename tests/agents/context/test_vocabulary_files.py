import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agents.context import vocabulary_files
from agents.context.vocabulary_files import PACKED_FOLDER, VocabularyDamaged, load_encoding

# The name under which tiktoken looks for o200k_base, and its published SHA-256.
O200K = "fb374d419588a4632f3f557e76b4b70aebbca790"
O200K_DIGEST = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    monkeypatch.setenv("CONTEXTSITE_HOME", str(tmp_path / "home"))
    load_encoding.cache_clear()
    yield tmp_path / "home"
    load_encoding.cache_clear()


@pytest.fixture
def folders(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders tiktoken was pointed at, while its own slow parsing is left out."""
    seen: list[Path] = []

    def record(name: str) -> str:
        folder = Path(os.environ["TIKTOKEN_CACHE_DIR"])
        assert hashlib.sha256((folder / O200K).read_bytes()).hexdigest() == O200K_DIGEST
        seen.append(folder)
        return name

    monkeypatch.setattr("tiktoken.get_encoding", record)
    return seen


def test_both_vocabularies_load_without_a_network_in_a_new_process(tmp_path: Path) -> None:
    script = (
        "import socket\n"
        "def refuse(*args, **kwargs): raise AssertionError('network')\n"
        "socket.socket.connect = refuse; socket.getaddrinfo = refuse\n"
        "from agents.context.vocabulary_files import load_encoding\n"
        "print([load_encoding(n).encode_ordinary('hello world') for n in ('cl100k_base', 'o200k_base')])\n"
    )
    environment = {**os.environ, "CONTEXTSITE_HOME": str(tmp_path)}
    environment.pop("TIKTOKEN_CACHE_DIR", None)

    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )

    assert done.stdout == "[[15339, 1917], [24912, 2375]]\n"


def test_it_unpacks_once_into_the_home_folder(home: Path, folders: list[Path]) -> None:
    load_encoding("o200k_base")
    load_encoding("o200k_base")

    assert folders == [home / "vocabulary"]
    assert [file.name for file in (home / "vocabulary").iterdir()] == [O200K]


def test_an_unpacked_file_is_used_as_it_is(
    home: Path, folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    load_encoding("o200k_base")
    load_encoding.cache_clear()
    monkeypatch.setattr(vocabulary_files, "PACKED_FOLDER", home / "nowhere")

    load_encoding("o200k_base")

    assert len(folders) == 2


def test_a_damaged_unpacked_file_is_replaced(home: Path, folders: list[Path]) -> None:
    (home / "vocabulary").mkdir(parents=True)
    (home / "vocabulary" / O200K).write_bytes(b"half a file")

    load_encoding("o200k_base")

    assert folders == [home / "vocabulary"]


def test_a_damaged_package_is_named(home: Path, folders: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    other = home / "packed"
    other.mkdir(parents=True)
    (other / "o200k_base.tiktoken.xz").write_bytes((PACKED_FOLDER / "cl100k_base.tiktoken.xz").read_bytes())
    monkeypatch.setattr(vocabulary_files, "PACKED_FOLDER", other)

    with pytest.raises(VocabularyDamaged, match="o200k_base is damaged; install"):
        load_encoding("o200k_base")
    assert folders == []


def _home_is_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "home").write_text("not a folder")


def _no_home_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def unknown() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(vocabulary_files, "home_folder", unknown)


@pytest.mark.parametrize("obstacle", [_home_is_a_file, _no_home_known])
def test_a_folder_that_cannot_be_written_is_replaced_by_a_temporary_one(
    home: Path,
    folders: list[Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    obstacle: Callable[[pytest.MonkeyPatch, Path], None],
) -> None:
    obstacle(monkeypatch, tmp_path)

    load_encoding("o200k_base")

    assert folders != [home / "vocabulary"]
    assert not folders[0].exists()


def test_a_full_disk_leaves_no_partial_file(
    home: Path, folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def refuse(self: Path, target: Path) -> Path:
        if target.parent == home / "vocabulary":
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refuse)

    load_encoding("o200k_base")

    assert list((home / "vocabulary").iterdir()) == []
    assert len(folders) == 1


@pytest.mark.parametrize("before", [None, "their-folder"])
def test_the_setting_of_the_host_is_put_back(
    home: Path, folders: list[Path], monkeypatch: pytest.MonkeyPatch, before: str | None
) -> None:
    if before is None:
        monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    else:
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", before)

    load_encoding("o200k_base")

    assert os.environ.get("TIKTOKEN_CACHE_DIR") == before


def test_the_licence_of_the_vocabulary_is_beside_it() -> None:
    notice = (PACKED_FOLDER / "NOTICE").read_text()

    assert "MIT License" in notice
    assert "OpenAI" in notice
