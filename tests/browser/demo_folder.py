"""A folder for the survey, and its totals as the machine's own tools count them."""

import subprocess
from pathlib import Path

FILES = 120


def build_demo_folder(root: Path) -> None:
    for number in range(FILES):
        folder = root / f"part {number % 7}" / ("deep" if number % 5 else "")
        folder.mkdir(parents=True, exist_ok=True)
        lines = [
            f"line {line} of {number}: TODO" if line % 9 == 0 else "word " * line for line in range(number)
        ]
        (folder / f"file-{number:03}.{('py', 'md', 'txt', 'json')[number % 4]}").write_text("\n".join(lines))
    (root / "empty.txt").touch()
    (root / "größe 日本語.md").write_text("naïve café\n")
    (root / ".hidden").write_text("counts too\n")


def totals_by_find_and_wc(root: Path) -> dict[str, int]:
    files = _shell("find . -type f | wc -l", root)
    counted = _shell("find . -type f -print0 | LC_ALL=C.UTF-8 wc --files0-from=-", root)
    lines, words, size, _ = counted.splitlines()[-1].split()
    return {"files": int(files), "lines": int(lines), "words": int(words), "bytes": int(size)}


def _shell(command: str, folder: Path) -> str:
    return subprocess.run(
        ["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()
