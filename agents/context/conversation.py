"""The messages of one agent session: the history, and the pending input, which grows until answered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from itertools import chain, count
from typing import TYPE_CHECKING, cast

from agents.context.counting import count_item
from agents.context.pairing import PairWatch, Piece, open_calls, piece_of

if TYPE_CHECKING:
    from agents.context.messages import InputItem
    from agents.context.tokens import TokenEstimator

Counted = tuple["InputItem", int | None]
"""An item with its token count where that is known already."""


class Conversation:
    """Items with their token counts; each is counted once, when it comes in.

    The items given out are the ones held here and read-only by contract.
    """

    def __init__(self, estimator: TokenEstimator) -> None:
        self._estimator = estimator
        self._history: list[Piece] = []
        self._pending: list[Piece] = []
        self._tokens: dict[str, int] = {}
        # Kept beside the history, so that a prompt costs nothing for what was said long ago.
        self._items: list[InputItem] = []
        self._history_tokens = 0
        self._watch = PairWatch()

    def __len__(self) -> int:
        return len(self._history)

    @property
    def history_tokens(self) -> int:
        """Tokens of the history."""
        return self._history_tokens

    @property
    def pending_tokens(self) -> int:
        """Tokens of the pending input."""
        return sum(piece.tokens or 0 for piece in self._pending)

    def is_sound(self) -> bool:
        """Tell whether every call is answered right after it and nothing else is answered."""
        return self._watch.is_sound_with(self._pending)

    def items(self) -> list[InputItem]:
        """Return the history, oldest first."""
        return self._items.copy()

    def pending_items(self) -> list[InputItem]:
        """Return the pending input in the order it came."""
        return [piece.item for piece in self._pending]

    def all_items(self) -> list[InputItem]:
        """Return history and pending input, oldest first."""
        return self._items + self.pending_items()

    def pieces(self) -> list[Piece]:
        """Return history and pending input, ready for the prompt."""
        return self._history + self._pending

    def history(self) -> list[Piece]:
        """Return the history, ready for the prompt."""
        return self._history.copy()

    def pending(self) -> list[Piece]:
        """Return the pending input, ready for the prompt."""
        return self._pending.copy()

    def tokens_of(self, item_id: str) -> int:
        """Return the tokens of an item held here.

        Raises:
            KeyError: when there is no such item.
        """
        return self._tokens[item_id]

    def stray_results(self, item: InputItem) -> list[str]:
        """Return the calls that the item would answer although they are not open: unknown, or answered."""
        left = open_calls(chain(reversed(self._pending), reversed(self._history)))
        stray: list[str] = []
        for each in piece_of(item).results:
            if each in left:
                left.remove(each)
            else:
                stray.append(each)
        return stray

    def add_pending(self, item: InputItem) -> None:
        """Append an item to the pending input; one whose id is held already gets an id of its own."""
        [own] = _with_own_ids([item], self._tokens)
        self._pending.append(self._take(own, is_pending=True))

    def replace_pending(self, item: InputItem) -> None:
        """Put another form of an item in the place of the pending one with the same id."""
        self._pending = [
            piece
            if piece.item["id"] != item["id"] or piece.item is item
            else self._take(item, is_pending=True)
            for piece in self._pending
        ]

    def rewrite_history(self, items: Mapping[int, InputItem]) -> None:
        """Put other forms of items in their places in the history."""
        pieces = {place: self._piece(item, None) for place, item in items.items()}
        self.adopt(self.rewritten(pieces))

    def append(self, items: Iterable[InputItem]) -> None:
        """Append items to the history; the pending input stays, and ids held already become others."""
        self._extend([self._take(item) for item in _with_own_ids(list(items), self._tokens)])

    def settle_pending(self) -> None:
        """Move the pending input to the end of the history."""
        self._extend([piece._replace(is_pending=False) for piece in self._pending])
        self._pending = []

    def load(self, history: Iterable[Counted], pending: Iterable[Counted]) -> None:
        """Replace everything; an item that comes with its count is not counted again."""
        self.adopt(self.loaded(history, pending))

    def loaded(self, history: Iterable[Counted], pending: Iterable[Counted]) -> Conversation:
        """Return a conversation of its own that holds these items, where an id comes once."""
        given = list(history)
        end = len(given)
        given += pending
        items = _with_own_ids([item for item, _ in given], ())
        pieces = [
            self._piece(item, tokens, is_pending=place >= end)
            for place, (item, (_, tokens)) in enumerate(zip(items, given, strict=True))
        ]
        twin = Conversation(self._estimator)
        twin._tokens = {piece.item["id"]: piece.tokens or 0 for piece in pieces}
        twin._extend(pieces[:end])
        twin._pending = pieces[end:]
        return twin

    def rewritten(self, changes: Mapping[int, Piece | None]) -> Conversation:
        """Return a conversation of its own in which items of the history are replaced or, by None, left out.

        Args:
            changes: position in the history to the new form.
        """
        twin = Conversation(self._estimator)
        changed = (changes.get(place, piece) for place, piece in enumerate(self._history))
        twin._pending = self._pending.copy()
        twin._extend([piece for piece in changed if piece is not None])
        twin._tokens = {piece.item["id"]: piece.tokens or 0 for piece in twin.pieces()}
        return twin

    def copy(self) -> Conversation:
        """Return a conversation of its own that holds the same items."""
        twin = Conversation(self._estimator)
        twin._history, twin._items, twin._pending = self.history(), self.items(), self.pending()
        twin._tokens, twin._history_tokens = self._tokens.copy(), self._history_tokens
        twin._watch = self._watch.copy()
        return twin

    def adopt(self, other: Conversation) -> None:
        """Hold exactly what another conversation holds; nothing is counted again."""
        vars(self).update(vars(other))

    def clear(self) -> None:
        """Drop history and pending input."""
        self.load((), ())

    def _extend(self, pieces: list[Piece]) -> None:
        self._history += pieces
        self._items += [piece.item for piece in pieces]
        self._history_tokens += sum(piece.tokens or 0 for piece in pieces)
        self._watch.feed(pieces)

    def _take(self, item: InputItem, *, is_pending: bool = False) -> Piece:
        piece = self._piece(item, None, is_pending=is_pending)
        self._tokens[item["id"]] = piece.tokens or 0
        return piece

    def _piece(self, item: InputItem, tokens: int | None, *, is_pending: bool = False) -> Piece:
        counted = count_item(item, self._estimator) if tokens is None else tokens
        return piece_of(item, counted, is_pending=is_pending)


def _with_own_ids(items: list[InputItem], held: Collection[str]) -> list[InputItem]:
    """Return the items, those under a number whose id is held or came before: all is found by its id."""
    ids = {item["id"] for item in items}
    if len(ids) == len(items) and not any(each in held for each in ids):
        return items
    taken: set[str] = set()
    numbers: defaultdict[str, count[int]] = defaultdict(lambda: count(2))
    own: list[InputItem] = []
    for item in items:
        name = item["id"]
        while name in taken or name in held:
            name = f"{item['id']}-{next(numbers[item['id']])}"
        taken.add(name)
        own.append(item if name == item["id"] else cast("InputItem", {**item, "id": name}))
    return own
