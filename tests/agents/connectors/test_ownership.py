from typing import Any, cast

import pytest

from agents.connectors import access
from agents.connectors.access import Access
from agents.connectors.base import ProviderMismatch
from agents.connectors.ownership import readable
from agents.context.messages import InputItem
from tests.agents.connectors.wire_cast import assistant, call, message, thinking, user

OPENAI = access.openai({})


def opaque(**fields: Any) -> InputItem:
    return cast("InputItem", {"type": "compaction", "id": "c", "encrypted_content": "x", **fields})


@pytest.mark.parametrize(
    "item",
    [
        user("Hi"),
        assistant("Hello"),
        message("assistant", call("c")),
        opaque(),
        opaque(provider="openai"),
        opaque(provider="openai", account="api.openai.com"),
        message("assistant", thinking("Hm", "s", "openai")),
        message("assistant", {"type": "thinking", "thinking": "Hm"}),
        message("assistant", {"type": "thinking", "thinking": "Hm", "provider": "anthropic"}),
    ],
)
def test_an_item_that_is_ones_own_or_nobodys_is_readable(item: InputItem) -> None:
    assert readable([item], OPENAI) == [item]


@pytest.mark.parametrize(
    ("item", "owner"),
    [
        (opaque(provider="anthropic"), "anthropic"),
        (opaque(provider="openai", account="api.openai.com/org-2"), "openai (api.openai.com/org-2)"),
        (message("assistant", thinking("Hm", "s", "google")), "google"),
        (message("assistant", {**call("c"), "thoughtSignature": "s"}), "google"),
    ],
)
def test_an_item_of_somebody_else_is_refused_by_name(item: InputItem, owner: str) -> None:
    with pytest.raises(ProviderMismatch) as caught:
        readable([item, item], OPENAI)
    assert caught.value.found == (owner,)
    assert str(caught.value) == (
        f"This conversation holds encrypted reasoning of {owner}, which openai (api.openai.com) cannot read. "
        "Go on with the model it began with, or allow the transfer: then this reasoning is dropped."
    )


def test_a_transfer_drops_what_is_encrypted_and_keeps_the_rest() -> None:
    items = [
        user("Hi"),
        opaque(provider="anthropic"),
        opaque(),
        message("assistant", thinking("Hm", "s", "anthropic")),
        message("assistant", thinking("Hm", "s", "anthropic"), {**call("c"), "thoughtSignature": "s"}),
    ]
    assert readable(items, OPENAI, drop_foreign=True) == [
        user("Hi"),
        opaque(),
        message("assistant", call("c")),
    ]


@pytest.mark.parametrize("make", [access.openai, access.openai_responses])
def test_both_dialects_of_openai_read_the_same(make: Any) -> None:
    found: Access = make({"OPENAI_ORG_ID": "org-1"})
    assert (found.maker, found.account) == ("openai", "api.openai.com/org-1")
