"""Fetches a picture from an allowed host: encrypted, from public addresses only, within time and size."""

import http.client
import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Collection
from urllib.parse import urlsplit

from memory.rendering.pictures import MOST_BYTES

LIMIT_S = 8.0
_PIECE = 64 * 1024
_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})

# Some networks translate these to addresses of their own.
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")

Resolve = Callable[[str], Collection[str]]


class FetchRefused(Exception):
    """A picture was not fetched; the text says why."""


def allowed_host(address: str, hosts: Collection[str]) -> str:
    """Return the host of an address that may be fetched.

    Raises:
        FetchRefused: unless it is https on the usual port at one of the hosts.
    """
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise FetchRefused("a broken address") from error
    if parts.scheme != "https" or port not in {None, 443} or "@" in parts.netloc:
        raise FetchRefused("not a plain https address")
    if (parts.hostname or "") not in hosts:
        raise FetchRefused("a host that is not allowed")
    return parts.hostname or ""


def addresses_of(host: str) -> Collection[str]:
    """Return the network addresses of a host."""
    try:
        return [str(found[4][0]) for found in socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM)]
    except OSError as error:
        raise FetchRefused("a host without an address") from error


def fetch(address: str, hosts: Collection[str], resolve: Resolve = addresses_of) -> bytes:
    """Return the bytes behind an address; redirects are not followed.

    The connection goes to the very address that was checked, so that a second look-up cannot lead elsewhere.

    Raises:
        FetchRefused: saying what about the address or the answer is not as it must be.
    """
    host = allowed_host(address, hosts)
    found = resolve(host)
    if not found or not all(map(_is_public, found)):
        raise FetchRefused("a host inside a private network")
    connection = _Pinned(host, next(iter(found)))
    parts = urlsplit(address)
    try:
        connection.request(
            "GET",
            (parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
            headers={"Accept": ", ".join(sorted(_TYPES)), "User-Agent": "contextsite"},
        )
        return _content(connection.getresponse(), time.monotonic() + LIMIT_S)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise FetchRefused(f"no answer ({type(error).__name__})") from error
    finally:
        connection.close()


class _Pinned(http.client.HTTPSConnection):
    """A connection to one network address, whose certificate must be the host's."""

    def __init__(self, host: str, network_address: str) -> None:
        super().__init__(host, 443, timeout=LIMIT_S)
        self._network_address = network_address

    def connect(self) -> None:
        plain = socket.create_connection((self._network_address, 443), LIMIT_S)
        self.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=self.host)


def _content(response: http.client.HTTPResponse, deadline: float) -> bytes:
    if response.status != http.client.OK:
        raise FetchRefused(f"the answer {response.status}")
    if response.headers.get_content_type() not in _TYPES:
        raise FetchRefused("an answer that is no raster picture")
    pieces: list[bytes] = []
    while piece := response.read1(_PIECE):
        pieces.append(piece)
        if sum(map(len, pieces)) > MOST_BYTES:
            raise FetchRefused(f"an answer larger than {MOST_BYTES // 1024**2} MB")
        if time.monotonic() > deadline:
            raise FetchRefused(f"an answer that takes longer than {LIMIT_S:g} s")
    return b"".join(pieces)


def _is_public(address: str) -> bool:
    found = ipaddress.ip_address(address.partition("%")[0])
    if found in _TRANSLATED:
        return False
    inner = getattr(found, "ipv4_mapped", None) or getattr(found, "sixtofour", None) or found
    return bool(found.is_global and inner.is_global and not inner.is_multicast)
