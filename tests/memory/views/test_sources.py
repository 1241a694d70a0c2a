"""The value of an entry as it is stored."""

import pytest
from django.urls import reverse

from memory.actors import Actor
from memory.bindings import change_board
from tests.people import Cast, make_cast, signed_in

pytestmark = pytest.mark.django_db

HOSTILE = "<script>alert(1)</script> **bold**"


@pytest.fixture
def cast() -> Cast:
    cast = make_cast()
    write(cast, "note", HOSTILE)
    write(cast, "limits", {"b": 1.0, "a": [2]})
    return cast


def write(cast: Cast, key: str, value: object) -> None:
    change_board(cast.session.pk, lambda board: board.set(key, key, value), actor=Actor.client("agent"))


def source(cast: Cast, person: str = "member", **asked: str) -> str:
    url = reverse("entry-source", args=[cast.session.pk])
    response = signed_in(getattr(cast, person)).get(url, asked)
    return response.content.decode() if response.status_code == 200 else str(response.status_code)


def test_a_text_is_shown_as_it_was_written(cast: Cast) -> None:
    page = source(cast, key="note")
    assert "&lt;script&gt;alert(1)&lt;/script&gt; **bold**</pre>" in page


def test_the_json_of_a_text_has_its_quotes(cast: Cast) -> None:
    assert "&quot;&lt;script&gt;" in source(cast, **{"key": "note", "as": "json"})


def test_other_values_are_indented_json(cast: Cast) -> None:
    for asked in ({"key": "limits"}, {"key": "limits", "as": "json"}):
        assert "{\n  &quot;b&quot;: 1.0,\n  &quot;a&quot;: [" in source(cast, **asked)


def test_an_unknown_key_is_not_found(cast: Cast) -> None:
    assert source(cast, key="gone") == "404"


def test_a_stranger_finds_nothing(cast: Cast) -> None:
    assert source(cast, "stranger", key="note") == "404"
