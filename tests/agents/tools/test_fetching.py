import ssl
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from agents.tools.allowed_hosts import AllowedHosts, Forbidden
from agents.tools.fetching import MOST_BYTES, MOST_CHARACTERS, Fetcher, FetchFailed, http_fetch
from agents.tools.page_text import without_markup

DAY = timedelta(days=1)
Reply = Callable[[BaseHTTPRequestHandler], None]


class Site:
    """A web server of this test; ``pages`` answer by path."""

    def __init__(self) -> None:
        self.pages: dict[str, Reply] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.release = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.requests.append((self.path, dict(self.headers)))
                site.pages[self.path.partition("?")[0]](self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def fetcher(self, *more: str, **options: Any) -> Fetcher:
        return Fetcher(AllowedHosts([f"127.0.0.1:{self.port}", *more]), **options)


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.release.set()
    site.server.shutdown()
    site.server.server_close()
    site.thread.join()


def send(body: bytes | str, content_type: str = "text/plain", status: int = 200, **headers: str) -> Reply:
    sent = body.encode() if isinstance(body, str) else body

    def reply(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        request.send_header("Content-Type", content_type)
        request.send_header("Content-Length", str(len(sent)))
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        try:
            request.wfile.write(sent)
        except OSError:
            request.close_connection = True

    return reply


def lead_to(where: str) -> Reply:
    return send("", status=302, Location=where)


def test_a_page_is_fetched(site: Site) -> None:
    site.pages["/a%20b"] = send("hello", "text/plain; charset=utf-8")
    page = site.fetcher().fetch(site.url("/a b?q=ü&x=1#part"))
    assert (page.status, page.text, page.is_cut) == (200, "hello", False)
    ((path, headers),) = site.requests
    assert path == "/a%20b?q=%C3%BC&x=1"
    assert headers["Host"] == f"127.0.0.1:{site.port}"
    assert "Cookie" not in headers
    assert "Authorization" not in headers


def test_a_failure_of_the_server_is_a_page_too(site: Site) -> None:
    site.pages["/gone"] = send("not here", status=404)
    page = site.fetcher().fetch(site.url("/gone"))
    assert (page.status, page.text) == (404, "not here")


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("grüß".encode("latin-1"), "text/plain; charset=latin-1", "grüß"),
        (b"\xff\xfe", "text/plain", "\ufffd\ufffd"),
        (b"abc", "text/plain; charset=hex", "abc"),
        (b"abc", "text/plain; charset=nonsense", "abc"),
        (b'{"a": 1}', "application/json", '{"a": 1}'),
        (b"<a>1</a>", "application/atom+xml", "<a>1</a>"),
        (b"<p>one</p><p>two", "text/html", "one\n\ntwo"),
    ],
)
def test_bytes_become_text(site: Site, body: bytes, content_type: str, text: str) -> None:
    site.pages["/"] = send(body, content_type)
    assert site.fetcher().fetch(site.url("/")).text == text


def test_redirects_are_followed_within_the_list(site: Site) -> None:
    site.pages |= {"/1": lead_to("/2"), "/2": lead_to(site.url("/3")), "/3": send("there")}
    page = site.fetcher().fetch(site.url("/1"))
    assert (page.url, page.text) == (site.url("/3"), "there")


@pytest.mark.parametrize(
    "where",
    [
        "http://127.0.0.1:1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://example.com/",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "http://[::1]/",
        "http://[broken",
    ],
)
def test_a_redirect_out_of_the_list_is_forbidden(site: Site, where: str) -> None:
    site.pages["/out"] = lead_to(where)
    with pytest.raises(Forbidden):
        site.fetcher().fetch(site.url("/out"))
    assert len(site.requests) == 1


def test_endless_redirects_end(site: Site) -> None:
    site.pages["/round"] = lead_to("/round")
    with pytest.raises(FetchFailed, match="leads on more than 5 times"):
        site.fetcher().fetch(site.url("/round"))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "ftp://example.org/",
        "https://",
        "http://user:secret@example.org/",
        "http://example.org:99999/",
        "http://exam\nple.org:x/",
        "http://" + "a" * 300 + ".org/",
        "http://0x7f.1/",
        "http://2130706433/",
        "http://127.1/",
    ],
)
def test_what_is_no_allowed_url_is_refused(url: str) -> None:
    with pytest.raises(Forbidden) as raised:
        Fetcher(AllowedHosts(["example.org"])).fetch(url)
    assert "secret" not in str(raised.value)


