import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from contextsite.server import Address

ROOT = Path(__file__).resolve().parents[2]


class Site:
    """A site of its own: `manage.py serve` with an empty data folder."""

    def __init__(self, environ: Mapping[str, str], *options: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", *options],
            cwd=ROOT,
            env=dict(environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []

    def until(self, part: str) -> str:
        """Return the next line of output that holds ``part``."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line.rstrip())
            if part in line:
                return line.rstrip()
        pytest.fail(f"no line with {part!r} in {self.lines}")

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def exit_code(self) -> int:
        output, _ = self._process.communicate(timeout=60)
        self.lines += output.splitlines()
        return self._process.returncode

    def end(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()


@pytest.fixture
def environ(tmp_path: Path) -> Mapping[str, str]:
    unset = {"DATABASE_URL", "REDIS_URL", "BROKER_URL", "PORT", "DJANGO_SETTINGS_MODULE"}
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    return kept | {"DEBUG": "1", "CONTEXTSITE_DATA": str(tmp_path), "PYTHONUNBUFFERED": "1"}


@pytest.fixture
def site(environ: Mapping[str, str]) -> Iterator[Site]:
    site = Site(environ, "--port", "0")
    yield site
    site.end()


def get(url: str) -> tuple[int, str]:
    with urllib.request.urlopen(url, timeout=30) as response:  # noqa: S310 -- our own server
        return response.status, response.read().decode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_command_serves_pages_until_a_signal_ends_it(site: Site, number: signal.Signals) -> None:
    url = site.until("Serving on").split()[2]
    assert get(f"{url}healthz") == (200, '{"status": "ok"}')
    assert get(f"{url}readyz") == (200, '{"status": "ok"}')
    status, page = get(url)
    assert status == 200
    assert "password" in page
    site.signal(number)
    assert site.exit_code() == 0
    assert "Stopped" in site.lines


def test_an_address_that_is_taken_ends_with_a_remedy(environ: Mapping[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        site = Site(environ, "--port", str(taken.getsockname()[1]))
        assert site.exit_code() == 1
    assert "Then choose another with --port" in site.lines[-1]


def test_a_web_process_without_worker_needs_a_broker(environ: Mapping[str, str]) -> None:
    site = Site(environ, "--no-worker")
    assert site.exit_code() == 1
    assert "set BROKER_URL or REDIS_URL" in site.lines[-1]


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://localhost:81/"),
        ("0.0.0.0", "http://localhost:81/"),  # noqa: S104
        ("192.0.2.7", "http://192.0.2.7:81/"),
        ("::1", "http://[::1]:81/"),
    ],
)
def test_the_printed_address_opens_in_a_browser(host: str, url: str) -> None:
    assert Address(host, 81).url(81) == url


def test_an_ipv6_address_is_written_as_the_server_reads_it() -> None:
    assert Address("::1", 81).endpoint == r"tcp:port=81:interface=\:\:1:backlog=2048"
