"""Turns: a hundred at once in one worker process, each a model call that takes two seconds."""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from benchmarks.timing import print_table
from tests.browser.processes import Process
from tests.browser.product import Product, environment_of, running
from tests.browser.services import fresh_database, fresh_redis

TURNS = 100
THREADS = 64
CALL_MS = 2_000
PATIENCE_S = 120
LOOK_S = 0.02
SERVICES = (os.environ.get("DATABASE_URL", ""), os.environ.get("REDIS_URL", ""))


@dataclass
class Most:
    """The most that was seen of the worker.

    Attributes:
        connections: open to the database by the worker.
        megabytes: of memory.
        processor_seconds: that it worked.
    """

    connections: int = 0
    megabytes: float = 0.0
    processor_seconds: float = 0.0


def main() -> None:
    if not (SERVICES[0].startswith("postgres") and SERVICES[1]):
        print("Turns: needs DATABASE_URL (PostgreSQL) and REDIS_URL; left out")
        return
    with TemporaryDirectory() as folder, production(Path(folder), SERVICES, threads=THREADS) as product:
        warm = _run(product, THREADS)[0]
        seconds, most = _run(product, TURNS)
    print(f"Turns: {TURNS} of one call of {CALL_MS / 1000:g} s, one worker process with {THREADS} threads")
    print_table(
        ["turns", "seconds", "the first round", "connections", "MB", "processor s"],
        [(TURNS, seconds, warm, most.connections, most.megabytes, most.processor_seconds)],
    )


@contextmanager
def production(folder: Path, services: tuple[str, str], threads: int = 16) -> Iterator[Product]:
    """Yield a scaled product over databases of its own, set up as in production."""
    with fresh_database(services[0]) as database, fresh_redis(services[1]) as cache:
        environment = environment_of(folder, folder) | {
            "DATABASE_URL": database,
            "REDIS_URL": cache,
            "LOG_LEVEL": "WARNING",
            # DEBUG would keep every query.
            "DEBUG": "0",
            "SECRET_KEY": secrets.token_hex(40),
            "HTTPS": "0",
        }
        with running(Product("scaled", folder, environment, threads)) as product:
            yield product


def _run(product: Product, count: int) -> tuple[float, Most]:
    """Return the seconds from the first poke to the end of the last turn, and what the worker took."""
    operator = product.stage.do("scene")["operator"]["name"]
    agent = product.stage.do("new_agent", operator=operator, model=f"compatible:wait-{CALL_MS}")
    product.stage.do("queue_turns", agent=agent, count=count)
    most = Most()
    with psycopg.connect(product.environment["DATABASE_URL"], autocommit=True) as watching:
        used = _processor_seconds(product.workers[0])
        begin = time.perf_counter()
        product.stage.do("poke_turns")
        while _unfinished(watching):
            most.connections = max(most.connections, _connections(watching))
            most.megabytes = max(most.megabytes, _megabytes(product.workers[0]))
            if time.perf_counter() - begin > PATIENCE_S:
                raise SystemExit(f"The turns did not end.\n{product.logs()}")
            time.sleep(LOOK_S)
        seconds = time.perf_counter() - begin
    most.processor_seconds = _processor_seconds(product.workers[0]) - used
    counts = product.stage.do("turn_counts")
    if set(counts) != {"succeeded"}:
        raise SystemExit(f"Not every turn succeeded: {counts}\n{product.logs()}")
    return seconds, most


def _unfinished(watching: "psycopg.Connection[tuple[int]]") -> int:
    row = watching.execute(
        "SELECT count(*) FROM agents_turn WHERE status IN ('queued', 'running')"
    ).fetchone()
    return row[0] if row else 0


def _connections(watching: "psycopg.Connection[tuple[int]]") -> int:
    """Return the connections of the worker to the database."""
    row = watching.execute(
        "SELECT count(*) FROM pg_stat_activity "
        "WHERE application_name = 'worker' AND datname = current_database()"
    ).fetchone()
    return row[0] if row else 0


def _processor_seconds(process: Process) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _megabytes(process: Process) -> float:
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024
