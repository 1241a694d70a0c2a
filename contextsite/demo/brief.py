"""What the survey answers when it must not call tools, as in a rollover: the first line of what was said."""

import re

from agents.connectors.base import ModelRequest

MAX_LINES = 40
MAX_CHARACTERS = 160

# How a transcript begins each message.
_SAID = re.compile(r"^(user|assistant): (?!\()(.+)$", re.MULTILINE)


def brief_of(request: ModelRequest) -> str:
    """Return who said what, shortened: no understanding, but nothing invented either."""
    texts = [
        block["text"]
        for item in request.input
        for block in item.get("content", ())
        if block["type"] == "input_text"
    ]
    said = _SAID.findall("\n".join(texts))
    if not said:
        return "Nothing was said yet."
    shown = said if len(said) <= MAX_LINES else [*said[: MAX_LINES // 2], *said[-MAX_LINES // 2 :]]
    lines = [f"- {who}: {line[:MAX_CHARACTERS]}" for who, line in shown]
    return "\n".join([f"First lines of {len(said)} messages:", *lines])