def test_the_checked_address_is_the_one_that_is_asked(site: Site) -> None:
    """A name whose next look-up would lead elsewhere leads nowhere: it is looked up once."""
    answers = iter([[ip_address("127.0.0.1")]])
    fetcher = site.fetcher(f"moving.example:{site.port}", resolve=lambda host, port: next(answers))
    site.pages["/"] = send("pinned")
    allowed = AllowedHosts([f"moving.example:{site.port}", "127.0.0.1"])
    fetcher = Fetcher(allowed, resolve=lambda host, port: next(answers))
    assert fetcher.fetch(f"http://moving.example:{site.port}/").text == "pinned"
    assert site.requests[0][1]["Host"] == f"moving.example:{site.port}"


def test_a_large_page_is_cut_off(site: Site) -> None:
    site.pages["/"] = send("x" * (MOST_BYTES + 10))
    page = site.fetcher().fetch(site.url("/"))
    assert (len(page.text), page.is_cut) == (MOST_BYTES, True)


@pytest.mark.parametrize("content_type", ["image/png", "application/octet-stream", "application/zip"])
def test_what_is_no_text_is_refused(site: Site, content_type: str) -> None:
    site.pages["/"] = send(b"\x00", content_type)
    with pytest.raises(FetchFailed, match=f"is no text but {content_type}"):
        site.fetcher().fetch(site.url("/"))


def test_a_compressed_answer_is_refused(site: Site) -> None:
    site.pages["/"] = send(b"\x1f\x8b", Content_Encoding="gzip")
    with pytest.raises(FetchFailed, match="compressed"):
        site.fetcher().fetch(site.url("/"))


def drip(piece: bytes, head: bytes = b"") -> Reply:
    """Return a reply that never ends, a piece at a time."""

    def reply(request: BaseHTTPRequestHandler) -> None:
        try:
            request.wfile.write(head)
            for _ in range(1000):
                request.wfile.write(piece)
                request.wfile.flush()
                time.sleep(0.01)
        except OSError:
            request.close_connection = True

    return reply


