import pytest
from django.urls import reverse

from tests.boards import write
from tests.people import Cast, signed_in

pytestmark = pytest.mark.django_db


def test_the_wallboard_shows_cards_and_no_controls(people: Cast) -> None:
    write(people.session, "progress", "Half **done**")
    write(people.session, "hidden", "nobody sees this", shown=False)
    address = reverse("wall", args=[people.session.pk])
    assert signed_in(people.stranger).get(address).status_code == 404
    page = signed_in(people.operator).get(address).content.decode()
    assert "<strong>done</strong>" in page
    assert "nobody sees this" not in page
    assert reverse("entry-edit", args=[people.session.pk]) not in page
    assert "Leave wallboard" in page
