"""What a provider says of a failure, where it is words, and how long it asks to wait, in words."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

# In this order; servers wrap their words in one to four objects or lists.
_NAMES = ("message", "error", "detail", "msg", "title")
_DEEPEST = 6
# No words of a person are longer; what follows is not looked at.
_MOST_READ = 4000
_MOST_SAID = 300
_MOST_SENTENCES = 2
_PAGE = re.compile(r"\s*<(?:!doctype|html|head|body|\?xml)\b", re.IGNORECASE)
# Where words end and markup, data or the trace of a program begins.
_NO_WORDS = re.compile(r"</?[a-z!][^>]*>|\{\s*['\"]|[\[(]\s*[\[({]|Traceback \(most recent", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
# Prompts that are longer than the model accepts, in the words of OpenAI and those who follow it, Anthropic,
# Google, Mistral, llama.cpp, Ollama, LM Studio, vLLM, SGLang, TGI, xAI, Moonshot and Bedrock.
_TOO_LONG = re.compile(
    r"(?:prompt|input)(?: is)? too long"
    r"|exceed(?:s|ed)? (?:the )?(?:available |model's |max )?context (?:size|length|window|limit)"
    r"|maximum (?:context|prompt) length|input token count"
    r"|longer than the (?:maximum model|model's context) length|context length of only"
    r"|`inputs` (?:tokens \+|must have less than)|exceeded model token limit",
    re.IGNORECASE,
)
_TOO_LONG_TYPES = frozenset({"exceed_context_size_error", "context_length_exceeded"})

_MINUTE_S = 60
_HOUR_S = 3600
_DAY_S = 86_400
# Up to so many of the larger unit the smaller one is easier to read.
_FEW = 1.5


def words_in(body: object) -> str:
    """Return the text of an error body, from one of the shapes that servers send; empty without one."""
    for _ in range(_DEEPEST):
        if isinstance(body, list):
            body = body[0] if body else ""
        elif isinstance(body, dict):
            found = (_located(body) if name == "msg" else body.get(name) for name in _NAMES)
            body = next((each for each in found if each and isinstance(each, str | list | dict)), "")
    return body[:_MOST_READ] if isinstance(body, str) else ""


def _located(complaint: dict[str, object]) -> object:
    """Return what FastAPI says of one place in the request, with the place."""
    place, said = complaint.get("loc"), complaint.get("msg")
    return f"{'.'.join(map(str, place))}: {said}" if said and place and isinstance(place, list) else said


def is_page(words: str) -> bool:
    """Tell whether what came back is a web page."""
    return _PAGE.match(words) is not None


def is_too_long(words: str, kinds: set[str]) -> bool:
    """Tell whether the words, or the provider's kinds of the error, say that the prompt is too long."""
    return not kinds.isdisjoint(_TOO_LONG_TYPES) or _TOO_LONG.search(words) is not None


def sentences(words: str) -> str:
    """Return the first sentences of it that are words, with a full stop; empty when none are."""
    readable = _NO_WORDS.split(words, maxsplit=1)[0]
    plain = " ".join("".join(each if each.isprintable() else " " for each in readable).split())
    said = " ".join(_SENTENCE_END.split(plain, _MOST_SENTENCES)[:_MOST_SENTENCES]).rstrip(" :;,-(")
    if len(said) > _MOST_SAID:
        return f"{said[:_MOST_SAID]}…"
    return said if not said or said.endswith((".", "!", "?")) else f"{said}."


def wait_in_words(seconds: float | None, now: datetime) -> str:
    """Return when to try again, a day in UTC when that is far away."""
    if not seconds:
        return "in a while"
    if seconds <= _FEW * _MINUTE_S:
        return f"in {max(1, round(seconds))} s"
    if seconds < _HOUR_S:
        return f"in about {round(seconds / _MINUTE_S)} minutes"
    if seconds <= _FEW * _DAY_S:
        hours = round(seconds / _HOUR_S)
        return f"in about {hours} hour{'s' if hours > 1 else ''}"
    try:
        day = now + timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        return "later"
    return f"after {day.day} {day:%B %Y}"
