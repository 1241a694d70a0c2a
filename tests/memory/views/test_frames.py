"""The frames that draw are closed documents."""

from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse

from memory import bundles
from memory.templatetags.bundles import frames_address, math_font
from tests.people import Cast, signed_in

FILES = ("mermaid.js", "vega-lite.js", "markmap.js", "math.css")


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FILES:
        (tmp_path / name).write_text("")
    monkeypatch.setattr(finders, "find", lambda path: str(tmp_path / path))


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finders, "find", lambda path: None)


@pytest.mark.django_db
@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("kind", bundles.KINDS)
def test_a_frame_may_run_one_script_and_nothing_else(people: Cast, kind: str) -> None:
    response = signed_in(people.member).get(reverse("frame", args=[kind]))
    assert response.headers["Content-Security-Policy"] == (
        f"default-src 'none'; script-src http://testserver/static/bundles/{kind}.js; "
        "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self'; sandbox allow-scripts; report-uri http://testserver/csp-report/"
    )
    assert response.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert f'src="/static/bundles/{kind}.js"' in response.content.decode()


@pytest.mark.django_db
@pytest.mark.usefixtures("built")
def test_there_are_no_other_frames(people: Cast) -> None:
    assert signed_in(people.member).get("/cards/frame/graphviz/").status_code == 404


@pytest.mark.usefixtures("built")
def test_nobody_gets_a_frame_without_signing_in() -> None:
    assert Client().get(reverse("frame", args=["mermaid"])).status_code == 302


@pytest.mark.django_db
@pytest.mark.usefixtures("missing")
def test_without_bundles_there_are_no_frames_and_no_font(people: Cast) -> None:
    assert signed_in(people.member).get(reverse("frame", args=["mermaid"])).status_code == 404
    assert frames_address() == ""
    assert math_font() == ""
    assert 'data-frames=""' in signed_in(people.member).get("/").content.decode()


@pytest.mark.django_db
@pytest.mark.usefixtures("built")
def test_with_bundles_a_page_names_where_they_are(people: Cast) -> None:
    page = signed_in(people.member).get("/").content.decode()
    assert 'data-frames="/cards/frame/"' in page
    assert '<link rel="stylesheet" href="/static/bundles/math.css">' in page


def test_a_name_that_was_not_collected_has_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_collected(path: str) -> str:
        raise ValueError(path)

    monkeypatch.setattr(bundles, "static", not_collected)
    assert bundles.bundle_url("mermaid.js") == ""
