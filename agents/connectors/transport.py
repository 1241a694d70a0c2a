"""The HTTP transport of every provider: it shows what is about to leave, and can keep it from leaving."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias
from urllib.request import getproxies, proxy_bypass

import httpx2

BodyCheck: TypeAlias = Callable[[object], None]
"""Looks at a decoded request body and raises when it must not be sent."""
Recorder: TypeAlias = Callable[[bytes], None]
"""Takes the body of a request, byte for byte, right before it is sent. Headers never get there."""
Arrival: TypeAlias = Callable[[str], None]
"""Takes the media type of what came back, such as ``text/event-stream``; empty when it has none."""

CONNECT_TIMEOUT_S = 10.0
# Models that think may be silent for minutes before the first byte.
SILENCE_TIMEOUT_S = 600.0
_MOST_CONNECTIONS = 1000
_MOST_IDLE_CONNECTIONS = 100

_watch: ContextVar[tuple[Recorder, Arrival | None] | None] = ContextVar(
    "contextsite_request_watch", default=None
)


@contextmanager
def recording(recorder: Recorder, arrival: Arrival | None = None) -> Iterator[None]:
    """Give ``recorder`` the bodies that this task sends meanwhile; other tasks share the transport unseen.

    ``arrival`` is called when the head of a response is there.
    """
    token = _watch.set((recorder, arrival))
    try:
        yield
    finally:
        _watch.reset(token)


class RecordingTransport(httpx2.AsyncBaseTransport):
    """Passes requests on after checking and recording their bodies."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, check: BodyCheck | None = None) -> None:
        self._inner = inner
        self._check = check

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send the request.

        Raises:
            Exception: whatever the check or the recorder raise; nothing was sent then.
        """
        body = await request.aread()
        if self._check is not None:
            self._check(json.loads(body))
        recorder, arrival = _watch.get() or (None, None)
        if recorder is not None:
            recorder(body)
        response = await self._inner.handle_async_request(request)
        if arrival is not None:
            arrival(response.headers.get("Content-Type", "").partition(";")[0].strip().lower())
        return response

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


def open_client(base_url: str, check: BodyCheck | None = None) -> httpx2.AsyncClient:
    """Return a client for one provider that keeps connections open and honours the proxies of the system."""
    transport = httpx2.AsyncHTTPTransport(
        limits=httpx2.Limits(
            max_connections=_MOST_CONNECTIONS, max_keepalive_connections=_MOST_IDLE_CONNECTIONS
        ),
        proxy=proxy_for(base_url),
    )
    timeout = httpx2.Timeout(SILENCE_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
    return httpx2.AsyncClient(transport=RecordingTransport(transport, check), timeout=timeout)


def proxy_for(base_url: str) -> str | None:
    """Return the proxy that the environment names for an address; a transport of our own asks for none."""
    url = httpx2.URL(base_url)
    return None if proxy_bypass(url.host) else getproxies().get(url.scheme)
