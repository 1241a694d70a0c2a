import pytest

from agents.context.conversation import Conversation
from tests.agents.context.cast import CountingEstimator, assistant, results, user


def conversation_of() -> tuple[Conversation, CountingEstimator]:
    estimator = CountingEstimator()
    return Conversation(estimator), estimator


def test_it_is_empty_at_first() -> None:
    conversation, _ = conversation_of()
    assert len(conversation) == 0
    assert conversation.items() == conversation.pending_items() == []
    assert conversation.pieces() == []


def test_pending_items_pile_up_until_settled() -> None:
    conversation, _ = conversation_of()
    conversation.add_pending(user("one", "u1"))
    conversation.add_pending(user("two", "u2"))
    assert conversation.pending_items() == [user("one", "u1"), user("two", "u2")]
    assert len(conversation) == 0
    conversation.settle_pending()
    assert conversation.pending_items() == []
    assert conversation.items() == [user("one", "u1"), user("two", "u2")]


def test_pieces_know_what_is_pending() -> None:
    conversation, _ = conversation_of()
    conversation.append([assistant("", ("c",))])
    conversation.add_pending(results("c"))
    assert [piece.is_pending for piece in conversation.pieces()] == [False, True]
    conversation.settle_pending()
    assert [(piece.is_pending, piece.results) for piece in conversation.pieces()] == [
        (False, ()),
        (False, ("c",)),
    ]


def test_each_item_is_counted_once_in_its_life() -> None:
    conversation, estimator = conversation_of()
    conversation.add_pending(user("hello", "u1"))
    conversation.settle_pending()
    conversation.pieces()
    assert conversation.tokens_of("u1") == 4 + 2
    assert estimator.texts == ["hello"]


def test_a_stored_count_is_taken_as_it_is() -> None:
    conversation, estimator = conversation_of()
    conversation.load([(user("hello", "u1"), 77)], [(user("more", "u2"), 5)])
    assert estimator.texts == []
    assert (conversation.tokens_of("u1"), conversation.tokens_of("u2")) == (77, 5)
    assert [piece.tokens for piece in conversation.pieces()] == [77, 5]


def test_an_item_loaded_without_count_is_counted() -> None:
    conversation, estimator = conversation_of()
    conversation.load([(user("hello", "u1"), None)], [])
    assert estimator.texts == ["hello"]
    assert conversation.tokens_of("u1") == 6


def test_loading_replaces_everything() -> None:
    conversation, _ = conversation_of()
    conversation.append([user("old", "u1")])
    conversation.add_pending(user("old too", "u2"))
    conversation.load([(user("new", "u3"), 1)], [])
    assert conversation.items() == [user("new", "u3")]
    assert conversation.pending_items() == []
    with pytest.raises(KeyError):
        conversation.tokens_of("u1")


def test_clearing_forgets_everything() -> None:
    conversation, _ = conversation_of()
    conversation.add_pending(user("old", "u1"))
    conversation.clear()
    assert conversation.pieces() == []
    with pytest.raises(KeyError):
        conversation.tokens_of("u1")


def test_a_pending_item_is_replaced_in_its_place_and_counted_anew() -> None:
    conversation, _ = conversation_of()
    for item in (user("one", "u1"), results("c", item_id="r", text="x" * 350), user("two", "u2")):
        conversation.add_pending(item)
    conversation.replace_pending(results("c", item_id="r", text="short"))
    assert [item["id"] for item in conversation.pending_items()] == ["u1", "r", "u2"]
    assert conversation.tokens_of("r") == 4 + 2
    assert all(piece.is_pending for piece in conversation.pieces())
