import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

import agents

ROOT = Path(__file__).resolve().parents[2]
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50
VAGUE_NAMES = {"utils", "helpers", "common", "misc", "manager", "managers"}


def tracked(*patterns: str) -> list[Path]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file()]


def python_files() -> list[Path]:
    return [path for path in tracked("*.py") if "migrations" not in path.parts]


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_no_file_is_longer_than_400_lines() -> None:
    files = [*python_files(), *tracked("*.js", "*.css", "*.html")]
    long = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in files}
    assert {name: lines for name, lines in long.items() if lines > MAX_FILE_LINES} == {}


def test_no_function_is_longer_than_50_lines() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in python_files()
        for node in functions(path)
        if (node.end_lineno or 0) - node.lineno + 1 > MAX_FUNCTION_LINES
    ]
    assert long == []


def test_no_module_has_a_vague_name() -> None:
    assert [path for path in python_files() if path.stem in VAGUE_NAMES] == []


def test_the_package_agents_is_ours() -> None:
    assert Path(agents.__file__).is_relative_to(ROOT)


def test_templates_of_agents_name_nothing_of_memory() -> None:
    named = [path.name for path in tracked("templates/agents/*.html") if "memory/" in path.read_text()]
    assert named == []
