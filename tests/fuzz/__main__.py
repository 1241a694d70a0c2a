"""Send many generated histories through gate and ladder: ``python -m tests.fuzz --count 20000``."""

import argparse
import logging
import sys
import time
from collections import Counter

from tests.fuzz.compaction import run

# Exact counting is slower; every so many histories are counted exactly.
EXACT_EVERY = 25
MAX_SHOWN = 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first history")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    started = time.monotonic()
    seen: Counter[str] = Counter()
    failed: list[str] = []
    for seed in range(options.first, options.first + options.count):
        try:
            outcome = run(seed, exact=seed % EXACT_EVERY == 0)
        except Exception as failure:  # noqa: BLE001, the seed is what counts: it brings the failure back
            failed.append(f"{seed}: {type(failure).__name__}: {failure}"[:300])
            continue
        seen.update(outcome.rungs)
        seen["compacted"] += outcome.compacted
        seen["typed overflow"] += outcome.overflowed
        seen["above the target, rest protected"] += outcome.above_target
        seen["tokens freed"] += outcome.freed
    lines = [f"{options.count} histories in {time.monotonic() - started:.0f} s, {len(failed)} failed"]
    lines += [f"{name}: {number:,}" for name, number in sorted(seen.items())]
    sys.stdout.write("\n".join([*lines, *failed[:MAX_SHOWN]]) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
