"""The same notes and headings in many cards and messages of one page never share an id."""

from urllib.parse import urlencode

import pytest
from django.urls import reverse

from agents.models import Message, Turn
from tests.boards import write
from tests.people import Cast, signed_in
from tests.templates.markup import Element, tree

pytestmark = pytest.mark.django_db

NOTES = "# Result\n\nOnce[^1], twice[^1], and[^a].\n\n## Result\n\n[^1]: The first note.\n[^a]: The second."
# Two notes, the three references to them.
ANCHORS = 5


def shown(people: Cast, address: str, **asked: object) -> Element:
    page = signed_in(people.operator).get(f"{address}?{urlencode(asked)}").content.decode()
    return tree(page)


def anchors(page: Element) -> list[str]:
    return [each for each in page.ids() if "-fn" in each]


def expect_ids_to_be_unique_and_reached(page: Element) -> None:
    ids = page.ids()
    assert sorted(ids) == sorted(set(ids))
    leading = [
        each.attributes["href"][1:] for each in page.all("a") if "-fn" in each.attributes.get("href", "")
    ]
    assert sorted(set(leading)) == sorted(anchors(page))


@pytest.fixture
def notes_everywhere(people: Cast) -> None:
    # Keys that differ only in what an id cannot hold.
    for key in ("note", "Note", "note ", "a.b", "a-b"):
        write(people.session, key, NOTES)
    write(people.session, "record", {"text": NOTES})
    past = Turn.objects.create(session=people.session, index=1, input=NOTES, status="succeeded")
    for sequence, role in enumerate(("user", "assistant", "assistant"), start=1):
        Message.objects.create(
            session=people.session,
            turn=past,
            sequence=sequence,
            item_id=f"m{sequence}",
            role=role,
            blocks=[{"type": "input_text" if role == "user" else "output_text", "text": NOTES}],
            tokens=1,
            revision=1,
        )
    for index in (2, 3):
        Turn.objects.create(session=people.session, index=index, input=NOTES, author=people.operator)


@pytest.mark.usefixtures("notes_everywhere")
def test_cards_messages_and_what_waits_share_no_id(people: Cast) -> None:
    page = shown(people, reverse("session", args=[people.session.pk]))
    expect_ids_to_be_unique_and_reached(page)
    # Five cards of text, three messages, two that wait.
    assert len(anchors(page)) == 10 * ANCHORS


@pytest.mark.usefixtures("notes_everywhere")
def test_the_history_of_a_card_shares_no_id_with_anything(people: Cast) -> None:
    write(people.session, "note", NOTES + "\n\nMore.")
    board = set(anchors(shown(people, reverse("session", args=[people.session.pk]))))
    page = shown(people, reverse("history", args=[people.session.pk]), key="note", version=1, view="rendered")
    expect_ids_to_be_unique_and_reached(page)
    assert len(anchors(page)) == ANCHORS
    assert not board & set(anchors(page))
