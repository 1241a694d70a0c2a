"""The whiteboard: small values that the model reads in full in every prompt (spec 1)."""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from agents.context.background import Answer, call_bounded
from agents.context.ids import Clock, wall_clock
from agents.context.json_values import JSON
from agents.context.kinds import ESTIMATOR, FLAG, FUNCTION, WHOLE, fault_of_kinds, having, maybe, whole
from agents.context.plugin import BasePlugin
from agents.context.stores import StoreResult, StoreSchema
from agents.context.tokens import TokenEstimator
from memory.debounce import Debouncer, Scheduler
from memory.plugins import whiteboard_handler as handler
from memory.plugins.errors import Destroyed, InvalidEntry
from memory.plugins.whiteboard_capacity import Limits, WhiteboardFull
from memory.plugins.whiteboard_entry import SetResult, WhiteboardEntry, render
from memory.plugins.whiteboard_rules import check_priority
from memory.plugins.whiteboard_shelf import Shelf, ShelfOptions

__all__ = ["Destroyed", "InContextMemory", "InvalidEntry", "SetResult", "WhiteboardEntry", "WhiteboardFull"]

logger = logging.getLogger(__name__)

MAX_ENTRIES = 20
MAX_TOTAL_TOKENS = 40_000
DEFAULT_PRIORITY = "normal"
_KINDS = {
    "max_entries": maybe(whole(1)),
    "max_total_tokens": maybe(WHOLE),
    "show_timestamps": maybe(FLAG),
    "on_entries_changed": maybe(FUNCTION),
    "advertise_show_in_ui": maybe(FLAG),
    "estimator": maybe(ESTIMATOR),
    "clock": maybe(FUNCTION),
    "scheduler": maybe(having("a scheduler", "now_ms", "call_later")),
}

Listing: TypeAlias = list[dict[str, JSON]]
EntriesChanged: TypeAlias = Callable[[Listing], Answer[None]]


