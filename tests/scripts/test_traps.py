import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.traps import ROOT, TABLE, Trap, read_table

MODULE = """
import pytest

@pytest.mark.trap("W1.1", "W1.2")
def test_two():
    pass

@pytest.mark.trap("W1.2")
@pytest.mark.parametrize("number", [1, 2])
def test_half(number):
    assert number == 1

@pytest.mark.trap("W1.3")
@pytest.mark.skip(reason="no browser here")
def test_skipped():
    pass

@pytest.mark.trap("W2.1")
def test_other_section():
    raise AssertionError

def test_without_a_number():
    raise AssertionError
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "traps.toml"
    path.write_text('[1]\ntitle = "One"\n"W1.1" = "a"\n"W1.2" = "b"\n[2]\n"W2.1" = "c"\n')
    return path


def run(tmp_path: Path, table: Path, module: str, *sections: str) -> tuple[int, list[str]]:
    tests = tmp_path / "suite"
    tests.mkdir()
    (tests / "pytest.ini").write_text("[pytest]\nmarkers = trap\n")
    (tests / "test_module.py").write_text(module)
    script = (
        "import sys; from pathlib import Path; from scripts.traps import main; "
        "sys.exit(main(sys.argv[3:], Path(sys.argv[1]), Path(sys.argv[2])))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(table), str(tests), *sections],
        cwd=ROOT,
        # The plugins of the project's own tests take seconds to load.
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()


def test_it_shows_each_number_with_its_tests_and_fails_for_a_failing_one(tmp_path: Path, table: Path) -> None:
    status, lines = run(tmp_path, table, MODULE, "1")

    report = [" ".join(line.split()) for line in lines if "W1." in line or "::" in line]
    assert status == 1
    assert report[-6:] == [
        "ok W1.1 a",
        "passed test_module.py::test_two",
        "FAIL W1.2 b",
        "passed test_module.py::test_two",
        "failed test_module.py::test_half",
        "FAIL W1.3 is not in the table but on test_module.py::test_skipped",
    ]
    assert lines[-1] == "1 of 2 weaknesses are shown beaten."


def test_it_succeeds_when_every_number_has_a_passing_test(tmp_path: Path, table: Path) -> None:
    module = 'import pytest\n@pytest.mark.trap("W1.1", "W1.2", "W2.1")\ndef test_all(): pass\n'

    assert run(tmp_path, table, module)[0] == 0


def test_a_number_without_a_test_or_with_skipped_ones_only_is_not_beaten() -> None:
    assert not Trap("W1.1", "a").is_beaten
    assert not Trap("W1.1", "a", {"test": "skipped"}).is_beaten
    assert Trap("W1.1", "a", {"test": "skipped", "other": "passed"}).is_beaten
    assert "missing" in list(Trap("W1.1", "a").lines())[1]


def test_an_unknown_section_is_named(table: Path) -> None:
    with pytest.raises(SystemExit, match=r"No such section: 7\. There are 1, 2"):
        read_table(table, ["1", "7"])


def test_the_table_has_every_number_of_its_sections_without_gaps() -> None:
    for section, traps in read_table(TABLE).items():
        assert list(traps) == [f"W{section}.{place}" for place in range(1, len(traps) + 1)]
