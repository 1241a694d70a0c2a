"""Where things are kept before they leave the prompt: in the notes, in the history, or nowhere (R7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, cast

from agents.context.compaction.plan import HISTORY, NOWHERE, NoteWrite
from agents.context.compaction.pointers import full_value, pointer_text, result_size
from agents.context.isolation import contain
from agents.context.kept_notes import Known, KnowsNotes, find_place, look_up
from agents.context.offload import (
    DESCRIPTION_CHARACTERS,
    describe_call,
    note_key,
    one_line,
    result_key,
)

if TYPE_CHECKING:
    from agents.context.json_values import JSON
    from agents.context.messages import InputItem, ToolResult
    from agents.context.offload import Call
    from agents.context.stores import StoreHandler
    from agents.context.toolbox import ToolManager


@dataclass(frozen=True, slots=True)
class Kept:
    """Where something was put.

    Attributes:
        places: note keys, ``history`` or ``nowhere``.
        needs: keys of the note writes it depends on.
    """

    places: tuple[str, ...]
    needs: frozenset[str] = frozenset()

    @property
    def key(self) -> str | None:
        """The note it can be read in, if it is in one."""
        return None if self.places[0] in {HISTORY, NOWHERE} else self.places[0]


@dataclass
class Keeper:
    """Plans note writes on a copy of the notes.

    Attributes:
        notes: the copy, None when there are no notes to write to.
        live_notes: the notes themselves, only read.
        has_history: whether a journal or the host's rows keep every message.
        tools: describe calls in their own words.
        writes: what was planned since ``take_writes``, in order.
    """

    notes: StoreHandler | None
    live_notes: StoreHandler | None
    has_history: bool
    tools: ToolManager
    writes: list[NoteWrite] = field(default_factory=list)
    _by_key: dict[str, JSON] = field(default_factory=dict)

    @property
    def can_keep(self) -> bool:
        """Whether anything can be kept anywhere."""
        return self.notes is not None or self.has_history

    def keep_result(self, block: ToolResult, call: Call, source: str) -> Kept | None:
        """Return where the full result is now; None when nobody could take it."""
        key = result_key(call.name, block["tool_use_id"])
        data: dict[str, JSON] = {
            "description": describe_call(self.tools, call),
            "value": full_value(block),
            "tier": "raw",
        }
        return self._keep(key, data, source)

    def keep_items(self, items: Sequence[InputItem], what: str) -> Kept | None:
        """Return where a transcript of the items is now; the history keeps them as they are."""
        if self.has_history:
            return Kept((HISTORY,))
        data: dict[str, JSON] = {
            "description": what,
            "value": cast("JSON", list(items)),
            "tier": "raw",
        }
        return self._keep(note_key("moved", items[0]["id"], "messages"), data, items[0]["id"])

    def keep_entry(self, plugin: str, key: str, entry: JSON) -> Kept | None:
        """Return where an entry that a plugin gives up is now, under a key made of its own."""
        known = entry if isinstance(entry, dict) else {}
        data: dict[str, JSON] = {
            "description": str(known.get("description") or f"{key} of {plugin}"),
            "value": known.get("value", entry),
            "priority": known.get("priority", "normal"),
        }
        return self._keep(note_key(plugin, key), data, f"{plugin}:{key}")

    def pointer(self, block: ToolResult, call: Call, kept: Kept) -> str:
        """Return what stands in the place of a result that was kept."""
        return pointer_text(call.name, result_size(block), kept.key, is_in_history=kept.places[0] == HISTORY)

    def take_writes(self) -> list[NoteWrite]:
        """Return the writes planned since the last time."""
        taken, self.writes = self.writes, []
        return taken

    def forget_writes(self) -> None:
        """Drop the writes planned since ``take_writes``: the copy of the notes went back before them."""
        for write in self.take_writes():
            self._by_key.pop(write.key, None)

    def _keep(self, key: str, data: dict[str, JSON], source: str) -> Kept | None:
        if self.notes is None:
            return Kept((HISTORY,)) if self.has_history else Kept((NOWHERE,))
        limit = getattr(self.notes, "description_max_length", DESCRIPTION_CHARACTERS)
        data["description"] = one_line(str(data["description"]), limit) or source
        look = partial(find_place, key, data["value"], partial(self._look_up, self.notes))
        place = contain("Looking for a note", look).value
        if place is None:
            return None
        return Kept((place.key,)) if place.is_taken else self._write(place.key, data, source)

    def _look_up(self, notes: StoreHandler, key: str) -> Known | None:
        """Return the note of a key; the copy knows which there are, the notes themselves have the values."""
        if not isinstance(notes, KnowsNotes):
            return look_up(notes, key)
        real = notes.real_key(key)
        if real is None:
            return None
        if real in self._by_key:
            return Known(real, self._by_key[real])
        return Known(
            real, self.live_notes.value_of(real) if isinstance(self.live_notes, KnowsNotes) else None
        )

    def _write(self, key: str, data: dict[str, JSON], source: str) -> Kept | None:
        notes = cast("StoreHandler", self.notes)
        stored = contain("Planning a note", partial(notes.store_set, key, data)).value
        if not stored or stored.get("success") is not True:
            return None
        real = str(stored.get("key", key))
        self._by_key[real] = data["value"]
        self.writes.append(NoteWrite(real, key, data, source))
        return Kept((real,), frozenset({real}))
