import pytest
from pytest_django import DjangoAssertNumQueries

from agents.models import AgentSession
from memory import layouts, pins
from memory.board import board_page, load_values, read_board, whiteboard_row
from memory.models import CardLayout, Entry
from tests.boards import remove, write
from tests.people import Cast

pytestmark = pytest.mark.django_db


def test_the_page_shows_what_the_agent_shows_and_names_the_rest(session: AgentSession, people: Cast) -> None:
    write(session, "plan", "**bold**")
    write(session, "scratch", "a secret", shown=False)
    page = board_page(session, people.member)
    assert [card.key for card in page.cards] == ["plan"]
    assert "<strong>bold</strong>" in str(page.cards[0].body)
    assert [hidden.key for hidden in page.tray] == ["scratch"]
    assert "a secret" not in repr(page)
    assert page.cursor == 2


def test_pins_belong_to_one_person_and_one_agent(session: AgentSession, people: Cast) -> None:
    write(session, "scratch", shown=False)
    pins.pin(people.member, session.profile, "scratch")
    mine, theirs = board_page(session, people.member), board_page(session, people.operator)
    assert [card.key for card in mine.cards] == ["scratch"]
    assert mine.cards[0].pinned
    assert theirs.cards == []
    assert mine.view != theirs.view


def test_the_view_tells_whether_the_person_may_act(session: AgentSession, people: Cast) -> None:
    assert board_page(session, people.operator).view == board_page(session, people.staff).view
    assert board_page(session, people.operator).view != board_page(session, people.member).view


def test_the_persons_layout_is_kept(session: AgentSession, people: Cast) -> None:
    for key in ("a", "b"):
        write(session, key)
    layout = CardLayout.objects.create(
        user=people.member, profile=session.profile, key="a", position=0, collapsed=True
    )
    page = board_page(session, people.member)
    assert [(card.key, card.size) for card in page.cards] == [("a", "c"), ("b", "xs")]
    assert [card.key for card in board_page(session, people.operator).cards] == ["b", "a"]
    assert str(layout)


def test_an_empty_board_has_its_limits(session: AgentSession, people: Cast) -> None:
    page = board_page(session, people.member)
    assert (page.summary.entries, page.summary.tokens) == (0, 0)
    assert (page.summary.max_entries, page.summary.max_tokens) == (20, 40_000)
    assert (page.cards, page.tray, page.dock, page.cursor) == ([], [], None, 0)


def test_settings_without_a_whiteboard_are_no_limits(session: AgentSession, people: Cast) -> None:
    session.settings = {"whiteboard": None}
    session.save()
    assert board_page(session, people.member).summary.max_entries == 0


def test_the_summary_counts_what_nobody_sees_too(session: AgentSession, people: Cast) -> None:
    write(session, "plan", "some words")
    write(session, "scratch", "some words", shown=False)
    summary = board_page(session, people.member).summary
    tokens = sum(Entry.objects.values_list("tokens", flat=True))
    assert (summary.entries, summary.tokens) == (2, tokens)


def test_the_dock_names_the_last_eviction(session: AgentSession, people: Cast) -> None:
    session.settings["whiteboard"]["maxEntries"] = 1
    session.save()
    for key in ("first", "second", "third"):
        write(session, key, priority="low")
    remove(session, "third")
    dock = board_page(session, people.member).dock
    assert dock is not None
    assert (dock.key, dock.priority, dock.age) == ("second", "low", "now")


def test_a_pinned_card_whose_entry_is_no_more_stays_where_it_was_and_says_why(
    session: AgentSession, people: Cast
) -> None:
    session.settings["whiteboard"]["maxEntries"] = 3
    session.save()
    for key in ("deleted", "evicted", "other"):
        write(session, key, f"**{key}** once", priority="low" if key == "evicted" else "high")
        pins.pin(people.member, session.profile, key)
    pins.pin(people.member, session.profile, "never there")
    layouts.arrange(people.member, session.profile, ["deleted", "other", "evicted"])
    remove(session, "deleted")
    for key in ("new", "newer"):
        write(session, key, priority="high")
    page = board_page(session, people.member)
    seen = [(card.key, card.gone) for card in page.cards]
    assert seen[:3] == [("deleted", "deleted"), ("other", ""), ("evicted", "evicted")]
    assert {key for key, gone in seen[3:] if not gone} == {"new", "newer"}
    assert "<strong>evicted</strong> once" in str(page.cards[2].body)
    assert (page.cards[2].pinned, page.cards[2].priority) == (True, "low")
    assert page.dock is not None
    assert page.dock.key == "evicted"
    assert page.summary.entries == 3
    others = board_page(session, people.operator)
    assert others.dock == page.dock
    for without in (others, board_page(session, people.member, keeps_gone=False)):
        assert [card.key for card in without.cards if card.gone] == []


def test_a_card_is_gone_no_longer_once_its_key_is_back(session: AgentSession, people: Cast) -> None:
    write(session, "plan", "first")
    pins.pin(people.member, session.profile, "plan")
    remove(session, "plan")
    write(session, "plan", "second")
    (card,) = board_page(session, people.member).cards
    assert (card.gone, "second" in str(card.body)) == ("", True)


def test_a_read_takes_the_same_number_of_statements_however_full_the_board_is(
    session: AgentSession, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(15):
        write(session, f"key {number}")
    with django_assert_num_queries(4):
        board = read_board(session, whiteboard_row(session.pk), since=3)
        load_values(board.entries)
        assert [entry.value for entry in board.entries] == ['"x"'] * 15


def test_an_entry_that_is_gone_when_its_value_is_read_becomes_null(session: AgentSession) -> None:
    write(session, "plan")
    board = read_board(session, whiteboard_row(session.pk))
    remove(session, "plan")
    load_values(board.entries)
    assert board.entries[0].value == "null"
