"""Conversations to measure with: always the same ones, of 200 B to 2 kB a message, with tool calls."""

import json
import random
from collections.abc import Iterator
from typing import Literal

from agents.context import InputItem
from agents.context.messages import Block, InputText, MessageItem, OutputText, ToolResult, ToolUse

MIN_BYTES = 200
MAX_BYTES = 2_000
# Two messages of twenty are a call and its result: one in ten is part of a tool pair.
_PERIOD = 20
_TEXT = """
a about after again all also an and any are as at be because been before but by can change could day did
different do does down each even every few file find first for from get give go good great had has have
he help her here him his house how however I if important in into is it its just kind know large last
later learn letter light like line little live long look made make man many may me mean memory might
more morning most mother much must my name need never new next night no not nothing number of often old
on one only or other our out over own page paper part people perhaps place plan point possible question
read really result right river room same say school see sentence session several she should show small
so some something sometimes soon sound state still story such system take tell temperature than that the
their them then there these they thing think this though thought three through time to together token
too tool turn two under until up upon us use usually value very want was watch water way we well were
what when where whether which while white whiteboard who why will window with without word work world
would write year you young your
"""
_WORDS = _TEXT.split()


def make_tool_items(count: int) -> list[InputItem]:
    """Return so many messages, half of which are calls and their results; every other call is a pair."""
    chance = random.Random(count)
    items: list[InputItem] = []
    for place in range(0, count, 4):
        uses = [f"call_{place}_{number}" for number in range(1 + place // 4 % 2)]
        answers = [ToolResult(type="tool_result", tool_use_id=use, content=_listing(chance)) for use in uses]
        items += [
            _item(place, "user", InputText(type="input_text", text=_prose(chance))),
            _item(place + 1, "assistant", *(_call(use, chance) for use in uses)),
            _item(place + 2, "user", *answers),
            _item(place + 3, "assistant", OutputText(type="output_text", text=_prose(chance))),
        ]
    return items


def make_items(count: int) -> list[InputItem]:
    """Return so many messages with whole tool pairs; the last one is the assistant's or a result."""
    chance = random.Random(count)
    items: list[InputItem] = []
    for place in range(count):
        step = place % _PERIOD
        call_id = f"call_{place // _PERIOD}"
        if step == _PERIOD - 2:
            items.append(_item(place, "assistant", _call(call_id, chance)))
        elif step == _PERIOD - 1:
            result = ToolResult(type="tool_result", tool_use_id=call_id, content=_listing(chance))
            items.append(_item(place, "user", result))
        elif step % 2:
            items.append(_item(place, "assistant", OutputText(type="output_text", text=_prose(chance))))
        else:
            items.append(_item(place, "user", {"type": "input_text", "text": _prose(chance)}))
    return items


def texts_of(items: list[InputItem]) -> Iterator[str]:
    """Yield every text that a provider would bill."""
    for item in items:
        for block in item["content"] if item["type"] == "message" else ():
            match block["type"]:
                case "input_text" | "output_text":
                    yield block["text"]
                case "tool_use":
                    yield block["name"]
                    yield block["arguments"]
                case "tool_result":
                    yield block["content"]


def _item(place: int, role: str, *blocks: Block) -> InputItem:
    speaker: Literal["assistant", "user"] = "assistant" if role == "assistant" else "user"
    return MessageItem(type="message", id=f"m{place}", role=speaker, content=list(blocks))


def _call(call_id: str, chance: random.Random) -> ToolUse:
    arguments = json.dumps({"path": f"docs/{chance.randrange(1000)}.md", "text": _prose(chance)})
    return ToolUse(type="tool_use", id=call_id, name="write_file", arguments=arguments)


def _prose(chance: random.Random) -> str:
    size = chance.randrange(MIN_BYTES, MAX_BYTES)
    words: list[str] = []
    length = 0
    while length < size:
        word = chance.choice(_WORDS)
        ending = chance.choices(("", ",", ".", ".\n\n", f" {chance.randrange(10_000)}"), (80, 8, 8, 2, 2))[0]
        words.append(word + ending)
        length += len(word) + len(ending) + 1
    return " ".join(words)


def _listing(chance: random.Random) -> str:
    size = chance.randrange(MIN_BYTES, MAX_BYTES)
    rows: list[dict[str, object]] = []
    length = 0
    while length < size:
        rows.append({"name": f"{chance.choice(_WORDS)}.py", "bytes": chance.randrange(99_999), "ok": True})
        length += 42
    return json.dumps(rows)
