import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def variables_read() -> set[str]:
    call = re.compile(r"""env\.\w+\(\s*"([A-Z_]+)"|environ(?:\.get\(|\[)\s*"([A-Z_]+)\"""")
    found: set[str] = set()
    for folder in ("agents", "memory", "contextsite"):
        for path in (ROOT / folder).rglob("*.py"):
            found |= {name for match in call.findall(path.read_text()) for name in match if name}
    return found


def test_every_variable_that_is_read_is_in_the_readme_and_the_other_way_round() -> None:
    documented = set(re.findall(r"^\| `([A-Z_]+)` \|", README, re.MULTILINE))
    internal = {"DJANGO_SETTINGS_MODULE", "TIKTOKEN_CACHE_DIR"}
    assert documented == variables_read() - internal


def test_every_make_target_of_the_readme_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)", README)) <= targets


def test_the_library_example_of_the_readme_runs(capsys: object) -> None:
    block = README.partition("## Use the library")[2].partition("The model finds")[0]
    code = "\n".join(line[4:] for line in block.splitlines() if line.startswith("    ") or not line)
    exec(compile(code, "README.md", "exec"), {})
