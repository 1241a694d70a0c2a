"""Only pictures of allowed hosts are fetched, from public addresses, within limits."""

import http.client
from email.message import Message
from typing import Any

import pytest

from memory import fetching
from memory.fetching import FetchRefused, allowed_host, fetch
from memory.rendering.pictures import MOST_BYTES

HOSTS = ("images.example",)
URL = "https://images.example/a.png?b=c"
PUBLIC = ["93.184.216.34"]


class Answer:
    """What a connection answers, in pieces."""

    def __init__(self, *pieces: bytes, status: int = 200, kind: str = "image/png") -> None:
        self.status = status
        self.headers = Message()
        self.headers["Content-Type"] = kind
        self._pieces = [*pieces, b""]

    def read1(self, _: int) -> bytes:
        return self._pieces.pop(0)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Return which host was asked at which network address; every one answers with ``Pinned.answer``."""
    seen: list[tuple[str, str]] = []

    class Pinned:
        answer: Any = Answer(b"pi", b"cture")

        def __init__(self, host: str, network_address: str) -> None:
            seen.append((host, network_address))

        def request(self, method: str, path: str, headers: dict[str, str]) -> None:
            assert (method, path) == ("GET", "/a.png?b=c")

        def getresponse(self) -> Any:
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

        def close(self) -> None:
            """Nothing is open."""

    monkeypatch.setattr(fetching, "_Pinned", Pinned)
    return seen


def answer_with(answer: object) -> None:
    fetching._Pinned.answer = answer  # type: ignore[attr-defined]  # the double above


def test_the_connection_goes_to_the_address_that_was_checked(opened: list[tuple[str, str]]) -> None:
    assert fetch(URL, HOSTS, lambda host: PUBLIC) == b"picture"
    assert opened == [("images.example", "93.184.216.34")]


@pytest.mark.parametrize(
    "address",
    [
        "http://images.example/a.png",
        "https://images.example:8443/a.png",
        "https://user@images.example/a.png",
        "https://other.example/a.png",
        "https://images.example.evil.example/",
        "https://[::1",
        "https://images.example:port/",
        "file:///etc/passwd",
        "",
    ],
)
def test_other_addresses_are_refused(address: str) -> None:
    with pytest.raises(FetchRefused):
        allowed_host(address, HOSTS)


@pytest.mark.parametrize(
    "network_address",
    [
        *("127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "192.0.2.1"),
        *(
            "224.0.0.1",
            "::1",
            "fe80::1%eth0",
            "fc00::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
        ),
    ],
)
def test_private_networks_are_never_asked(opened: list[tuple[str, str]], network_address: str) -> None:
    with pytest.raises(FetchRefused, match="private network"):
        fetch(URL, HOSTS, lambda host: [*PUBLIC, network_address])
    assert opened == []


@pytest.mark.usefixtures("opened")
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(status=302), "the answer 302"),
        (Answer(kind="text/html"), "no raster picture"),
        (Answer(kind="image/svg+xml"), "no raster picture"),
        (Answer(*[b"x" * 1024 * 1024] * (MOST_BYTES // 1024**2 + 1)), "larger than 2 MB"),
        (TimeoutError(), "no answer"),
        (http.client.BadStatusLine("x"), "no answer"),
    ],
)
def test_other_answers_are_refused(answer: object, reason: str) -> None:
    answer_with(answer)
    with pytest.raises(FetchRefused, match=reason):
        fetch(URL, HOSTS, lambda host: PUBLIC)


@pytest.mark.usefixtures("opened")
def test_an_answer_that_trickles_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(Answer(b"a", b"b"))
    monkeypatch.setattr(fetching, "LIMIT_S", -1.0)
    with pytest.raises(FetchRefused, match="takes longer"):
        fetch(URL, HOSTS, lambda host: PUBLIC)


def test_a_host_without_an_address_is_refused() -> None:
    with pytest.raises(FetchRefused):
        fetch("https://nowhere.invalid/", ["nowhere.invalid"], lambda host: [])
