"""The real product in processes of its own: one (embedded), or two web servers and a worker (scaled)."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import OK, HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from tests.browser.processes import ROOT, Process, free_port
from tests.browser.services import fresh_database, fresh_redis

START_SECONDS = 90
LOOK_SECONDS = 0.1
DEMO_PAUSE_MS = 100
SERVE = [sys.executable, str(ROOT / "manage.py"), "serve", "--grace", "2", "--port"]
DAPHNE = [sys.executable, "-m", "daphne", "contextsite.asgi:application", "-e"]
CELERY = [
    sys.executable,
    *("-m", "celery", "-A", "contextsite", "worker"),
    *("-P", "threads", "--without-gossip", "--without-mingle", "-c"),
]
TALKER = [sys.executable, "-m", "tests.browser.talker"]
THREADS = 16


class Stage:
    """Prepares and inspects rows through ``tests.browser.stage`` in the product's environment."""

    def __init__(self, environment: Mapping[str, str], log: Path) -> None:
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.browser.stage"],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def do(self, command: str, /, **arguments: Any) -> Any:
        """Return what the command answers."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"do": command, **arguments}) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"The stage ended while it did {command!r}; its log says why.")
        return json.loads(answer)

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe
            with suppress(BrokenPipeError):
                pipe.close()
        self._process.kill()
        self._process.wait()


class Product:
    """A running product.

    Attributes:
        mode: embedded or scaled.
        urls: one for each web process, without a slash at the end.
        web: the web processes, in the order of ``urls``; embedded, the only one runs turns too.
        workers: the other processes that run turns.
        talker: the provider that agents with a model ``compatible:…`` ask, see ``tests.browser.talker``.
    """

    def __init__(
        self, mode: str, folder: Path, environment: Mapping[str, str], threads: int = THREADS
    ) -> None:
        talker_port = free_port()
        address = {"COMPATIBLE_BASE_URL": f"http://127.0.0.1:{talker_port}/v1"}
        self.mode, self.folder, self.environment = mode, folder, dict(environment) | address
        ports = [free_port() for _ in range(1 if mode == "embedded" else 2)]
        self.urls = [f"http://127.0.0.1:{port}" for port in ports]
        self.web = [
            self._process(f"web-{number}", _web_command(mode, port)) for number, port in enumerate(ports)
        ]
        self.workers = [] if mode == "embedded" else [self._process("worker", [*CELERY, str(threads)])]
        self.talker = self._process("talker", [*TALKER, str(talker_port)])
        self._processes = [*self.web, *self.workers, self.talker]
        self._stage: Stage | None = None

    @property
    def stage(self) -> Stage:
        """The stage of this product, started on first use."""
        if self._stage is None:
            self._stage = Stage(self.environment, self.folder / "stage.log")
        return self._stage

    def start(self) -> None:
        self.manage("migrate", "--verbosity", "0")
        for process in self._processes[len(self.web) :]:
            process.start()
        self.start_web()

    def wait_until_ready(self, number: int) -> None:
        """Return once the web process answers that it can serve."""
        end = time.monotonic() + START_SECONDS
        while not _is_ready(self.urls[number].removeprefix("http://")):
            if self.web[number].has_ended() or time.monotonic() > end:
                raise RuntimeError(f"The web process {number} did not come up.\n{self.logs()}")
            time.sleep(LOOK_SECONDS)

    def restart_web(self) -> None:
        """Stop every web process as an operator would, and start it again on the same port."""
        for process in self.web:
            process.stop()
        self.start_web()

    def start_web(self) -> None:
        """Start the web processes that do not run, and return once all serve."""
        for process in self.web:
            if process.has_ended():
                process.start()
        for number in range(len(self.web)):
            self.wait_until_ready(number)

    def manage(self, *arguments: str) -> str:
        """Return what a management command prints."""
        return self.run(str(ROOT / "manage.py"), *arguments)

    def run(self, *arguments: str) -> str:
        """Return what Python prints for these arguments, in the product's environment."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{arguments} failed.\n{done.stdout}{done.stderr}")
        return done.stdout

    def background(self, name: str, *arguments: str) -> Process:
        """Start Python with these arguments in the product's environment; it ends with the product."""
        process = self._process(name, [sys.executable, *arguments])
        self._processes.append(process)
        process.start()
        return process

    def logs(self) -> str:
        """Return the ends of all logs."""
        return "\n".join(process.tail() for process in self._processes)

    def close(self) -> None:
        """End every process, whatever state it is in."""
        if self._stage is not None:
            self._stage.close()
        for process in self._processes:
            process.kill()

    def _process(self, name: str, command: list[str]) -> Process:
        # So that the database knows whose a connection is.
        return Process(command, self.environment | {"PGAPPNAME": name}, self.folder / f"{name}.log")


@contextmanager
def embedded(folder: Path, demo_folder: Path, pause_ms: int = DEMO_PAUSE_MS) -> Iterator[Product]:
    """Yield a running product in one process over SQLite."""
    environment = environment_of(folder, demo_folder) | {"DEMO_PAUSE_MS": str(pause_ms)}
    with running(Product("embedded", folder, environment)) as product:
        yield product


@contextmanager
def scaled(folder: Path, demo_folder: Path, database_url: str, redis_url: str) -> Iterator[Product]:
    """Yield a running product in three processes over a PostgreSQL and a Redis database of its own."""
    with fresh_database(database_url) as database, fresh_redis(redis_url) as cache:
        services = {"DATABASE_URL": database, "REDIS_URL": cache}
        environment = environment_of(folder, demo_folder) | services
        with running(Product("scaled", folder, environment)) as product:
            yield product


@contextmanager
def running(product: Product) -> Iterator[Product]:
    """Start the product, yield it, and end it."""
    try:
        product.start()
        yield product
    finally:
        product.close()


def _web_command(mode: str, port: int) -> list[str]:
    if mode == "embedded":
        return [*SERVE, str(port)]
    return [*DAPHNE, f"tcp:port={port}:interface=127.0.0.1:backlog=2048"]


def _is_ready(address: str) -> bool:
    connection = HTTPConnection(address, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == OK
    except (HTTPException, OSError):
        return False
    finally:
        connection.close()


def environment_of(folder: Path, demo_folder: Path) -> dict[str, str]:
    """Return the environment of a product that keeps everything in the folder."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "contextsite.settings",
        "PYTHONUNBUFFERED": "1",
        "DEBUG": "1",
        "CONTEXTSITE_DATA": str(folder),
        "CONTEXTSITE_HOME": str(folder / "home"),
        "DEMO_PATH": str(demo_folder),
        "DEMO_PAUSE_MS": str(DEMO_PAUSE_MS),
    }
