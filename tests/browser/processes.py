"""Processes of a product under test: started in the background, waited for, and always ended."""

import os
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOG_LINES = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


class Process:
    """A command that can be started again with the same environment; its output goes to one file.

    Attributes:
        log: path of what it wrote, over all its lives.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self.log = log
        self._command, self._environment = tuple(command), dict(environment)
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._running = subprocess.Popen(
                self._command,
                cwd=ROOT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The id of the running process."""
        assert self._running is not None
        return self._running.pid

    def has_ended(self) -> bool:
        return self._running is None or self._running.poll() is not None

    def wait(self) -> None:
        """Return once it has ended by itself, which must be without a fault."""
        assert self._running is not None
        assert self._running.wait() == 0, self.tail()

    def stop(self, patience_seconds: float = 20) -> None:
        """End it as an operator would, and by force when that takes too long; its children go with it."""
        if self._running is None:
            return
        self._signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._running.wait(patience_seconds)
        self.kill()

    def kill(self) -> None:
        """End it and its children at once, as a crash would."""
        if self._running is None:
            return
        self._signal(signal.SIGKILL)
        self._running.wait()
        self._running = None

    def tail(self) -> str:
        """Return the end of what it wrote."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return "\n".join([f"--- {self.log.name}", *lines[-LOG_LINES:]])

    def _signal(self, number: signal.Signals) -> None:
        assert self._running is not None
        with suppress(ProcessLookupError):
            os.killpg(self._running.pid, number)
