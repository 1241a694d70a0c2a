"""Where a fetch may go: listed hosts alone, and only public addresses unless an address is listed."""

import re
import socket
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Sequence[Address]]

STANDARD_PORTS = frozenset({80, 443})
# Addresses that stand for IPv4 ones: what they lead to would escape the check.
_TUNNELS = tuple(map(IPv6Network, ("2002::/16", "2001::/32", "64:ff9b::/96", "64:ff9b:1::/48")))
_NAME = re.compile(r"(\*\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?")
_WITH_PORT = re.compile(r"(?P<host>\[[^]]*\]|[^:]+):(?P<port>\d{1,5})")


class Forbidden(ValueError):
    """An address may not be fetched; the text says what may be."""


@dataclass(frozen=True)
class Rule:
    """One entry of the list: a name, ``*.name``, ``*``, an address or a network, maybe with a port."""

    entry: str
    name: str
    network: Any
    port: int | None

    @classmethod
    def parse(cls, entry: str) -> "Rule":
        """Return the rule of an entry.

        Raises:
            ValueError: it is none; the text says what is.
        """
        ported = _WITH_PORT.fullmatch(entry)
        host = (ported["host"] if ported else entry).strip("[]").lower()
        port = int(ported["port"]) if ported else None
        try:
            return cls(entry, "", ip_network(host), port)
        except ValueError:
            if host != "*" and not _NAME.fullmatch(host):
                raise ValueError(
                    f"{entry!r} is no host. Write a name, *.name, an address or a network, with or without "
                    ":port."
                ) from None
        return cls(entry, host, None, port)

    def allows_host(self, host: str, port: int) -> bool:
        """Tell whether a URL may name this host and port."""
        if port != self.port and (self.port is not None or port not in STANDARD_PORTS):
            return False
        if self.network is not None:
            return self.holds(_as_address(host))
        if self.name.startswith("*."):
            return host.endswith(self.name[1:])
        return self.name in {"*", host}

    def holds(self, address: Address | None) -> bool:
        """Tell whether the address itself is listed."""
        return self.network is not None and address is not None and address in self.network


class AllowedHosts:
    """The allow-list; empty allows nothing."""

    def __init__(self, entries: Iterable[str]) -> None:
        self._rules = [Rule.parse(entry) for entry in entries]

    def addresses(self, host: str, port: int, resolve: Resolve) -> Sequence[Address]:
        """Return the addresses to connect to; whoever uses them need not look the name up again.

        Raises:
            Forbidden: host, port or one of its addresses is not allowed, or there is no such host.
        """
        if not any(rule.allows_host(host, port) for rule in self._rules):
            known = ", ".join(rule.entry for rule in self._rules)
            where = f"{host}:{port}" if port not in STANDARD_PORTS else host
            raise Forbidden(f"{where} may not be fetched. Allowed: {known}.")
        literal = _as_address(host)
        found = [literal] if literal is not None else resolve(host, port)
        if not found:
            raise Forbidden(f"There is no host {host}.")
        for address in found:
            if not (_is_public(address) or any(rule.holds(address) for rule in self._rules)):
                raise Forbidden(f"{host} is not on the public internet and may not be fetched.")
        return found


def look_up(host: str, port: int) -> Sequence[Address]:
    """Return the addresses of a name, none when there are none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return ()
    return list(dict.fromkeys(ip_address(each[4][0]) for each in found))


def _as_address(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return _is_public(address.ipv4_mapped)
        if any(address in tunnel for tunnel in _TUNNELS):
            return False
    return address.is_global and not address.is_multicast
