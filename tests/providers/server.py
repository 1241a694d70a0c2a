"""A provider on this machine: it speaks the real wire formats and does what a test scripts."""

import json
import select
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.agents.connectors.strict_wire_types import check_anthropic, check_chat, check_responses
from tests.providers import anthropic_format, chat_format, google_format, responses_format
from tests.providers.answers import Answer

POLL_S = 0.02


@dataclass(frozen=True)
class Pause:
    """Silence until the test releases it or the client leaves; both are events that a test can wait for."""

    released: threading.Event = field(default_factory=threading.Event)
    reached: threading.Event = field(default_factory=threading.Event)
    left: threading.Event = field(default_factory=threading.Event)


class Drop:
    """The connection breaks, without an end."""


Step = bytes | Pause | Drop


@dataclass(frozen=True)
class Reply:
    """A response in steps: bytes to send, pauses, and a drop.

    Attributes:
        begin: steps before the head.
    """

    steps: Iterable[Step] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    begin: Iterable[Step] = ()


@dataclass(frozen=True)
class Received:
    """A request as it arrived."""

    path: str
    body: dict[str, Any]
    raw: bytes
    headers: Mapping[str, str]


def refusal(status: int, body: Mapping[str, Any] | list[Any], **headers: str) -> Reply:
    """Return an error response; underscores in names of headers become hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply([json.dumps(body).encode()], status, {"Content-Type": "application/json", **named})


Check = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Format:
    """How one wire format writes answers and what it demands of requests."""

    chunks: Callable[[Answer], Iterator[bytes]]
    check: Check


def _only(body: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: body[name] for name in names if name in body}


def _check_chat(body: dict[str, Any]) -> None:
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}
    check_chat(_only(body, "messages", "tools"))


def _check_responses(body: dict[str, Any]) -> None:
    assert body["stream"] is True
    if not isinstance(body["input"], str):
        check_responses(_only(body, "input", "tools"))


def _check_anthropic(body: dict[str, Any]) -> None:
    assert body["stream"] is True
    assert body["max_tokens"] > 0
    assert isinstance(body.get("system", ""), str)
    check_anthropic(_only(body, "messages", "tools"))


def _check_google(body: dict[str, Any]) -> None:
    assert body["contents"][0]["role"] == "user"


FORMATS = {
    "/v1/chat/completions": Format(chat_format.chunks, _check_chat),
    "/v1/responses": Format(responses_format.chunks, _check_responses),
    "/v1/messages": Format(anthropic_format.chunks, _check_anthropic),
    "/v1beta/models/": Format(google_format.chunks, _check_google),
}


class FakeProvider:
    """Serves the next reply of its script to each request and keeps what arrived.

    A request that breaks its format gets a 400 and is kept in ``faults``. Leaving it asserts that there are
    none, and that the script was played to its end.

    Attributes:
        connections: that are open.
        accepted: how many there were.
    """

    def __init__(self) -> None:
        self.requests: list[Received] = []
        self.faults: list[str] = []
        self._script: list[Reply | Answer] = []
        self._lock = threading.Lock()
        self.connections: set[socket.socket] = set()
        self.accepted = 0
        owner = self

        class Handler(_Handler):
            provider = owner

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._serving = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": POLL_S})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def script(self, *replies: Reply | Answer) -> None:
        self._script += replies

    def next_reply(self, received: Received) -> Reply:
        """Keep the request and return what it gets."""
        wire = next(wire for path, wire in FORMATS.items() if received.path.startswith(path))
        with self._lock:
            self.requests.append(received)
            try:
                wire.check(received.body)
            except (AssertionError, ValueError, KeyError) as fault:
                self.faults.append(repr(fault))
                return refusal(400, chat_format.error("invalid_request", f"The test refuses: {fault}"))
            if not self._script:
                self.faults.append(f"no reply was scripted for request {len(self.requests)}")
                return Reply(status=418)
            reply = self._script.pop(0)
        if isinstance(reply, Answer):
            return Reply(list(wire.chunks(reply)))
        return reply

    def __enter__(self) -> Self:
        self._serving.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._serving.join()
        # Connections that clients keep open would keep their threads.
        for connection in list(self.connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._server.server_close()
        if self.faults:
            raise AssertionError("; ".join(self.faults))
        if kind is None and self._script:
            raise AssertionError(f"{len(self._script)} replies of the script were never asked for")


class _Server(ThreadingHTTPServer):
    daemon_threads = False


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    provider: FakeProvider

    def setup(self) -> None:
        super().setup()
        self.provider.connections.add(self.connection)
        self.provider.accepted += 1

    def finish(self) -> None:
        self.provider.connections.discard(self.connection)
        super().finish()

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        received = Received(self.path, json.loads(raw), raw, dict(self.headers))
        reply = self.provider.next_reply(received)
        if not all(self._take(step) for step in reply.begin):
            return
        self.send_response(reply.status)
        for name, value in {"Content-Type": "text/event-stream", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if all(self._take(step) for step in reply.steps):
            self.wfile.write(b"0\r\n\r\n")

    def _take(self, step: Step) -> bool:
        """Do the step; False when the connection is over."""
        match step:
            case bytes():
                try:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(step), step))
                except OSError:
                    self.close_connection = True
                    return False
                return True
            case Pause():
                return self._pause(step)
            case Drop():
                # A reset instead of an orderly end.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                return False

    def _pause(self, pause: Pause) -> bool:
        pause.reached.set()
        while not pause.released.is_set():
            readable, _, _ = select.select([self.connection], [], [], POLL_S)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                pause.left.set()
                self.close_connection = True
                return False
        return True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing; the tests do."""
