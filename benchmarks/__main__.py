"""Runs all benchmarks or those named: ``python -m benchmarks [preparation] [compaction] [rows] …``."""

import importlib
import os
import sys

import django

BENCHMARKS = ("preparation", "compaction", "rows", "pages", "turns", "stream", "rendering")


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        raise SystemExit(f"No such benchmark: {', '.join(unknown)}. There are {', '.join(BENCHMARKS)}.")
    # Rows can only be imported once the settings are known, so each benchmark is imported when it runs.
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    for name in names or BENCHMARKS:
        importlib.import_module(f"benchmarks.{name}").main()
        print()


if __name__ == "__main__":
    main(sys.argv[1:])
