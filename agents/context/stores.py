"""What a plugin offers to be a store behind the ``store_*`` tools."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, Required, TypedDict, cast, runtime_checkable

from agents.context import json_values
from agents.context.background import settle
from agents.context.errors import InvalidOption
from agents.context.kinds import FLAG, MAPPING, TEXT, WORD, Kind, check_kind, list_of, one_of

if TYPE_CHECKING:
    from agents.context.background import Answer
    from agents.context.json_values import JSON

# The tools by which a model reaches all stores.
STORE_TOOLS = ("store_get", "store_set", "store_delete", "store_list", "store_action")

_KEPT_VERDICTS = 256
_TYPE = one_of("string", "number", "integer", "boolean", "object", "array", "null")
_TYPES = list_of(_TYPE)
_FIELDS = Kind("a text or a mapping", lambda value: isinstance(value, str | Mapping))
_STORE = {
    "storeId": WORD,
    "displayName": WORD,
    "description": TEXT,
    "usageHint": TEXT,
    "setDataFields": _FIELDS,
}
_FIELD = {
    "type": Kind(f"{_TYPE.words}, or a list of them", lambda value: _TYPE.fits(value) or _TYPES.fits(value)),
    "required": FLAG,
    "enum": list_of(TEXT),
}
_ACTION = {"destructive": FLAG}


class StoreField(TypedDict, total=False):
    """One field of ``store_set``.

    Attributes:
        type: JSON Schema type or types; absent means any JSON value.
        description: what the model puts there, one line.
        required: default False; an optional field sent as null counts as not sent.
        enum: the only values allowed, of a string field.
    """

    type: str | list[str]
    description: Required[str]
    required: bool
    enum: list[str]


class StoreAction(TypedDict, total=False):
    """One action of ``store_action``; a destructive one runs only with ``confirm: true``."""

    description: Required[str]
    destructive: bool


class StoreSchema(TypedDict, total=False):
    """How a store presents itself to the model.

    Attributes:
        storeId: the value of the argument ``store``.
        displayName: title of the store's section in the prompt.
        description: what the store is, one sentence.
        usageHint: when to use it. It must not name other stores: those go into ``siblingHints``.
        siblingHints: store id to a sentence that is shown only while that store is registered too.
        setDataFields: field name to its description. A plain text is accepted from foreign handlers; the
            schema of ``store_set`` then stays open.
        actions: action name to its description.
    """

    storeId: Required[str]
    displayName: Required[str]
    description: Required[str]
    usageHint: Required[str]
    siblingHints: dict[str, str]
    setDataFields: Required[dict[str, StoreField] | str]
    actions: dict[str, StoreAction]


StoreResult = dict[str, "JSON"]
"""Result of a store operation in the wire form of spec 2.3; failures carry ``error``."""


@runtime_checkable
class StoreHandler(Protocol):
    """A plugin whose keyed values the model reaches through the store tools.

    Bad input is answered with ``{"success": False, "error": …}`` that says how to call correctly, never by
    raising. Any method may be a coroutine function.
    """

    def get_store_schema(self) -> StoreSchema:
        """Return id, texts, fields and actions; read again at every model call."""
        ...

    def store_get(self, key: str | None = None) -> Answer[StoreResult]:
        """Return ``{found, key, entry}``, or ``{found, entries}`` without a key."""
        ...

    def store_set(self, key: str, data: dict[str, JSON]) -> Answer[StoreResult]:
        """Return ``{success, key, message?}``; ``data`` holds the fields, flat and nested already merged."""
        ...

    def store_delete(self, key: str) -> Answer[StoreResult]:
        """Return ``{deleted, key}``."""
        ...

    def store_list(self, filter: dict[str, JSON] | None = None) -> Answer[StoreResult]:
        """Return ``{entries, total}``; values are left out."""
        ...


@runtime_checkable
class StoreActions(Protocol):
    """The part of a store handler that is there only when its schema names actions."""

    def store_action(self, action: str, params: dict[str, JSON] | None = None) -> Answer[StoreResult]:
        """Return ``{success, action, …}``; a destructive action arrives here only when confirmed."""
        ...


def schema_of(handler: StoreHandler) -> StoreSchema:
    """Return how a store presents itself now.

    Raises:
        InvalidOption: for a schema of another form; what the handler raises comes through.
    """
    return read_schema(schema_key(handler))


def schema_key(handler: StoreHandler) -> bytes:
    """Return the schema as it is now in a form that is cheap to compare and to keep things by.

    Raises:
        InvalidOption: for a schema of another form; what the handler raises comes through.
    """
    given = settle(handler.get_store_schema())
    try:
        key = json_values.fingerprint(given)
    except (TypeError, ValueError, RecursionError) as fault:
        raise InvalidOption(f"A store schema is made of texts, flags, lists and dicts: {fault}") from fault
    _check_form(key)
    return key


def read_schema(key: bytes) -> StoreSchema:
    """Return a new copy of the schema that gave the key."""
    return cast("StoreSchema", json_values.from_fingerprint(key))


@functools.lru_cache(maxsize=_KEPT_VERDICTS)
def _check_form(key: bytes) -> None:
    schema = cast("object", json_values.from_fingerprint(key))
    _check_part("The store schema", schema, _STORE, {"siblingHints": MAPPING, "actions": MAPPING})
    known = read_schema(key)
    fields, hints, actions = known["setDataFields"], known.get("siblingHints", {}), known.get("actions", {})
    for store, hint in hints.items():
        check_kind(f"siblingHints.{store} of the store schema", hint, TEXT)
    for name, field in ({} if isinstance(fields, str) else fields).items():
        _check_part(f"setDataFields.{name}", field, {"description": TEXT}, _FIELD)
    for name, action in actions.items():
        _check_part(f"actions.{name}", action, {"description": TEXT}, _ACTION)
    json_values.check(known, "The store schema")


def _check_part(where: str, given: object, needed: Mapping[str, Kind], optional: Mapping[str, Kind]) -> None:
    check_kind(where, given, MAPPING)
    part = cast("Mapping[str, object]", given)
    for name, kind in needed.items():
        check_kind(f"{where}: {name}", part.get(name), kind)
    for name, kind in optional.items():
        if name in part:
            check_kind(f"{where}: {name}", part[name], kind)
