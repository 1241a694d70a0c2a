"""A PostgreSQL database and a Redis database that nobody else uses, taken and given back."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import redis
from psycopg import sql

CLAIM = "contextsite-browser-tests"
REDIS_DATABASES = range(15, 0, -1)


@contextmanager
def fresh_database(server_url: str) -> Iterator[str]:
    """Yield the URL of a new database on the server of ``server_url``; drop it at the end."""
    name = f"contextsite_browser_{uuid4().hex[:12]}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        yield urlsplit(server_url)._replace(path=f"/{name}").geturl()
    finally:
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def fresh_redis(server_url: str) -> Iterator[str]:
    """Yield the URL of an empty Redis database on the server of ``server_url``; empty it again at the end."""
    for number in REDIS_DATABASES:
        url = urlsplit(server_url)._replace(path=f"/{number}").geturl()
        client = redis.Redis.from_url(url)
        if _claim(client):
            break
        client.close()
    else:
        raise RuntimeError(f"Every Redis database of {REDIS_DATABASES} is in use.")
    try:
        yield url
    finally:
        client.flushdb()
        client.close()


def _claim(client: "redis.Redis[bytes]") -> bool:
    """Take the database unless it holds anything, or what is there was left by tests that died."""
    owner = client.get(CLAIM)
    if owner is not None and not _is_alive(int(owner)):
        client.flushdb()
    if client.dbsize():
        return False
    return bool(client.set(CLAIM, os.getpid(), nx=True))


def _is_alive(pid: int) -> bool:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, 0)
        return True
    return Path(f"/proc/{pid}").exists()
