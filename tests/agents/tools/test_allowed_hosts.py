from collections.abc import Sequence
from ipaddress import ip_address

import pytest

from agents.tools.allowed_hosts import Address, AllowedHosts, Forbidden, Rule, look_up

PUBLIC = ip_address("93.184.216.34")


def check(entries: Sequence[str], host: str, port: int = 443, *addresses: str) -> Sequence[Address]:
    found = [ip_address(each) for each in addresses] or [PUBLIC]
    return AllowedHosts(entries).addresses(host, port, lambda host, port: found)


@pytest.mark.parametrize(
    ("entry", "host", "port"),
    [
        ("example.org", "example.org", 443),
        ("Example.ORG", "example.org", 80),
        ("example.org:8443", "example.org", 8443),
        ("*.example.org", "api.example.org", 443),
        ("*.example.org", "a.b.example.org", 443),
        ("*", "anything.example", 443),
        ("*:8443", "anything.example", 8443),
        ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example", 443),
    ],
)
def test_a_listed_host_is_allowed(entry: str, host: str, port: int) -> None:
    assert check([entry], host, port) == [PUBLIC]


@pytest.mark.parametrize(
    ("entries", "host", "port"),
    [
        ([], "example.org", 443),
        (["example.org"], "example.com", 443),
        (["example.org"], "evil-example.org", 443),
        (["example.org"], "example.org.evil.com", 443),
        (["*.example.org"], "example.org", 443),
        (["*.example.org"], "evilexample.org", 443),
        (["example.org"], "example.org", 22),
        (["example.org:8443"], "example.org", 443),
        (["*"], "example.org", 6379),
        (["10.0.0.0/8"], "10.internal", 443),
    ],
)
def test_every_other_host_is_forbidden_with_the_list(entries: Sequence[str], host: str, port: int) -> None:
    with pytest.raises(Forbidden, match="may not be fetched"):
        check(entries, host, port)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "192.168.0.1",
        "172.16.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fc00::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::1",
        "2001:0:7f00:1::1",
    ],
)
def test_a_name_that_leads_into_a_private_network_is_forbidden(address: str) -> None:
    for addresses in ([address], [str(PUBLIC), address]):
        with pytest.raises(Forbidden, match="not on the public internet"):
            check(["*"], "example.org", 443, *addresses)
    with pytest.raises(Forbidden):
        check(["*"], address)


def test_a_private_address_that_is_listed_itself_is_allowed() -> None:
    assert check(["127.0.0.1:8000"], "127.0.0.1", 8000) == [ip_address("127.0.0.1")]
    assert check(["[::1]:8000"], "::1", 8000) == [ip_address("::1")]
    assert check(["intranet.example", "10.0.0.0/8"], "intranet.example", 443, "10.1.2.3")
    with pytest.raises(Forbidden, match="not on the public"):
        check(["intranet.example", "10.0.0.0/8"], "intranet.example", 443, "192.168.0.1")


def test_a_public_address_may_be_a_host() -> None:
    assert check(["93.184.216.34"], "93.184.216.34") == [PUBLIC]


@pytest.mark.parametrize("entry", ["", "http://example.org", "exa mple.org", "example.org/path", "*.*"])
def test_an_entry_that_is_no_host_is_refused(entry: str) -> None:
    with pytest.raises(ValueError, match="no host"):
        Rule.parse(entry)


def test_a_name_without_an_address_is_no_host() -> None:
    with pytest.raises(Forbidden, match="There is no host"):
        AllowedHosts(["*"]).addresses("nowhere.example", 443, lambda host, port: ())


def test_names_are_looked_up() -> None:
    assert ip_address("127.0.0.1") in look_up("localhost", 80)
    assert look_up("does-not-exist.invalid", 80) == ()
    assert look_up("." * 300, 80) == ()
