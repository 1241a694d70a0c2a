"""Which addresses a card may link to: absolute ones that a reader can judge by their host."""

import re
from urllib.parse import unquote, urlsplit

SCHEMES = frozenset({"http", "https", "mailto"})
LINK_REL = "noopener noreferrer nofollow ugc"
LINK_TARGET = "_blank"

# Spaces, controls, zero-width and bidirectional characters, and the backslash that browsers read as a slash.
_DECEPTIVE = re.compile("[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\\\\]")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)


def is_safe_url(url: str) -> bool:
    """Whether a link may lead there: http or https with a host and no user-info, or mailto.

    Relative addresses are refused: a model could aim one at an action of this site.
    """
    scheme = _SCHEME.match(url)
    if scheme is None or scheme.group(1).lower() not in SCHEMES or _DECEPTIVE.search(url):
        return False
    return scheme.group(1).lower() == "mailto" or bool(web_host(url))


def web_host(url: str) -> str:
    """Return the host of an address, or an empty text when it has none or hides it behind user-info."""
    try:
        parts = urlsplit(url)
    except ValueError:  # a broken IPv6 address
        return ""
    return "" if "@" in parts.netloc else parts.hostname or ""


def workspace_path(url: str) -> str:
    """Return the path of a file of the session's workspace that a relative address names, or an empty text.

    Whether the path leads out of the workspace is for its reader to judge.
    """
    if _SCHEME.match(url) or url.startswith(("/", "#", "?", "\\")):
        return ""
    return unquote(url).removeprefix("./")
