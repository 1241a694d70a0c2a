"""Pictures are served from our origin, as images and nothing else."""

import base64
import io
import json
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from PIL import Image

from memory import pictures
from memory.fetching import FetchRefused
from memory.models import Picture
from memory.rendered import value_html
from tests.people import Cast, signed_in
from tests.rows import make_session

pytestmark = pytest.mark.django_db

URL = "/cards/picture/?url=https%3A%2F%2Fimages.example%2Fa.png"


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    cache.clear()


def png() -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (5, 4)).save(made, "PNG")
    return made.getvalue()


@pytest.fixture
def address(people: Cast) -> str:
    """Where the session's first picture is served."""
    value = f"![x](data:image/png;base64,{base64.b64encode(png()).decode()})"
    html = value_html(json.dumps(value), "card-picture", people.session.pk).html
    return html.split('src="')[1].split('"')[0]


def test_a_picture_of_a_value_is_kept_and_served(people: Cast, address: str) -> None:
    response = signed_in(people.member).get(address)
    assert response.headers["Content-Type"] == "image/webp"
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    with Image.open(io.BytesIO(response.content)) as image:
        assert image.size == (5, 4)


def test_a_picture_is_for_those_who_may_see_its_session(people: Cast, address: str) -> None:
    other = make_session(people.profile)
    elsewhere = address.replace(str(people.session.pk), str(other.pk))
    assert signed_in(people.stranger).get(address).status_code == 404
    assert Client().get(address).status_code == 302
    assert signed_in(people.member).get(elsewhere).status_code == 404


@pytest.mark.parametrize("url", ["/cards/picture/", URL])
def test_what_nobody_allows_is_not_found(people: Cast, url: str) -> None:
    assert signed_in(people.operator).get(url).status_code == 404


def test_nobody_gets_fetched_pictures_without_signing_in() -> None:
    assert Client().get(URL).status_code == 302


def test_a_fetched_picture_is_encoded_anew_and_kept(people: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def fetch(address: str, hosts: object) -> bytes:
        asked.append(address)
        return png()

    monkeypatch.setattr(pictures, "fetch", fetch)
    client = signed_in(people.member)
    assert client.get(URL).headers["Content-Type"] == "image/webp"
    assert client.get(URL).status_code == 200
    assert asked == ["https://images.example/a.png"]


def test_fetched_pictures_are_dropped_once_they_are_too_old_to_be_shown() -> None:
    now = timezone.now()
    for key, age in (("old", timedelta(days=2)), ("new", timedelta(hours=1))):
        Picture.objects.create(key=key, content=b"", address=f"https://x.example/{key}", made_at=now - age)
    assert pictures.drop_old_pictures() == 1
    assert list(Picture.objects.values_list("key", flat=True)) == ["new"]


@pytest.mark.parametrize("content", [b"<svg onload=alert(1)>", None])
def test_a_failure_is_said_and_not_repeated_at_once(
    people: Cast, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    def fetch(address: str, hosts: object) -> bytes:
        if content is None:
            raise FetchRefused("no answer")
        return content

    monkeypatch.setattr(pictures, "fetch", fetch)
    client = signed_in(people.member)
    first, second = client.get(URL), client.get(URL)
    assert (first.status_code, second.status_code) == (404, 404)
    assert first.headers["Content-Type"].startswith("text/plain")
    assert "a moment ago" in second.content.decode()
