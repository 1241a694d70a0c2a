"""Links lead to addresses that a reader can judge, and nowhere else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.rendering.links import is_safe_url, web_host, workspace_path


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "http://example.org:8080/a?b=c#d",
        "HTTPS://EXAMPLE.ORG/",
        "https://xn--mnchen-3ya.de/%E2%82%AC",
        "http://[::1]/",
        "mailto:a@b.example",
        "mailto:a@b.example?subject=x",
    ],
)
def test_absolute_addresses_are_safe(url: str) -> None:
    assert is_safe_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "#top",
        "/admin/",
        "admin/",
        "//example.org",
        "https:",
        "https:///path",
        "https:example.org",
        "ftp://example.org/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "https://user@example.org",
        "https://user:secret@example.org/",
        "https://example.org/a b",
        "https://example.org\\@evil.example",
        "https://example.org/\u202egpj",
        "https://exam\u200bple.org",
        "https://example.org/\u00a0",
        " https://example.org",
        "https://example.org\n",
        "http://[::1",
        "mailto:a@b.example\r\nBcc:x",
    ],
)
def test_other_addresses_are_not(url: str) -> None:
    assert not is_safe_url(url)


def test_the_host_is_what_the_browser_would_ask() -> None:
    assert web_host("https://Images.Example:8443/a.png") == "images.example"
    assert web_host("mailto:a@b.example") == ""
    assert web_host("https://good.example@evil.example/") == ""


@settings(deadline=None)
@given(st.text())
def test_any_text_gets_an_answer(url: str) -> None:
    assert is_safe_url(url) in (True, False)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("plots/a.png", "plots/a.png"),
        ("./a.png", "a.png"),
        ("my%20plot.png", "my plot.png"),
        # Where it leads is for the reader of the workspace to judge.
        ("..%2f..%2fa.png", "../../a.png"),
        ("%00", "\x00"),
        ("%ff.png", "\ufffd.png"),
        ("", ""),
        ("/etc/passwd", ""),
        ("//host/a.png", ""),
        ("\\\\host\\a.png", ""),
        ("?a", ""),
        ("#a", ""),
        ("https://host/a.png", ""),
        ("JavaScript:alert(1)", ""),
        ("file:a.png", ""),
    ],
)
def test_relative_addresses_name_files_of_the_workspace(url: str, path: str) -> None:
    assert workspace_path(url) == path
