import pytest
from django.test import Client

from tests.rows import make_person

pytestmark = pytest.mark.django_db


@pytest.fixture
def ana(client: Client) -> Client:
    client.force_login(make_person("ana"))
    return client


def test_a_chosen_theme_is_kept_and_used(ana: Client) -> None:
    response = ana.post("/theme/", {"theme": "dark", "next": "/?page=1"})
    assert response["Location"] == "/?page=1"
    assert 'data-theme="dark"' in ana.get("/").content.decode()


def test_an_unknown_theme_is_not_kept(ana: Client) -> None:
    ana.post("/theme/", {"theme": "neon"})
    assert "theme" not in ana.cookies


def test_a_foreign_address_is_not_followed(ana: Client) -> None:
    assert ana.post("/theme/", {"theme": "dark", "next": "https://evil.example/"})["Location"] == "/"


def test_a_tampered_cookie_counts_as_auto(ana: Client) -> None:
    ana.cookies["theme"] = '"><script>'
    assert 'data-theme="' not in ana.get("/").content.decode()


def test_density_and_shortcuts_are_kept_too(ana: Client) -> None:
    ana.post("/theme/", {"density": "comfortable", "shortcuts": "off"})
    page = ana.get("/").content.decode()
    assert 'data-density="comfortable"' in page
    assert 'data-shortcuts="off"' in page
    ana.post("/theme/", {"density": "compact", "shortcuts": "on"})
    assert "data-density=" not in ana.get("/").content.decode()