@pytest.mark.parametrize(
    "reply",
    [
        drip(b"x", b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 99999\r\n\r\n"),
        drip(b"X-More: 1\r\n", b"HTTP/1.1 200 OK\r\n"),
        drip(b"x"),
    ],
    ids=["body", "headers", "status"],
)
def test_a_server_that_never_ends_is_left_at_the_deadline(site: Site, reply: Reply) -> None:
    site.pages["/"] = reply
    began = time.monotonic()
    with pytest.raises(FetchFailed):
        site.fetcher(total_seconds=0.2).fetch(site.url("/"))
    assert time.monotonic() - began < 5


def test_a_silent_server_is_left_at_the_deadline(site: Site) -> None:
    def silent(request: BaseHTTPRequestHandler) -> None:
        site.release.wait(20)

    site.pages["/"] = silent
    with pytest.raises(FetchFailed, match=r"took longer than 0\.2 s"):
        site.fetcher(total_seconds=0.2).fetch(site.url("/"))


def test_a_socket_that_ends_just_before_the_deadline_took_too_long_as_well(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(request: BaseHTTPRequestHandler) -> None:
        site.release.wait(20)

    monkeypatch.setattr("agents.tools.fetching._Deadline._end", lambda _: None)
    site.pages["/"] = silent
    with pytest.raises(FetchFailed, match=r"took longer than 0\.2 s"):
        site.fetcher(total_seconds=0.2).fetch(site.url("/"))


def test_a_server_that_hangs_up_or_speaks_nonsense_did_not_answer(site: Site) -> None:
    site.pages["/"] = lambda request: None
    with pytest.raises(FetchFailed, match="did not answer"):
        site.fetcher().fetch(site.url("/"))
    site.pages["/odd"] = drip(b"", b"nonsense\r\n\r\n")
    with pytest.raises(FetchFailed, match="did not answer"):
        site.fetcher().fetch(site.url("/odd"))


def test_a_closed_port_did_not_answer(site: Site) -> None:
    site.server.server_close()
    with pytest.raises(FetchFailed, match="did not answer"):
        site.fetcher().fetch(site.url("/"))


@pytest.fixture
def secure_site(site: Site, tmp_path: Path) -> Site:
    """Return the site as secure.example, with a certificate that only ``trusting`` trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "secure.example")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now - DAY, now + DAY)
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName("secure.example")]), critical=False)
    certificate = made.sign(key, hashes.SHA256())
    (tmp_path / "site.pem").write_bytes(
        certificate.public_bytes(Encoding.PEM)
        + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "site.pem")
    site.server.socket = context.wrap_socket(site.server.socket, server_side=True)
    return site


def trusting(site: Site, tmp_path: Path, *hosts: str) -> Fetcher:
    allowed = AllowedHosts([*(f"{host}:{site.port}" for host in hosts), "127.0.0.1"])
    trust = ssl.create_default_context(cafile=str(tmp_path / "site.pem"))
    return Fetcher(allowed, resolve=lambda host, port: [ip_address("127.0.0.1")], trust=trust)


def test_a_page_is_fetched_with_encryption_and_never_led_out_of_it(secure_site: Site, tmp_path: Path) -> None:
    site = secure_site
    site.pages |= {"/": send("secret"), "/down": lead_to(f"http://secure.example:{site.port}/")}
    fetcher = trusting(site, tmp_path, "secure.example")
    assert fetcher.fetch(f"https://secure.example:{site.port}/").text == "secret"
    with pytest.raises(Forbidden, match="without encryption"):
        fetcher.fetch(f"https://secure.example:{site.port}/down")


def test_a_certificate_must_be_trusted_and_of_the_host(secure_site: Site, tmp_path: Path) -> None:
    site = secure_site
    with pytest.raises(FetchFailed, match="is not trusted"):
        trusting(site, tmp_path, "other.example").fetch(f"https://other.example:{site.port}/")
    strange = Fetcher(
        AllowedHosts([f"secure.example:{site.port}", "127.0.0.1"]),
        resolve=lambda host, port: [ip_address("127.0.0.1")],
    )
    with pytest.raises(FetchFailed, match="is not trusted"):
        strange.fetch(f"https://secure.example:{site.port}/")


def test_without_encryption_where_it_is_due_the_certificate_is_not_trusted(site: Site) -> None:
    with pytest.raises(FetchFailed, match=r"not trusted|did not answer"):
        site.fetcher(trust=ssl.create_default_context()).fetch(site.url("/").replace("http", "https"))


def test_the_tool_gives_pieces_and_says_where_it_may_go(site: Site) -> None:
    site.pages["/long"] = send("a" * MOST_CHARACTERS + "end")
    made = http_fetch(site.fetcher(), "127.0.0.1")
    first: Any = made(site.url("/long"))
    assert (len(first["text"]), first["next"]) == (MOST_CHARACTERS, MOST_CHARACTERS)
    rest: Any = made(site.url("/long"), start=MOST_CHARACTERS)
    assert (rest["text"], rest["next"], rest["characters"]) == ("end", None, MOST_CHARACTERS + 3)
    assert "Only these hosts: 127.0.0.1." in made.description
    assert made.describe_call({"url": "http://a/"}) == "fetch http://a/"
    assert list(made.parameters["properties"]) == ["url", "start"]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<!doctype html><head><title>T</title></head><body><h1>A &amp; B</h1>x\ny</body>", "A & B\nx y"),
        ("a<script>evil(</p>)</script>b<style>p{}</style>c", "a\n\nb\n\nc"),
        ('see <a href="https://x.example/">this</a>.', "see this (https://x.example/)."),
        ("<a href='/here'>here</a> <a href=javascript:x>no</a> <a>none</a>", "here (/here) no none"),
        ("<ul><li>one<li>two</ul>", "one\ntwo"),
        ("1 < 2 <3 <b>bold</b>", "1 < 2 <3 bold"),
        ("a<!-- no -->b<?php no ?>c<!-- open", "abc"),
        ("a<script>never closed", "a"),
        ("a<svg/>b", "a\nb"),
        ("text <b", "text"),
    ],
)
def test_html_loses_its_markup(html: str, text: str) -> None:
    assert without_markup(html) == text


@pytest.mark.parametrize("piece", ["<", "<!--", "<a href='", "<script>", "</p>", "&#", "<a ", "<!", "<svg>"])
def test_hostile_html_costs_little(piece: str) -> None:
    began = time.monotonic()
    without_markup(piece * (300_000 // len(piece)))
    assert time.monotonic() - began < 10
