"""A web server with a few rendered pages and the real static files, under the strict content policy."""

import mimetypes
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from django.contrib.staticfiles import finders

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@dataclass(frozen=True)
class Post:
    """What a page sent."""

    path: str
    body: str
    accept: str


@dataclass
class StillSite:
    """Pages that do not change, and a memory of what was posted.

    Attributes:
        pages: path to HTML.
        status: status of the answer to a post.
        answer: JSON of the answer to a post.
        page_status: status of the answer to a page.
    """

    pages: dict[str, str] = field(default_factory=dict)
    posts: list[Post] = field(default_factory=list)
    status: int = 200
    answer: str = '{"ok": true}'
    page_status: int = 200
    address: str = ""

    def reset(self) -> None:
        """Forget what was posted and answer well again."""
        self.pages.clear()
        self.posts.clear()
        self.status, self.answer, self.page_status = 200, '{"ok": true}', 200

    def start(self) -> Callable[[], None]:
        """Serve on a free port until the returned function is called."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        server.daemon_threads = True
        self.address = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()

        def stop() -> None:
            server.shutdown()
            server.server_close()
            thread.join()

        return stop


@cache
def _static(path: str) -> tuple[int, str, bytes]:
    """Return status, type and content of a static file."""
    found = finders.find(path.removeprefix("/static/")) if path.startswith("/static/") else None
    if not isinstance(found, str):
        return 404, "text/plain", b""
    return 200, mimetypes.guess_type(found)[0] or "application/octet-stream", Path(found).read_bytes()


def _handler(site: StillSite) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 10

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if path in site.pages:
                self._send(site.page_status, "text/html; charset=utf-8", site.pages[path].encode())
                return
            self._send(*_static(path))

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            site.posts.append(Post(self.path, body, self.headers.get("Accept", "")))
            self._send(site.status, "application/json", site.answer.encode())

        def log_message(self, format: str, *args: object) -> None:
            """Keep quiet."""

        def _send(self, status: int, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Security-Policy", POLICY)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store" if kind.startswith("text/html") else "max-age=3600")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

    return Handler
