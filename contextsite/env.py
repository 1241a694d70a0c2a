"""Typed readers for settings from the environment; a bad value stops start-up and names the variable."""

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

from agents.tools.allowed_hosts import AllowedHosts

TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
FALSE_WORDS = frozenset({"0", "false", "no", "off"})


def text(name: str, default: str = "", *, environ: Mapping[str, str] = os.environ) -> str:
    """Return the variable without surrounding blanks; ``default`` when it is unset or blank."""
    return environ.get(name, "").strip() or default


def boolean(name: str, default: bool, *, environ: Mapping[str, str] = os.environ) -> bool:
    """Return the variable as a truth value; accepts 1/0, true/false, yes/no, on/off in any case."""
    word = text(name, environ=environ).lower()
    if not word:
        return default
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise ImproperlyConfigured(f"{name} must be true or false, not {word!r}.")


def integer(
    name: str, default: int, *, minimum: int, maximum: int, environ: Mapping[str, str] = os.environ
) -> int:
    """Return the variable as a whole number from ``minimum`` to ``maximum``, both included."""
    word = text(name, environ=environ)
    if not word:
        return default
    try:
        number = int(word)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {word!r}.") from None
    if not minimum <= number <= maximum:
        raise ImproperlyConfigured(f"{name} must lie between {minimum} and {maximum}, not {number}.")
    return number


def words(name: str, default: tuple[str, ...] = (), *, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return a comma-separated list; blanks around and empty parts are dropped."""
    parts = [part.strip() for part in text(name, environ=environ).split(",")]
    return [part for part in parts if part] or list(default)


def hosts(name: str, *, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return a comma-separated list of hosts, ``*.`` wildcards, addresses and networks."""
    found = words(name, environ=environ)
    try:
        AllowedHosts(found)
    except ValueError as fault:
        raise ImproperlyConfigured(f"{name}: {fault}") from None
    return found


def fernet_keys(name: str, *, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return a comma-separated list of keys for encryption; the error never repeats one."""
    found = words(name, environ=environ)
    for place, key in enumerate(found, start=1):
        try:
            Fernet(key)
        except ValueError:
            raise ImproperlyConfigured(
                f"Key {place} of {name} is none; `python manage.py encryption_key` makes one."
            ) from None
    return found


def folder(name: str, default: Path, *, environ: Mapping[str, str] = os.environ) -> Path:
    """Return an absolute folder path; it need not exist yet."""
    word = text(name, environ=environ)
    return Path(word).expanduser().resolve() if word else default


def secret(name: str, *, debug: bool, fallback: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return a secret; outside DEBUG it has no default and start-up stops without it."""
    value = text(name, environ=environ)
    if value:
        return value
    if debug:
        return fallback
    raise ImproperlyConfigured(f"{name} must be set when DEBUG is off.")


def url(
    name: str, schemes: tuple[str, ...], default: str = "", *, environ: Mapping[str, str] = os.environ
) -> str:
    """Return a URL of one of ``schemes``; the error never repeats it, since it may hold a password."""
    value = text(name, default, environ=environ)
    if value and urlsplit(value).scheme not in schemes:
        raise ImproperlyConfigured(f"{name} must start with one of: {', '.join(s + '://' for s in schemes)}.")
    return value


def database(name: str, default: Path, *, environ: Mapping[str, str] = os.environ) -> dict[str, object]:
    """Return Django's settings for ``postgresql://…`` or ``sqlite:///path``; unset: SQLite at ``default``."""
    value = url(name, ("postgresql", "postgres", "sqlite"), environ=environ)
    if not value:
        return _sqlite(default)
    try:
        parts = urlsplit(value)
        if parts.scheme == "sqlite":
            return _sqlite(Path(unquote(parts.path)[1:]) if parts.path.strip("/") else default)
        return _postgresql(name, parts)
    except ValueError:
        raise ImproperlyConfigured(f"{name} is not a valid database URL.") from None


def _sqlite(path: Path) -> dict[str, object]:
    # WAL with IMMEDIATE transactions: readers never block, and a transaction that reads before it writes
    # cannot fail with SQLITE_BUSY_SNAPSHOT. Reads therefore stay outside atomic().
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(path),
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
        },
    }


def _postgresql(name: str, parts: SplitResult) -> dict[str, object]:
    database_name = unquote(parts.path.lstrip("/"))
    if not database_name:
        raise ImproperlyConfigured(f"{name} must name a database, as in postgresql://user@host/name.")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": database_name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 0,
        # A connection of before a restart of the server is replaced, not handed out.
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"pool": {"min_size": 2, "max_size": 10, "timeout": 10}},
    }
