"""Encrypted items belong to who made them: nobody else can read them (DECISIONS E7)."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from agents.connectors.access import Access
from agents.connectors.base import ProviderMismatch
from agents.context.messages import Block, InputItem

logger = logging.getLogger(__name__)

Fields = Mapping[str, Any]


def readable(items: Sequence[InputItem], access: Access, *, drop_foreign: bool = False) -> list[InputItem]:
    """Return the items that the provider behind ``access`` can read.

    Encrypted items without a maker's name count as its own. Thinking without a signature and plain calls
    belong to nobody.

    Raises:
        ProviderMismatch: some cannot be read, unless ``drop_foreign``; then they are left out and logged.
    """
    found = [owner for item in items for owner in _foreign_owners(item, access)]
    if not found:
        return list(items)
    if not drop_foreign:
        raise ProviderMismatch(list(dict.fromkeys(found)), owner_of(access), len(found))
    logger.warning("Left out %d encrypted items of %s", len(found), ", ".join(sorted(set(found))))
    return [kept for item in items for kept in _without_foreign(item, access)]


def owner_of(access: Access) -> str:
    """Return how the provider and account behind an access are called."""
    return _name(access.maker, access.account)


def _foreign_owners(item: InputItem, access: Access) -> Iterator[str]:
    encrypted: Sequence[Fields] = (
        [_encrypted(block) for block in item["content"]] if item["type"] == "message" else [item]
    )
    for each in encrypted:
        if each and not _is_own(each, access):
            yield _name(str(each.get("provider", access.maker)), str(each.get("account", "")))


def _without_foreign(item: InputItem, access: Access) -> Iterator[InputItem]:
    if item["type"] != "message":
        if _is_own(cast("Fields", item), access):
            yield item
        return
    content = [kept for block in item["content"] for kept in _own_part(block, access)]
    if content:
        yield {**item, "content": content}


def _own_part(block: Block, access: Access) -> Iterator[Block]:
    encrypted = _encrypted(block)
    if not encrypted or _is_own(encrypted, access):
        yield block
    elif block["type"] != "thinking":
        yield cast("Block", {name: value for name, value in block.items() if name != "thoughtSignature"})


def _encrypted(block: Block) -> Fields:
    """Return the fields that name the owner of what is encrypted in a block, empty when nothing is."""
    fields = cast("Fields", block)
    if fields.get("thoughtSignature"):
        return {"provider": "google"}
    return fields if block["type"] == "thinking" and fields.get("signature") else {}


def _is_own(fields: Fields, access: Access) -> bool:
    owner = (fields.get("provider", access.maker), fields.get("account", access.account))
    return owner == (access.maker, access.account)


def _name(maker: str, account: str) -> str:
    return f"{maker} ({account})" if account else maker
