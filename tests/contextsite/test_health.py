import pytest
from django.db import DatabaseError, connection
from django.test import Client

from contextsite import health


def test_the_process_answers_without_a_login_and_without_a_database(client: Client) -> None:
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_a_migrated_database_makes_it_ready(client: Client) -> None:
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})
    assert "no-store" in response.headers["Cache-Control"]


@pytest.mark.parametrize("missing", ["database", "migrations"])
def test_it_names_what_is_missing(client: Client, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    checks = {name: (lambda name=name: name != missing) for name in ("database", "migrations")}
    monkeypatch.setattr(health, "CHECKS", checks)
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (503, {"status": "unavailable", "missing": missing})


@pytest.mark.django_db
def test_a_database_that_does_not_answer_is_missing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise DatabaseError("gone")

    monkeypatch.setattr(connection, "cursor", broken)
    assert client.get("/readyz").json()["missing"] == "database"


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_only_reading_is_allowed(client: Client, path: str) -> None:
    assert client.post(path).status_code == 405
