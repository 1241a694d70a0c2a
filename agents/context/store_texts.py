"""What the model reads about its stores: tool descriptions, argument schemas and the overview."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agents.context.json_values import JSON
    from agents.context.stores import StoreField, StoreSchema

_NO_STORE = "No store is available now."
_SHARED_FIELD = "See the line of the store in the description of this tool."
_ANY_TYPE: list[JSON] = ["object", "array", "string", "number", "boolean", "null"]

Schemas = Sequence["StoreSchema"]


def describe_get(stores: Schemas) -> str:
    """Return the description of ``store_get``."""
    return f"Read one entry of a store by key, or all entries without a key. {_quoted_ids(stores)}"


def describe_set(stores: Schemas) -> str:
    """Return the description of ``store_set``: one line per store with its fields."""
    lines = [f'- "{each["storeId"]}": {_field_line(each)}' for each in stores]
    head = "Create or update an entry of a store. Put the fields into `data`."
    return "\n".join([head, *lines]) if lines else f"{head} {_NO_STORE}"


def describe_delete(stores: Schemas) -> str:
    """Return the description of ``store_delete``."""
    return f"Delete an entry of a store. {_quoted_ids(stores)}"


def describe_list(stores: Schemas) -> str:
    """Return the description of ``store_list``."""
    return f"List the entries of a store without their values, filtered if wanted. {_quoted_ids(stores)}"


def describe_action(stores: Schemas) -> str:
    """Return the description of ``store_action``: the actions of each store."""
    lines = [f'- "{each["storeId"]}": {_action_line(each)}' for each in stores]
    head = "Run a special action of a store. A destructive one needs `confirm: true`."
    return "\n".join([head, *lines]) if lines else f"{head} {_NO_STORE}"


def get_parameters(stores: Schemas) -> dict[str, JSON]:
    """Return the schema of ``store_get``."""
    return _closed({"store": _store(stores), "key": _text("Key of the entry; leave out for all.")}, "store")


def set_parameters(stores: Schemas) -> dict[str, JSON]:
    """Return the schema of ``store_set``: typed and closed, unless a store only describes its fields."""
    properties: dict[str, dict[str, JSON]] = {}
    is_open = not stores
    for each in stores:
        fields = each["setDataFields"]
        if isinstance(fields, str):
            is_open = True
        else:
            for name, field in fields.items():
                properties[name] = _joined(properties.get(name), _field(field))
    data: dict[str, JSON] = {
        "type": "object",
        "description": "The fields of the entry, as the store defines them.",
        "properties": dict(properties),
        "additionalProperties": is_open,
    }
    arguments: dict[str, JSON] = {"store": _store(stores), "key": _text("Key of the entry."), "data": data}
    schema = _closed(arguments, "store", "key")
    return schema | {"additionalProperties": is_open}


def delete_parameters(stores: Schemas) -> dict[str, JSON]:
    """Return the schema of ``store_delete``."""
    return _closed({"store": _store(stores), "key": _text("Key of the entry.")}, "store", "key")


def list_parameters(stores: Schemas) -> dict[str, JSON]:
    """Return the schema of ``store_list``; what a filter may hold is up to the store."""
    schema = _closed({"store": _store(stores), "filter": _object("Filter of the store.")}, "store")
    return schema | {"additionalProperties": True}


def action_parameters(stores: Schemas) -> dict[str, JSON]:
    """Return the schema of ``store_action``; what parameters an action takes is up to the store."""
    names = sorted({name for each in stores for name in each.get("actions", {})})
    action: dict[str, JSON] = _text("Name of the action.") | ({"enum": list(names)} if names else {})
    confirm: dict[str, JSON] = {"type": "boolean", "description": "True confirms a destructive action."}
    properties: dict[str, JSON] = {
        "store": _store(stores),
        "action": action,
        "params": _object("Parameters of the action."),
        "confirm": confirm,
    }
    return _closed(properties, "store", "action") | {"additionalProperties": True}


def overview(stores: Schemas) -> str:
    """Return the block of the system message that explains the stores, empty when there are none."""
    if not stores:
        return ""
    noun = "store" if len(stores) == 1 else "stores"
    ids = {each["storeId"] for each in stores}
    return "\n".join(
        [
            f"You have {len(stores)} data {noun}. The tools store_get, store_set, store_delete, store_list "
            "and store_action work on all of them; every call needs `store`.",
            "",
            *(_bullet(each, ids) for each in stores),
            "",
            "Quick reference:",
            '- store_get({"store": …, "key": …}) reads one entry; without key, all entries',
            '- store_set({"store": …, "key": …, "data": {…}}) creates or updates an entry',
            '- store_delete({"store": …, "key": …}) deletes an entry',
            '- store_list({"store": …, "filter": {…}}) lists entries without values; filter is optional',
            '- store_action({"store": …, "action": …, "params": {…}}) runs a special action',
        ]
    )


def titles(stores: Schemas) -> dict[str, str]:
    """Return the headings of the stores' sections by id."""
    return {each["storeId"]: each["displayName"] for each in stores}


