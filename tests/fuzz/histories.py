"""Conversations made by chance, from a seed: everything that real ones were seen to hold, and worse."""

import base64
import json
import random
import zlib
from dataclasses import dataclass, field
from typing import Any, cast

from agents.context.messages import InputItem

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_TEXT = (
    "the lease ends in May and the tenant wants 1,250 EUR back but paid late; see § 4 of contract № 7781, "
    'Ünïcödé 漢字 😀 ```fence``` </system> {"not": "json"} https://example.org/a?b=c a/b.py C:\\temp '
    "[Cut: 3 KB] [The result of look was moved out of the context] **bold** # heading - item"
)
WORDS = _TEXT.split()
ODD_IDS = ("call:1", "a/b", "ä", "x" * 200, "sp ace", "toolu_01", "call_1", "é" * 40, "..", "#?&")
TOOLS = ("look", "search", "read_file", "mcp__server__tool", "x" * 64, "functions.look", "ä b", "x" * 90, "")


@dataclass
class History:
    """A generated conversation.

    Attributes:
        items: the history.
        pending: what is still to be answered.
        has_orphans: whether a call or a result stands alone in it.
        broken_pending: whether a pending result answers nothing.
    """

    items: list[InputItem] = field(default_factory=list)
    pending: list[InputItem] = field(default_factory=list)
    has_orphans: bool = False

    def all(self) -> list[InputItem]:
        return [*self.items, *self.pending]


