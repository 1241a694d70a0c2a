"""What a plugin offers to be a store behind the ``store_*`` tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Required, TypedDict, runtime_checkable

if TYPE_CHECKING:
    from agents.context.background import Answer
    from agents.context.json_values import JSON

# The tools by which a model reaches all stores.
STORE_TOOLS = ("store_get", "store_set", "store_delete", "store_list", "store_action")


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
