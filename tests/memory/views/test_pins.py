import pytest
from django.test import Client
from django.urls import reverse

from memory import pins
from memory.models import Pin
from tests.people import Cast, make_cast, signed_in
from tests.rows import make_profile

pytestmark = pytest.mark.django_db

JSON = {"accept": "application/json"}


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def url(cast: Cast) -> str:
    return reverse("pin", args=[cast.session.pk])


def test_a_member_pins_and_unpins(cast: Cast) -> None:
    client = signed_in(cast.member)
    assert client.post(url(cast), {"pin": "progress"}).status_code == 303
    assert pins.pinned_keys(cast.member.pk, cast.profile.pk) == {"progress"}
    client.post(url(cast), {"unpin": "progress"})
    assert not Pin.objects.exists()


def test_toggling_turns_the_pin_over(cast: Cast) -> None:
    client = signed_in(cast.member)
    client.post(url(cast), {"toggle": "progress"})
    assert Pin.objects.count() == 1
    client.post(url(cast), {"toggle": "progress"})
    assert Pin.objects.count() == 0


def test_pinning_twice_is_one_pin(cast: Cast) -> None:
    assert pins.pin(cast.member, cast.profile, "k")
    assert not pins.pin(cast.member, cast.profile, "k")
    assert pins.unpin(cast.member, cast.profile, "k")
    assert not pins.unpin(cast.member, cast.profile, "k")


def test_pins_belong_to_one_person_and_one_agent(cast: Cast) -> None:
    pins.pin(cast.member, cast.profile, "k")
    other = make_profile("other")
    assert pins.pinned_keys(cast.operator.pk, cast.profile.pk) == frozenset()
    assert pins.pinned_keys(cast.member.pk, other.pk) == frozenset()


def test_pins_go_with_the_agent(cast: Cast) -> None:
    other = make_profile("other")
    pins.pin(cast.member, other, "k")
    other.delete()
    assert not Pin.objects.exists()


@pytest.mark.parametrize(
    "data", [{}, {"pin": "a", "unpin": "b"}, {"pin": ""}, {"pin": "k" * 129}, {"pin": "a\nb"}]
)
def test_a_pin_that_makes_no_sense_is_refused(cast: Cast, data: dict[str, str]) -> None:
    response = signed_in(cast.member).post(url(cast), data, headers=JSON)
    assert response.status_code == 400
    assert response.json()["error"]
    assert not Pin.objects.exists()


def test_the_way_back_stays_on_this_site(cast: Cast) -> None:
    client = signed_in(cast.member)
    page = reverse("session", args=[cast.session.pk])
    assert client.post(url(cast), {"pin": "a", "next": "/?page=2"})["Location"] == "/?page=2"
    assert client.post(url(cast), {"pin": "b", "next": "//evil.example"})["Location"] == page


def test_strangers_find_nothing(cast: Cast) -> None:
    assert signed_in(cast.stranger).post(url(cast), {"pin": "a"}).status_code == 404
    assert Client().post(url(cast), {"pin": "a"})["Location"].startswith(reverse("login"))
    assert signed_in(cast.staff).post(url(cast), {"pin": "a"}).status_code == 303