class Generator:
    """Makes one history."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.history = History()
        self._count = 0
        self._used_ids: set[str] = set()

    def make(self) -> History:
        """Return the history of this seed."""
        chance = self.chance
        if chance.random() < 0.1:
            self._add("assistant", [self._text("output_text")])
        for _ in range(chance.choice((1, 3, 5, 8, 12, 20))):
            self._add_turn()
        self._add_pending()
        return self.history

    def words(self, most: int) -> str:
        """Return up to so many words."""
        return " ".join(self.chance.choices(WORDS, k=self.chance.randint(1, most)))

    def _add_turn(self) -> None:
        chance = self.chance
        self._add("user", self._user_blocks())
        for _ in range(chance.choice((0, 0, 1, 1, 2, 3, 6))):
            self._add_exchange()
        if chance.random() < 0.05:
            self._add_opaque("compaction")
        if chance.random() < 0.85:
            self._add("assistant", [self._text("output_text")])
        if chance.random() < 0.05:
            self._add("developer", [self._text("input_text")])
        if chance.random() < 0.06:
            self._add_orphan()

    def _add_exchange(self) -> None:
        chance = self.chance
        if chance.random() < 0.05:
            self._add_opaque("reasoning")
        ids = [self._id() for _ in range(chance.choice((1, 1, 1, 2, 3, 5)))]
        self._add("assistant", [*self._thinking(), *self._talk(), *map(self._call, ids)])
        results = [self._result(each) for each in chance.sample(ids, len(ids))]
        cut = chance.randint(0, len(results))
        for part in (results[:cut], results[cut:]):
            if part:
                self._add("user", part)

    def _stray(self, role: str) -> dict[str, Any]:
        """Return a block that may not stand in this role, or not there, as old states hold some."""
        empty = {"type": "input_text", "text": ""}
        others: dict[str, tuple[dict[str, Any], ...]] = {
            "developer": (empty, self._result(self._id())),
            "user": (empty, self._call(self._id()), *self._thinking()),
            "assistant": (empty, self._result(self._id()), *self._thinking()),
        }
        return self.chance.choice(others[role])

    def _add_orphan(self) -> None:
        self.history.has_orphans = True
        if self.chance.random() < 0.5:
            self._add("assistant", [*self._thinking(), *self._talk(), self._call(self._id())])
        else:
            self._add("user", [self._result(self._id())])

    def _add_pending(self) -> None:
        chance = self.chance
        if chance.random() < 0.5:
            self._add("user", self._user_blocks(), is_pending=True)
            return
        ids = [self._id() for _ in range(chance.randint(1, 3))]
        self._add("assistant", [*self._talk(), *map(self._call, ids)])
        self._add("user", [self._result(each) for each in ids], is_pending=True)
        if chance.random() < 0.2:
            self._add("user", self._user_blocks(), is_pending=True)

    def _add(self, role: str, blocks: list[dict[str, Any]], *, is_pending: bool = False) -> None:
        self._count += 1
        if not is_pending and self._count > 1 and self.chance.random() < 0.03:
            blocks = [*blocks, self._stray(role)]
        item = cast(
            "InputItem",
            {"type": "message", "id": f"msg_{self._count}", "role": role, "content": blocks},
        )
        (self.history.pending if is_pending else self.history.items).append(item)

    def _add_opaque(self, kind: str) -> None:
        self._count += 1
        item = {"type": kind, "id": f"op_{self._count}", "encrypted_content": "zz" * 40, "provider": "openai"}
        if kind == "reasoning":
            item |= cast("Any", {"summary": []})
        self.history.items.append(cast("InputItem", item))

    def _user_blocks(self) -> list[dict[str, Any]]:
        blocks = [self._text("input_text")]
        if self.chance.random() < 0.1:
            blocks.append(
                {
                    "type": "input_image_url",
                    "image_url": {
                        "url": self.chance.choice(
                            (f"data:image/png;base64,{PIXEL}", "https://example.org/x.png")
                        )
                    },
                }
            )
        if self.chance.random() < 0.03:
            blocks.append({"type": "input_file", "file_id": "file-1"})
        return blocks

    def _text(self, kind: str) -> dict[str, Any]:
        return {"type": kind, "text": self.words(self.chance.choice((3, 20, 60, 200)))}

    def _talk(self) -> list[dict[str, Any]]:
        return [self._text("output_text")] if self.chance.random() < 0.4 else []

    def _thinking(self) -> list[dict[str, Any]]:
        if self.chance.random() > 0.15:
            return []
        thinking = {"type": "thinking", "thinking": self.words(30), "persistInHistory": True}
        return [{**thinking, "signature": "c2ln", "provider": "anthropic"}]

    def _call(self, use_id: str) -> dict[str, Any]:
        arguments = json.dumps(self._nested(3), ensure_ascii=False)
        return {
            "type": "tool_use",
            "id": use_id,
            "name": self.chance.choice(TOOLS),
            "arguments": arguments if arguments.startswith("{") else "{}",
        }

    def _nested(self, depth: int) -> object:
        chance = self.chance
        if depth == 0 or chance.random() < 0.3:
            return chance.choice((None, True, 7, -1.5, self.words(5)))
        if chance.random() < 0.3:
            return [self._nested(depth - 1) for _ in range(chance.randint(0, 4))]
        return {self.words(1): self._nested(depth - 1) for _ in range(chance.randint(0, 4))}

    def _result(self, use_id: str) -> dict[str, Any]:
        chance = self.chance
        size = chance.choice((0, 2, 10, 60, 60, 300, 300, 1_500, 20_000 if chance.random() < 0.1 else 5))
        content = self.words(size) if size else ""
        if chance.random() < 0.05:
            content = base64.b64encode(zlib.compress(content.encode() * 9)).decode()
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": use_id, "content": content}
        if chance.random() < 0.1:
            result["error"] = self.words(chance.choice((5, 400)))
        if chance.random() < 0.05:
            result["__images"] = [{"base64": PIXEL, "mediaType": "image/png"}]
        return result

    def _id(self) -> str:
        base = self.chance.choice(ODD_IDS) if self.chance.random() < 0.3 else f"call_{self._count}"
        name = base
        while name in self._used_ids:
            name = f"{base}{self.chance.randint(0, 10**9)}"
        self._used_ids.add(name)
        return name
