import re
from pathlib import Path
from typing import Any

from django.core.management import call_command


def test_collected_modules_import_hashed_files(settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "contextsite.static_storage.StaticStorage"}
    }
    call_command("collectstatic", verbosity=0, interactive=False)
    (entry,) = [path for path in (tmp_path / "js").glob("main.*.js") if path.suffix == ".js"]
    imported = re.findall(r"from\s+[\"'](.+?)[\"']|import\s+[\"'](.+?)[\"']", entry.read_text())
    names = [first or second for first, second in imported]
    assert names
    for name in names:
        assert re.search(r"\.[0-9a-f]{12}\.js$", name), name
        assert (entry.parent / name).is_file()
