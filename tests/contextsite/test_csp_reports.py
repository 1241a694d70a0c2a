"""Reports of the content policy are counted and logged, and cannot be used against us."""

import json
import logging

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from contextsite.csp_reports import MOST_BYTES, MOST_LOGGED_A_MINUTE, counts
from tests.people import Cast, signed_in

URL = "/csp-report/"


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    cache.clear()


def report(**fields: object) -> str:
    known = {
        "effective-directive": "img-src",
        "blocked-uri": "https://evil.example/pixel?secret=1",
        "source-file": "https://here.example/sessions/1/?key=secret",
    }
    return json.dumps({"csp-report": known | fields})


def post(body: str, kind: str = "application/csp-report") -> int:
    return Client().post(URL, body, content_type=kind).status_code


def test_a_report_is_counted_and_logged_without_paths(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "contextsite.csp_reports"):
        assert post(report()) == 204
        assert post(report()) == 204
    assert counts(timezone.now().date()) == {"img-src": 2}
    assert caplog.messages[1] == (
        "content policy: img-src stopped https://evil.example in https://here.example (report 2 of the day)"
    )


def test_the_reporting_api_is_understood() -> None:
    body = json.dumps([{"type": "csp-violation", "body": {"effectiveDirective": "script-src-elem"}}])
    assert post(body, "application/reports+json") == 204
    assert counts(timezone.now().date()) == {"script-src-elem": 1}


def test_names_and_addresses_of_a_report_are_hostile(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "contextsite.csp_reports"):
        post(
            report(**{"effective-directive": "x\n" * 99, "blocked-uri": "a\n\x1b[31m" * 99, "source-file": 1})
        )
    assert counts(timezone.now().date()) == {"other": 1}
    assert len(caplog.messages[0]) < 200
    assert "\n" not in caplog.messages[0]
    assert "\x1b" not in caplog.messages[0]


@pytest.mark.parametrize(
    "body", ["x", "[]", "{}", "1", '{"csp-report": 1}', "[" * 9_000, '[["csp-report"]]', "\x00"]
)
def test_what_is_no_report_is_refused(body: str) -> None:
    assert post(body) == 400


def test_a_large_report_is_refused() -> None:
    assert post(report(**{"blocked-uri": "x" * MOST_BYTES})) == 413
    assert counts(timezone.now().date()) == {}


def test_a_flood_is_counted_but_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "contextsite.csp_reports"):
        for _ in range(MOST_LOGGED_A_MINUTE + 20):
            post(report())
    # A minute may end meanwhile.
    assert len(caplog.messages) <= 2 * MOST_LOGGED_A_MINUTE
    assert counts(timezone.now().date()) == {"img-src": MOST_LOGGED_A_MINUTE + 20}


@pytest.mark.django_db
def test_staff_see_the_counts_and_nobody_else(people: Cast) -> None:
    post(report())
    assert signed_in(people.staff).get(URL).json() == {"img-src": 1}
    assert signed_in(people.operator).get(URL).status_code == 404
    assert Client().get(URL).status_code == 404


@pytest.mark.django_db
def test_every_page_names_the_place_for_reports() -> None:
    policy = Client().get("/accounts/login/").headers["Content-Security-Policy"]
    assert "report-uri /csp-report/" in policy
    assert "frame-src 'self'" in policy
