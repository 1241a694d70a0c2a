"""The agent of the drills: it writes a card, then answers; it notes everything that must never happen."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agents.connectors.base import Connector, ModelEvent, ModelRequest, RequestSent, TextDelta
from agents.connectors.body import canonical
from agents.connectors.scripted import call, replay, say
from agents.models import AgentSession
from tests.drills import steps

WORDS = 12
PAUSE_S = 0.03


def connector(model: str, session: AgentSession) -> Connector:
    return DrillConnector(session)


class DrillConnector:
    """Answers from the request alone, so that it goes on wherever a worker died."""

    def __init__(self, session: AgentSession) -> None:
        self._session = str(session.pk)
        self._running = steps.FOLDER / f"running-{self._session}"

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        self._check(request)
        self._enter()
        try:
            yield RequestSent(canonical(request))
            steps.reach("request sent")
            if _has_written(request.input[-1]):
                yield from self._tell()
            else:
                yield from replay(_write_card(sum(map(_is_asked, request.input)), len(request.input)))
        finally:
            self._running.unlink(missing_ok=True)

    def _tell(self) -> Iterator[ModelEvent]:
        for number in range(WORDS):
            time.sleep(PAUSE_S)
            yield TextDelta(f"word{number} ")
            if number == WORDS // 2:
                steps.reach("half of the answer")
        yield from list(replay(say("The card is written.")))[-1:]

    def _enter(self) -> None:
        """Note when another living process asks for the same session."""
        try:
            other = int(self._running.read_text() or 0)
        except FileNotFoundError:
            other = 0
        if other and other != os.getpid() and Path(f"/proc/{other}").exists():
            steps.violation(f"session {self._session} runs twice at once")
        self._running.write_text(str(os.getpid()))

    def _check(self, request: ModelRequest) -> None:
        """Note when a call has no result, or a result no call."""
        blocks = [block for item in request.input for block in item.get("content", ())]
        calls = {block["id"] for block in blocks if block["type"] == "tool_use"}
        results = {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}
        if calls != results:
            steps.violation(f"orphans in a prompt: {calls ^ results}")


def _write_card(turn: int, length: int) -> Any:
    arguments = {
        "store": "whiteboard",
        "key": f"turn-{turn % steps.KEYS}",
        "description": "The last turn of this key",
        "value": turn,
        "showInUI": True,
    }
    return call((f"call-{length}-{os.getpid()}", "store_set", json.dumps(arguments)))


def _has_written(item: Any) -> bool:
    """Tell whether the item says so; when the result died with a worker, the card is written again."""
    results = [block["content"] for block in item["content"] if block["type"] == "tool_result"]
    return any('"success":true' in result.replace(" ", "") for result in results)


def _is_asked(item: Any) -> bool:
    return item.get("role") == "user" and any(block["type"] == "input_text" for block in item["content"])
