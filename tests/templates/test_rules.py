"""The rules of templates, style sheets and scripts that no linter of ours knows."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SHEETS = sorted((ROOT / "static" / "css").glob("*.css"))
SCRIPTS = sorted((ROOT / "static" / "js").glob("*.js"))
PARTIALS = [path for path in TEMPLATES if path.name.startswith("_")]

# Controls that style sheets may look at while they are checked, and the one live region.
ALLOWED_IDS = {"announce", "view-grid", "wb-max", "pane-board", "theme-auto", "theme-light", "theme-dark"}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def without_comments(path: Path) -> str:
    return re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)


every_template = pytest.mark.parametrize("path", TEMPLATES, ids=name)
every_sheet = pytest.mark.parametrize("path", SHEETS, ids=name)
every_script = pytest.mark.parametrize("path", SCRIPTS, ids=name)


@every_template
def test_templates_trust_no_text(path: Path) -> None:
    assert not re.search(r"\|\s*safe\b|safeseq|autoescape\s+off|mark_safe", path.read_text())


@every_template
def test_partials_get_their_variables_by_name(path: Path) -> None:
    for include in re.findall(r"{%\s*include\b(.*?)%}", path.read_text(), flags=re.DOTALL):
        assert include.split()[-1] == "only", include


@pytest.mark.parametrize("path", PARTIALS, ids=name)
def test_partials_begin_with_what_they_are_and_need(path: Path) -> None:
    assert re.match(r"{# .+\. .*#}\n", path.read_text())


@every_template
def test_templates_are_short(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400


def test_the_order_of_layers_is_declared_once() -> None:
    order = [path.name for path in SHEETS if re.search(r"@layer [\w, ]+;", without_comments(path))]
    assert order == ["layers.css"]


@every_sheet
def test_sheets_keep_everything_in_a_layer(path: Path) -> None:
    text = re.sub(r"\s+", " ", without_comments(path)).strip()
    depth, outside = 0, ""
    for character in text:
        depth += (character == "{") - (character == "}")
        if depth == 0 and character != "}":
            outside += character
    declared = re.sub(r"@layer [\w, ]+;", "", outside)
    assert re.fullmatch(r"(\s*@layer \w+\s*)*", declared), declared


@every_sheet
def test_sheets_use_no_ids_but_of_controls(path: Path) -> None:
    selectors = re.findall(r"([^{};]+){", without_comments(path))
    used = {found for selector in selectors for found in re.findall(r"#([\w-]+)", selector)}
    assert used <= ALLOWED_IDS


@every_sheet
def test_only_reduced_motion_is_important(path: Path) -> None:
    assert path.name == "motion.css" or "!important" not in without_comments(path)


@every_sheet
def test_colours_stand_with_the_tokens(path: Path) -> None:
    allowed = {"tokens.css", "icons.css"}  # the logo keeps its colours in both themes
    colours = re.findall(r"#[0-9a-f]{3,8}\b(?![\w-]*:checked)|rgba?\(", without_comments(path))
    masks = [colour for colour in colours if colour == "#000"]  # a mask has opacity, not colour
    assert path.name in allowed or colours == masks


@every_sheet
def test_sheets_follow_the_direction_of_writing(path: Path) -> None:
    physical = (
        r"(?<![\w-])(margin|padding|border)-(left|right|top|bottom)\s*:|(?<![\w-])(left|right|top|bottom)\s*:"
    )
    assert not re.search(physical, without_comments(path))


@every_sheet
def test_sheets_are_short_and_say_what_they_are(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert len(lines) <= 300
    assert re.fullmatch(r"/\* .+ \*/", lines[0])


@every_script
def test_scripts_begin_with_what_they_upgrade_hear_and_send(path: Path) -> None:
    lines = path.read_text().splitlines()
    head = " ".join(line.removeprefix("// ") for line in lines[: lines.index("")])
    assert all(word in head for word in ("Upgrades: ", "Listens to: ", "Sends: "))


@every_script
def test_scripts_are_short(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 150


def test_the_linter_finds_nothing_in_the_scripts() -> None:
    eslint = ROOT / "node_modules" / "eslint" / "bin" / "eslint.js"
    node = shutil.which("node")
    if node is None or not eslint.exists():
        pytest.skip("needs Node and `npm ci`")
    found = subprocess.run(
        [node, str(eslint), "static/js"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout


def test_the_lock_of_node_packages_names_no_host() -> None:
    assert "http" not in (ROOT / "package-lock.json").read_text()
