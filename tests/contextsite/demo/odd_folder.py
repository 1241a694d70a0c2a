"""A folder with everything that makes counting files hard."""

import os
import random
import subprocess
from pathlib import Path

LARGE_LINES = 90_000


def build_odd_folder(root: Path) -> None:
    files: dict[bytes, bytes] = {
        b"README.md": b"# Title\n\nSome words here.\n",
        b"empty.txt": b"",
        b"no newline at the end.txt": b"one\ntwo words",
        b"with\nnewline.txt": b"strange name\n",
        "größe-日本語-😀.txt".encode(): "naïve café — em\u2003space\u00a0nbsp\u2060joiner\n".encode(),
        b"not-utf8-\xff\xfe.txt": b"caf\xe9 latin\n\xff\n",
        b"back\\slash\\x41.txt": b"x\n",
        b".hidden": b"secret line\n",
        b"binary.bin": bytes(range(256)) * 40 + b"\n\n",
        b"windows.csv": b"a,b\r\nc,d\r\n",
        b"controls.txt": b"\x01\x02 \x1c a\x85b\x0bc\x0cd \x7f\n",
        b"a/one.py": b"# TODO: first\nprint(1)\n# TODO and TODO\n",
        b"a.b/two.py": b"import os\n",
        b"a-b/three.PY": b"x = 1  # FIXME\n",
        b"a/deep/er/still/four.py": b"\n\n\n",
        b"long line.txt": b"y" * 3000 + b"\nshort\n" + b"z" * 10,
    }
    for path, content in files.items():
        target = root / os.fsdecode(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    (root / "empty folder" / "in it").mkdir(parents=True)
    (root / "large.txt").write_text("".join(f"line {number} of many\n" for number in range(LARGE_LINES)))
    noise = random.Random(7)
    (root / "noise.dat").write_bytes(noise.randbytes(200_000))
    for number in range(30):
        (root / "many" / f"d{number % 3}").mkdir(parents=True, exist_ok=True)
        text = " ".join("word" * noise.randrange(1, 4) for _ in range(noise.randrange(40)))
        (root / "many" / f"d{number % 3}" / f"f{number:02}.txt").write_text(
            text.replace("wordword ", "word\n")
        )
    (root / "link to file").symlink_to("README.md")
    (root / "link to folder").symlink_to("a")
    (root / "link outside").symlink_to("/etc")
    (root / "broken link").symlink_to("nowhere")
    os.mkfifo(root / "pipe")
    os.link(root / "README.md", root / "hard link.md")


def files_by_find(root: Path, *expression: str) -> list[bytes]:
    """Return what find lists, without the leading ./, sorted by bytes."""
    out = subprocess.run(
        ["find", ".", *(expression or ("-type", "f")), "-print0"], cwd=root, capture_output=True, check=True
    ).stdout
    return sorted(path.removeprefix(b"./") for path in out.split(b"\0") if path)


def counts_by_wc(root: Path, paths: list[bytes]) -> dict[bytes, tuple[int, int, int]]:
    """Return lines, words and bytes of each file as the machine's wc says in a UTF-8 locale."""
    environment = {"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}
    counts = {}
    for path in paths:
        content = (root / os.fsdecode(path)).read_bytes()
        out = subprocess.run(["wc"], input=content, capture_output=True, check=True, env=environment).stdout
        lines, words, size = map(int, out.split())
        counts[path] = (lines, words, size)
    return counts


def passes_over_odd_words() -> bool:
    """Whether the machine's wc counts no words in bytes that are not text, as GNU wc does up to 9.4."""
    out = subprocess.run(["wc", "-w"], input=b"\xff", capture_output=True, check=True).stdout
    return int(out) == 0