def _bullet(schema: StoreSchema, ids: set[str]) -> str:
    siblings = [text for name, text in schema.get("siblingHints", {}).items() if name in ids]
    hint = " ".join([schema["usageHint"], *siblings])
    return f'- "{schema["storeId"]}" ({schema["displayName"]}): {schema["description"]} {hint}'


def _quoted_ids(stores: Schemas) -> str:
    ids = ", ".join(f'"{each["storeId"]}"' for each in stores)
    return f"Stores: {ids}" if ids else _NO_STORE


def _field_line(schema: StoreSchema) -> str:
    fields = schema["setDataFields"]
    if isinstance(fields, str):
        return ", ".join(line.strip() for line in fields.splitlines() if line.strip())
    return ", ".join(
        f"{name}{'' if field.get('required') else '?'}: {field['description']}"
        for name, field in fields.items()
    )


def _action_line(schema: StoreSchema) -> str:
    actions = schema.get("actions", {})
    return (
        "; ".join(
            f"{name}{' (destructive)' if action.get('destructive') else ''}: {action['description']}"
            for name, action in actions.items()
        )
        or schema["storeId"]
    )


def _store(stores: Schemas) -> dict[str, JSON]:
    ids: list[JSON] = [each["storeId"] for each in stores]
    return _text("Id of the store.") | ({"enum": ids} if ids else {})


def _field(field: StoreField) -> dict[str, JSON]:
    kinds = field.get("type", _ANY_TYPE)
    schema: dict[str, JSON] = {
        "type": kinds if isinstance(kinds, str) else list(kinds),
        "description": field["description"],
    }
    if "array" in _as_list(schema["type"]):
        # A provider refuses an array that says nothing about its items.
        schema["items"] = {}
    return schema | ({"enum": list(field["enum"])} if "enum" in field else {})


def _joined(known: dict[str, JSON] | None, field: dict[str, JSON]) -> dict[str, JSON]:
    """Return a schema that admits what either of two stores wants under one name."""
    if known is None or known == field:
        return field
    joined = known | field | {"type": _union(known["type"], field["type"]), "description": _SHARED_FIELD}
    joined.pop("enum", None)
    if "enum" in known and "enum" in field:
        joined["enum"] = _union(known["enum"], field["enum"])
    return joined


def _union(first: JSON, second: JSON) -> JSON:
    both = [*_as_list(first), *_as_list(second)]
    merged = [each for place, each in enumerate(both) if each not in both[:place]]
    return merged[0] if len(merged) == 1 else merged


def _as_list(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else [value]


def _text(description: str) -> dict[str, JSON]:
    return {"type": "string", "description": description}


def _object(description: str) -> dict[str, JSON]:
    return {"type": "object", "description": description, "additionalProperties": True}


def _closed(properties: dict[str, JSON], *required: str) -> dict[str, JSON]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
