"""The five ``store_*`` tools: one set for all stores, routed by the argument ``store`` (spec 2)."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

from agents.context import store_texts
from agents.context.background import settle
from agents.context.errors import AlreadyRegistered, UnknownStore
from agents.context.isolation import contain
from agents.context.stores import (
    STORE_TOOLS,
    StoreActions,
    StoreHandler,
    StoreResult,
    StoreSchema,
    read_schema,
    schema_key,
    schema_of,
)
from agents.context.tools import Tool

if TYPE_CHECKING:
    from agents.context.json_values import JSON

T = TypeVar("T")

# A list of entries beyond this is cut, so that one call cannot fill the window with what is shown anyway.
MAX_RESULT_CHARACTERS = 24_000

# What is kept of the texts about stores: eleven texts for each set of schemas.
_KEPT_TEXTS = 256

Arguments = dict[str, "JSON"]


class StoreRouter:
    """The registered stores by id, and the tools that reach them."""

    def __init__(self) -> None:
        self._handlers: dict[str, StoreHandler] = {}
        self._still: tuple[bytes, ...] | None = None

    def put(self, handler: StoreHandler, *, instead_of: object = None) -> None:
        """Register a handler under the id of its schema, in the place of another one when given.

        Raises:
            AlreadyRegistered: when a store of that id exists; nothing has changed then.
            InvalidOption: for a schema of another form; nothing has changed then.
        """
        self._handlers[self.free_id(handler, instead_of=instead_of)] = handler

    def free_id(self, handler: StoreHandler, *, instead_of: object = None) -> str:
        """Return the id under which ``put`` would register a handler; it raises the same."""
        store = schema_of(handler)["storeId"]
        known = self._handlers.get(store)
        if known is not None and known is not instead_of:
            raise AlreadyRegistered("Store", store)
        return store

    def remove(self, handler: object) -> None:
        """Take a handler out; one that is not registered is passed over."""
        self._handlers = {store: each for store, each in self._handlers.items() if each is not handler}

    def get(self, store: str) -> StoreHandler | None:
        """Return the handler of a store."""
        return self._handlers.get(store)

    def ids(self) -> tuple[str, ...]:
        """Return the ids in order of registration."""
        return tuple(self._handlers)

    @contextmanager
    def still(self) -> Iterator[None]:
        """Describe the stores inside the block as they are at its start: a prompt tells one thing of them."""
        before, self._still = self._still, self._keys()
        try:
            yield
        finally:
            self._still = before

    def overview(self) -> str:
        """Return the block of the system message that explains the stores, empty when there are none."""
        return self._derive(store_texts.overview)

    def titles(self) -> Mapping[str, str]:
        """Return the display names of the stores by id; one that cannot be described has none."""
        return self._derive(store_texts.titles)

    def find(self, arguments: Arguments) -> StoreHandler:
        """Return the handler that a call names.

        Raises:
            UnknownStore: naming those there are.
        """
        store = arguments.get("store")
        handler = self._handlers.get(store) if isinstance(store, str) else None
        if handler is None:
            raise UnknownStore(store, self.ids())
        return handler

    def tools(self) -> list[Tool]:
        """Return the five tools; their texts follow the stores registered at the time of a model call."""
        return [
            self._tool("store_get", self._get, store_texts.describe_get, store_texts.get_parameters),
            self._tool("store_set", self._set, store_texts.describe_set, store_texts.set_parameters),
            self._tool(
                "store_delete", self._delete, store_texts.describe_delete, store_texts.delete_parameters
            ),
            self._tool("store_list", self._list, store_texts.describe_list, store_texts.list_parameters),
            self._tool("store_action", self._act, store_texts.describe_action, store_texts.action_parameters),
        ]

    def _tool(
        self,
        name: str,
        function: Callable[..., StoreResult],
        describe: Callable[[Sequence[StoreSchema]], str],
        parameters: Callable[[Sequence[StoreSchema]], Arguments],
    ) -> Tool:
        return Tool(
            name=name,
            function=function,
            description_source=partial(self._derive, describe),
            parameters_source=partial(self._derive, parameters),
            call_description=_CALL_DESCRIPTIONS[name],
            timeout_ms=0,
            namespace="store",
        )

    def _derive(self, make: Callable[[Sequence[StoreSchema]], T]) -> T:
        """Return what is made of the schemas; the same object for the same schemas, so it is only read."""
        return cast("T", _made_of(make, self._keys()))

    def _keys(self) -> tuple[bytes, ...]:
        """Return the schemas of this moment; a store that fails to give one is left out this time."""
        if self._still is not None:
            return self._still
        found = [
            contain(f"Describing store {store}", partial(schema_key, handler)).value
            for store, handler in self._handlers.items()
        ]
        return tuple(key for key in found if key is not None)

    def _get(self, **arguments: JSON) -> StoreResult:
        handler = self.find(arguments)
        key = arguments.get("key")
        if key is not None and not isinstance(key, str):
            return _refusal("get", "`key` must be a text; leave it out to read all entries.")
        return bounded(settle(handler.store_get(key or None)))

    def _set(self, **arguments: JSON) -> StoreResult:
        handler = self.find(arguments)
        key = arguments.get("key")
        if not isinstance(key, str) or not key:
            return _refusal("set", 'store_set needs `key`, a text: {"store": …, "key": …, "data": {…}}.')
        data = _merge(arguments, "data", "key", schema_of(handler)["setDataFields"])
        return with_error(settle(handler.store_set(key, data)))

    def _delete(self, **arguments: JSON) -> StoreResult:
        handler = self.find(arguments)
        key = arguments.get("key")
        if not isinstance(key, str) or not key:
            return {"deleted": False, "error": 'store_delete needs `key`, a text: {"store": …, "key": …}.'}
        return with_error(settle(handler.store_delete(key)))

    def _list(self, **arguments: JSON) -> StoreResult:
        handler = self.find(arguments)
        return bounded(settle(handler.store_list(_merge(arguments, "filter") or None)))

    def _act(self, **arguments: JSON) -> StoreResult:
        handler = self.find(arguments)
        action = arguments.get("action")
        if not isinstance(action, str) or not action:
            return _refusal("act", 'store_action needs `action`, a text: {"store": …, "action": …}.')
        if not isinstance(handler, StoreActions):
            return {
                "success": False,
                "action": action,
                "error": f'Store "{arguments["store"]}" does not support actions.',
            }
        params = _merge(arguments, "params", "action")
        declared = schema_of(handler).get("actions", {}).get(action)
        confirm = params.get("confirm")
        if declared and declared.get("destructive") and not (confirm is True or confirm == "true"):
            return {
                "success": False,
                "action": action,
                "error": f'Action "{action}" is destructive; repeat the call with confirm: true to run it.',
            }
        return with_error(settle(handler.store_action(action, params or None)))


def bounded(result: StoreResult) -> StoreResult:
    """Return the result with as many of its ``entries`` as fit, and the keys of those left out."""
    entries = result.get("entries")
    if not isinstance(entries, list):
        return result
    room = MAX_RESULT_CHARACTERS
    kept: list[JSON] = []
    for entry in entries:
        # Only measured here: text of a foreign store that JSON cannot hold is repaired with the result.
        room -= len(json.dumps(entry, ensure_ascii=False, separators=(",", ":")))
        if room < 0:
            break
        kept.append(entry)
    if len(kept) == len(entries):
        return result
    omitted: list[JSON] = [each.get("key") for each in entries[len(kept) :] if isinstance(each, dict)]
    return result | {
        "entries": kept,
        "truncated": True,
        "total": len(entries),
        "omittedKeys": omitted,
        "message": "Too much for one result; read the omitted entries one by one.",
    }


def with_error(result: StoreResult) -> StoreResult:
    """Return the result with ``error`` where a handler explained a failure in ``message`` only."""
    failed = result.get("success") is False
    return (
        result | {"error": result["message"]}
        if failed and "error" not in result and "message" in result
        else result
    )


def _merge(arguments: Arguments, nest: str, target: str = "", fields: object = None) -> Arguments:
    """Return flat and nested fields as one: nested wins, flat fills gaps (C2.1).

    A store that declares a field of the nest's own name gets it as a field. An optional field sent as null,
    as strict function calling does, counts as not sent.
    """
    declared = fields if isinstance(fields, dict) else {}
    flat = {name: value for name, value in arguments.items() if name not in {"store", target}}
    nested = flat.get(nest)
    if isinstance(nested, dict) and nest not in declared:
        del flat[nest]
        flat |= nested
    return {
        name: value
        for name, value in flat.items()
        if value is not None or declared.get(name, {"required": True}).get("required")
    }


@functools.lru_cache(maxsize=_KEPT_TEXTS)
def _made_of(make: Callable[[Sequence[StoreSchema]], object], keys: tuple[bytes, ...]) -> object:
    """Return what is made of schemas by their keys; kept, as most contexts have the same stores."""
    return make([read_schema(key) for key in keys])


def _refusal(operation: str, error: str) -> StoreResult:
    return {"found": False, "error": error} if operation == "get" else {"success": False, "error": error}


def _describe_get(arguments: Arguments) -> str:
    return f"get {arguments.get('key') or 'all'} from {arguments.get('store')}"


def _describe_set(arguments: Arguments) -> str:
    return f"set {arguments.get('key')} in {arguments.get('store')}"


def _describe_delete(arguments: Arguments) -> str:
    return f"delete {arguments.get('key')} from {arguments.get('store')}"


def _describe_list(arguments: Arguments) -> str:
    return f"list {arguments.get('store')}{' (filtered)' if _merge(arguments, 'filter') else ''}"


def _describe_action(arguments: Arguments) -> str:
    return f"{arguments.get('action')} on {arguments.get('store')}"


_CALL_DESCRIPTIONS = dict(
    zip(
        STORE_TOOLS,
        (_describe_get, _describe_set, _describe_delete, _describe_list, _describe_action),
        strict=True,
    )
)