class InContextMemory(BasePlugin):
    """The plugin ``in_context_memory``: keyed values under limits, with eviction by priority and age.

    Every operation happens completely or not at all. Values go in and come out as copies. An option given
    as None takes its default. Usable from several threads.

    Attributes:
        max_entries: at least 1.
        max_total_tokens: limit on what all entries cost in the prompt; 0 or less for none.
        default_priority: of entries that are created without one.
        show_timestamps: whether the model sees when an entry last changed.
        advertise_show_in_ui: whether the model is told of the flag; it is always accepted.
        on_entries_changed: called with all full entries in wire form, 100 ms after the last change but at
            most 500 ms after the first one, on a thread of its own; ``flush`` delivers at once.

    Raises:
        InvalidEntry: for an option that is not what it may be.
    """

    name = "in_context_memory"
    # Asked last, after notes (2) and plugins of hosts (10): what is here is needed on every turn.
    compaction_priority = 1

    def __init__(
        self,
        *,
        max_entries: int | None = None,
        max_total_tokens: int | None = None,
        default_priority: str | None = None,
        show_timestamps: bool | None = None,
        on_entries_changed: EntriesChanged | None = None,
        advertise_show_in_ui: bool | None = None,
        estimator: TokenEstimator | None = None,
        clock: Clock | None = None,
        scheduler: Scheduler | None = None,
    ) -> None:
        if fault := fault_of_kinds(locals(), _KINDS):
            raise InvalidEntry(fault)
        self.max_entries = MAX_ENTRIES if max_entries is None else max_entries
        self.max_total_tokens = MAX_TOTAL_TOKENS if max_total_tokens is None else max_total_tokens
        self.default_priority = check_priority(
            DEFAULT_PRIORITY if default_priority is None else default_priority
        )
        self.show_timestamps = bool(show_timestamps)
        self.advertise_show_in_ui = bool(advertise_show_in_ui)
        self.on_entries_changed = on_entries_changed
        if estimator is not None:
            self.estimator = estimator
        self._clock = clock or wall_clock
        limits = Limits(self.max_entries, self.max_total_tokens)
        self._shelf = Shelf(ShelfOptions(limits, self.default_priority, self.show_timestamps), self._clock)
        self._lock = threading.RLock()
        self._notices = Debouncer(self._deliver, scheduler=scheduler)
        self._revision = 0
        self._last_evicted: tuple[str, ...] = ()
        self._rendered: str | None = None
        self._is_destroyed = False

    # What hosts and models do with entries

    def set(
        self,
        key: str,
        description: str,
        value: object,
        priority: str | None = None,
        show_in_ui: bool | None = None,
    ) -> SetResult:
        """Create or overwrite an entry and return what that did.

        Without a priority or flag an update keeps the stored one. A write that repeats what is stored only
        counts as use. The entry written is never evicted by its own write, critical ones never at all.

        Raises:
            InvalidEntry: a field breaks a rule (spec 1.8); the text names the remedy.
            WhiteboardFull: it does not fit even after every allowed eviction; nothing was evicted.
            Destroyed: the board is gone.
        """
        draft = {
            "key": key,
            "description": description,
            "value": value,
            "priority": priority,
            "showInUI": show_in_ui,
        }
        with self._lock:
            shelf = self._living()
            outcome = shelf.set(draft, self.estimator)
            if outcome.changed:
                self._changed(outcome.evicted)
            return outcome

    def get(self, key: str) -> JSON:
        """Return a copy of a value, None when the key is missing (or its value is null; see ``has``)."""
        found = self.entry(key)
        return None if found is None else found.value

    def has(self, key: str) -> bool:
        """Return whether the key exists."""
        return self.entry(key) is not None

    def delete(self, key: str) -> bool:
        """Remove an entry and return whether it was there."""
        with self._lock:
            was_there = self._living().drop(key)
            if was_there:
                self._changed()
            return was_there

    def list(self) -> Listing:
        """Return key, description, priority, showInUI and updatedAt of every entry in order of insertion."""
        return [entry.metadata() for entry in self.entries()]

    def clear(self) -> None:
        """Remove every entry; notifies also when there was none."""
        with self._lock:
            shelf = self._living()
            if shelf.entries:
                shelf.clear()
                self._changed()
            elif self.on_entries_changed:
                self._notices.notify()

    # What rows and inspection need

    @property
    def revision(self) -> int:
        """How many changes there were; deliveries of the same revision are equal."""
        return self._revision

    @property
    def last_evicted(self) -> tuple[str, ...]:
        """Keys that the last change dropped by itself to keep the limits or to compact."""
        return self._last_evicted

    @property
    def total_tokens(self) -> int:
        """What all entries cost in the prompt, by the count that the limit uses."""
        return self._shelf.total_tokens

    @property
    def is_over_limit(self) -> bool:
        """Whether critical entries exceed the limits; a restored board can, a written one never does."""
        return self._shelf.is_over_limit

    def entry(self, key: str) -> WhiteboardEntry | None:
        """Return the entry of a key."""
        with self._lock:
            return self._living().find(key)

    def entries(self) -> tuple[WhiteboardEntry, ...]:
        """Return all entries in order of insertion."""
        with self._lock:
            return self._living().entries

    def adopt(self, entries: Iterable[WhiteboardEntry]) -> None:
        """Hold exactly these entries as they are: no validation, eviction, counting or notification."""
        with self._lock:
            self._living().adopt(entries)
            self.invalidate_token_cache()

    def copy(self) -> "InContextMemory":
        """Return a board with the same options and entries and no callback; changes to it reach nobody."""
        with self._lock:
            twin = InContextMemory(
                max_entries=self.max_entries,
                max_total_tokens=self.max_total_tokens,
                default_priority=self.default_priority,
                show_timestamps=self.show_timestamps,
                advertise_show_in_ui=self.advertise_show_in_ui,
                estimator=self.estimator,
                clock=self._clock,
            )
            twin.adopt(self._living().entries)
            twin._revision = self._revision
            return twin

    # What a context asks of its plugins

    def get_instructions(self) -> str:
        """Return how the model uses the board."""
        return handler.instructions(advertise_show_in_ui=self.advertise_show_in_ui)

    def get_content(self) -> str | None:
        """Return the blocks of all entries (spec 1.6), None for an empty board."""
        with self._lock:
            if self._rendered is None and self._shelf.entries:
                self._rendered = render(self._shelf.entries, show_timestamps=self.show_timestamps)
            return self._rendered

    def get_token_size(self) -> int:
        """Return the tokens of the content as last rendered, counted when asked; 0 after a change."""
        with self._lock:
            if self._rendered and not super().get_token_size():
                self.update_token_cache(self.estimator.estimate_tokens(self._rendered))
            return super().get_token_size()

    def get_contents(self) -> dict[str, dict[str, JSON]]:
        """Return a copy of every entry in wire form by key."""
        with self._lock:
            return {entry.key: entry.wire() for entry in self._shelf.entries}

    def is_compactable(self) -> bool:
        """Return True; ``compact`` says what it really freed."""
        return True

    def compact(self, tokens_to_free: int) -> int:
        """Return the tokens freed by dropping entries, lowest priority and longest unwritten first.

        Stops as soon as ``tokens_to_free`` is reached and never drops critical entries, so the result may
        be smaller than asked.
        """
        with self._lock:
            victims = self._living().compact(tokens_to_free)
            if victims:
                self._changed([victim.key for victim in victims])
            return sum(victim.tokens for victim in victims)

    def get_state(self) -> dict[str, JSON]:
        """Return ``{"entries": [full entries in wire form]}``."""
        return {"entries": list[JSON](self._wire())}

    def restore_state(self, state: object) -> None:
        """Replace every entry by a saved state; one that is empty or has no entries is ignored.

        Entries are validated; too long a description is cut. Over the limits, entries are evicted in order
        (see ``last_evicted``); critical ones stay (see ``is_over_limit``).

        Raises:
            InvalidEntry: something saved cannot be an entry; the board is as it was.
        """
        if state and not isinstance(state, Mapping):
            raise InvalidEntry("A saved whiteboard is an object with a list of entries")
        saved = state.get("entries") if isinstance(state, Mapping) else None
        if saved is None:
            return
        with self._lock:
            shelf = self._living()
            before = _without_recency(shelf.entries)
            evicted = shelf.restore(saved, self.estimator)
            if _without_recency(shelf.entries) != before:
                self._changed(evicted)

    def adopt_estimator(self, estimator: TokenEstimator) -> None:
        """Take the context's estimator, unless this board was given its own, and count its entries again."""
        with self._lock:
            before = self.estimator
            super().adopt_estimator(estimator)
            if self.estimator is not before:
                self._shelf.recount(self.estimator)
                self.invalidate_token_cache()

    def invalidate_token_cache(self) -> None:
        """Forget the rendering and its size."""
        self._rendered = None
        super().invalidate_token_cache()

    def flush(self) -> None:
        """Deliver undelivered changes to ``on_entries_changed`` before returning."""
        self._notices.flush()

    def destroy(self) -> None:
        """Deliver what is undelivered and drop everything; calling it again does nothing."""
        with self._lock:
            if self._is_destroyed:
                return
            self._is_destroyed = True
        # Outside the lock: the callback may wait for another thread that uses this board.
        self._notices.close()
        with self._lock:
            self._shelf.clear()
            self.invalidate_token_cache()

    # What the store tools call

    def get_store_schema(self) -> StoreSchema:
        """Return how the board presents itself to the model."""
        return handler.schema(advertise_show_in_ui=self.advertise_show_in_ui)

    def store_get(self, key: str | None = None) -> StoreResult:
        """Return ``{found, key, entry}``, or ``{found, entries}`` with as many values as fit 4,000 tokens."""
        with self._lock:
            return handler.answer_get(self, key)

    def store_set(self, key: str, data: dict[str, JSON]) -> StoreResult:
        """Return ``{success, key, showInUI, message, evicted?}``, or ``{success, key, error, reason?}``."""
        with self._lock:
            return handler.answer_set(self, key, data)

    def store_delete(self, key: str) -> StoreResult:
        """Return ``{deleted, key}``."""
        with self._lock:
            return handler.answer_delete(self, key)

    def store_list(self, filter: dict[str, JSON] | None = None) -> StoreResult:
        """Return ``{entries, total}`` without values; the board is small, so there is nothing to filter."""
        with self._lock:
            return handler.answer_list(self)

    def store_action(self, action: str, params: dict[str, JSON] | None = None) -> StoreResult:
        """Return ``{success, action, …}``; the one action is ``clear``."""
        with self._lock:
            return handler.answer_action(self, action)

    def _living(self) -> Shelf:
        if self._is_destroyed:
            raise Destroyed("This whiteboard was destroyed; create a new one")
        return self._shelf

    def _changed(self, evicted: Sequence[str] = ()) -> None:
        self._revision += 1
        self._last_evicted = tuple(evicted)
        self.invalidate_token_cache()
        if evicted:
            logger.info("The whiteboard evicted %s", ", ".join(map(repr, evicted)))
        if self.on_entries_changed:
            self._notices.notify()

    def _deliver(self) -> None:
        if self.on_entries_changed:
            call_bounded(partial(self.on_entries_changed, self._wire()))

    def _wire(self) -> Listing:
        with self._lock:
            return [entry.wire() for entry in self._shelf.entries]


def _without_recency(entries: Iterable[WhiteboardEntry]) -> list[WhiteboardEntry]:
    return [replace(entry, recency=0) for entry in entries]
