"""A PostgreSQL and a Redis of the drills' own, on free ports, that can be killed and started again."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psycopg
import redis

from tests.browser.processes import Process, free_port

START_SECONDS = 60
_VERSIONS = Path("/usr/lib/postgresql")


class Postgres:
    """A database server with one database."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder / "postgres", free_port()
        self._folder.mkdir()
        # PostgreSQL does not run as root.
        self._as = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self._as:
            shutil.chown(self._folder, "postgres")
        self._run("initdb", "-D", str(self._folder / "data"), "-U", "postgres", "-A", "trust")
        place = ["-D", str(self._folder / "data"), "-k", str(self._folder), "-p", str(self._port)]
        command = [*self._as, _program("postgres"), *place, "-c", "listen_addresses=127.0.0.1"]
        self._server = Process(command, os.environ, folder / "postgres.log")

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self._port}/postgres"

    def start(self) -> None:
        self._server.start()
        _wait(self._answers, "PostgreSQL", self._server)

    def kill(self) -> None:
        self._server.kill()
        # What the kill left: the next start would take the process for alive.
        (self._folder / "data" / "postmaster.pid").unlink(missing_ok=True)

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [*self._as, _program(program), *arguments], check=True, capture_output=True, cwd=self._folder
        )


class Redis:
    """A Redis that keeps nothing over a restart."""

    def __init__(self, folder: Path) -> None:
        self._port = free_port()
        self._server = Process(
            ["redis-server", "--port", str(self._port), "--save", "", "--bind", "127.0.0.1"],
            os.environ,
            folder / "redis.log",
        )

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self._port}/0"

    def start(self) -> None:
        self._server.start()
        _wait(self._answers, "Redis", self._server)

    def kill(self) -> None:
        self._server.kill()

    def _answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url) as client:
                client.ping()
        except redis.RedisError:
            return False
        return True


def missing() -> Sequence[str]:
    """Return the programs that drills need and this machine lacks."""
    needed = {"redis-server": shutil.which("redis-server"), "postgres": _find("postgres")}
    return [name for name, path in needed.items() if not path]


def _program(name: str) -> str:
    found = _find(name)
    if found is None:
        raise SystemExit(f"{name} is not installed.")
    return found


def _find(name: str) -> str | None:
    installed = sorted(_VERSIONS.glob(f"*/bin/{name}"))
    return str(installed[-1]) if installed else shutil.which(name)


def _wait(answers: Callable[[], bool], name: str, process: Process) -> None:
    end = time.monotonic() + START_SECONDS
    while not answers():
        if process.has_ended() or time.monotonic() > end:
            raise RuntimeError(f"{name} did not start.\n{process.tail()}")
        time.sleep(0.1)
