"""Where things are kept before they leave the prompt: in the notes, in the history, or nowhere (R7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from agents.context.background import settle
from agents.context.compaction.plan import HISTORY, NOWHERE, NoteWrite
from agents.context.compaction.pointers import full_value, pointer_text, result_size
from agents.context.isolation import contain
from agents.context.offload import (
    DESCRIPTION_CHARACTERS,
    describe_call,
    is_cut,
    note_key,
    one_line,
    result_key,
)
from agents.context.stores import StoreActions, StoreHandler

if TYPE_CHECKING:
    from agents.context.json_values import JSON
    from agents.context.messages import InputItem, ToolResult
    from agents.context.offload import Call
    from agents.context.toolbox import ToolManager

_MAX_KEYS = 20


@runtime_checkable
class _KnowsKeys(Protocol):
    """Notes that tell of a key without counting that as an access."""

    def real_key(self, key: str) -> str | None: ...


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
        for number in range(1, _MAX_KEYS):
            candidate = key if number == 1 else f"{key}.{number}"
            known = self._read(candidate)
            if known is None:
                return self._write(candidate, data, source)
            if _covers(known[1], data["value"]):
                return Kept((known[0],))
        return None

    def _read(self, key: str) -> tuple[str, JSON] | None:
        """Return the real key and the value of a note that exists, with as much of it as can be seen."""
        real = contain("Looking for a note", partial(self._real_key, key)).value
        if real is None:
            return None
        if real in self._by_key:
            return real, self._by_key[real]
        return real, self._live_value(real)

    def _real_key(self, key: str) -> str | None:
        """Return the full key of a note; where the notes can tell, the copy stays what the notes will be."""
        if isinstance(self.notes, _KnowsKeys):
            return self.notes.real_key(key)
        found = settle(cast("StoreHandler", self.notes).store_get(key))
        return str(found.get("key", key)) if found.get("found") else None

    def _live_value(self, key: str) -> JSON:
        """Return the value of a note without counting that as a use, None when it cannot be seen so."""
        if not isinstance(self.live_notes, StoreActions):
            return None
        look = partial(self.live_notes.store_action, "query", {"pattern": key, "includeValues": True})
        entries = (contain("Reading a note", look).value or {}).get("entries")
        first = entries[0] if isinstance(entries, list) and entries else None
        return first.get("value") if isinstance(first, dict) else None

    def _write(self, key: str, data: dict[str, JSON], source: str) -> Kept | None:
        notes = cast("StoreHandler", self.notes)
        stored = contain("Planning a note", partial(notes.store_set, key, data)).value
        if not stored or stored.get("success") is not True:
            return None
        real = str(stored.get("key", key))
        self._by_key[real] = data["value"]
        self.writes.append(NoteWrite(real, key, data, source))
        return Kept((real,), frozenset({real}))


def _covers(stored: JSON, value: JSON) -> bool:
    """Tell whether a stored value, None when it cannot be seen, says all that another one says."""
    if not isinstance(value, str) or not is_cut(value):
        return stored == value
    shown = value.rpartition("[Cut: ")[0].removesuffix("\n\n")
    return stored is None or (isinstance(stored, str) and stored.startswith(shown))
