"""Show every weakness of the table with its tests, and fail when one has no passing test.

Usage: python scripts/traps.py [SECTION …], for example ``python scripts/traps.py 1 2``.
"""

import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs" / "traps.toml"


@dataclass
class Trap:
    """One weakness and what its tests said."""

    number: str
    description: str
    outcomes: dict[str, str] = field(default_factory=dict)
    """Test id to passed, failed or skipped."""

    @property
    def is_beaten(self) -> bool:
        """Whether at least one test passed and none failed."""
        said = set(self.outcomes.values())
        return "passed" in said and "failed" not in said

    def lines(self) -> Iterable[str]:
        """Yield the weakness and each of its tests."""
        yield f"{'ok  ' if self.is_beaten else 'FAIL'} {self.number:6} {self.description}"
        for test, outcome in self.outcomes.items() or [("no test carries this number", "missing")]:
            yield f"            {outcome:8} {test}"


class TrapTests:
    """A pytest plugin: keeps only the tests of the traps and records how each one ended."""

    def __init__(self, traps: Mapping[str, Trap], sections: Iterable[str]) -> None:
        self._traps = traps
        self._sections = set(sections)
        self._numbers: dict[str, list[str]] = {}
        self.unknown: dict[str, str] = {}
        """Numbers of these sections that are on a test but not in the table, with one of their tests."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave only tests that carry one of the numbers."""
        for item in items:
            marked = [str(number) for mark in item.iter_markers("trap") for number in mark.args]
            self._numbers[item.nodeid] = [number for number in marked if number in self._traps]
            self.unknown.update((number, item.nodeid) for number in marked if self._is_unknown(number))
        items[:] = [item for item in items if self._numbers[item.nodeid]]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record the worst phase of a test; setup and teardown count only when they did not pass."""
        if report.when != "call" and report.passed:
            return
        for number in self._numbers[report.nodeid]:
            outcomes = self._traps[number].outcomes
            name = report.nodeid.split("[")[0]
            if outcomes.get(name) != "failed":
                outcomes[name] = report.outcome

    def _is_unknown(self, number: str) -> bool:
        return number not in self._traps and number.removeprefix("W").split(".")[0] in self._sections


def read_table(table: Path, sections: Sequence[str] = ()) -> dict[str, dict[str, Trap]]:
    """Return the traps by section and number, of the named sections or of all.

    Raises:
        SystemExit: a section is not in the table.
    """
    rows: dict[str, dict[str, str]] = tomllib.loads(table.read_text())
    missing = set(sections) - set(rows)
    if missing:
        raise SystemExit(f"No such section: {', '.join(sorted(missing))}. There are {', '.join(rows)}.")
    return {
        section: {number: Trap(number, text) for number, text in rows[section].items() if number != "title"}
        for section in sections or rows
    }


def main(sections: Sequence[str], table: Path = TABLE, tests: Path = ROOT / "tests") -> int:
    """Run the tests, print the table and return the exit status."""
    wanted = read_table(table, sections)
    traps = {number: trap for section in wanted.values() for number, trap in section.items()}
    plugin = TrapTests(traps, wanted)
    pytest.main(["-q", "--no-header", "-p", "no:cacheprovider", str(tests)], plugins=[plugin])
    print()
    for trap in traps.values():
        print(*trap.lines(), sep="\n")
    for number, test in plugin.unknown.items():
        print(f"FAIL {number:6} is not in the table but on {test}")
    beaten = sum(trap.is_beaten for trap in traps.values())
    print(f"{beaten} of {len(traps)} weaknesses are shown beaten.")
    return 0 if beaten == len(traps) and not plugin.unknown else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
