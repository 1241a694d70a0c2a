"""Lets the worker die at a named step of a turn, when a drill asks for it."""

import os
import signal
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from agents import runner
from agents.call_recorder import CallRecorder
from agents.checkpoint import Checkpoint
from agents.turn_writer import TurnWriter

FOLDER = Path(os.environ["CONTEXTSITE_DATA"])
LAST_STEP = FOLDER / "last-step"
VIOLATIONS = FOLDER / "violations"
# Fewer than a board holds.
KEYS = 15
EVENTS = {"ResultsStored": "results stored", "ToolStarted": "tool begun"}


def reach(step: str) -> None:
    """Die here when a drill asked for it; only once."""
    try:
        if LAST_STEP.read_text() != step:
            return
        LAST_STEP.unlink()
    except FileNotFoundError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


def violation(text: str) -> None:
    with VIOLATIONS.open("a") as notes:
        notes.write(f"{text}\n")


def _after(owner: Any, name: str, step: str) -> None:
    _wrap(owner, name, lambda _: reach(step), is_before=False)


def _wrap(owner: Any, name: str, act: Callable[[Any], None], *, is_before: bool) -> None:
    original = getattr(owner, name)

    @wraps(original)
    def wrapped(*arguments: Any, **named: Any) -> Any:
        if is_before:
            act(arguments)
        result = original(*arguments, **named)
        if not is_before:
            act(arguments)
        return result

    setattr(owner, name, wrapped)


def _after_event(arguments: Any) -> None:
    event = arguments[1]
    name = type(event).__name__
    if name == "ReplyStored":
        blocks = [block for item in event.reply.output for block in item["content"]]
        has_calls = any(block["type"] == "tool_use" for block in blocks)
        reach("reply stored" if has_calls else "answer stored")
    elif name in EVENTS:
        reach(EVENTS[name])


_after(runner, "_take", "turn taken")
_after(runner, "open_context", "context opened")
_after(Checkpoint, "resume", "input stored")
_after(CallRecorder, "_write", "call recorded")
_wrap(TurnWriter, "write", _after_event, is_before=False)
_wrap(runner, "_close", lambda _: reach("before the end"), is_before=True)
_after(runner, "run", "turn ended")
