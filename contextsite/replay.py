"""Plays recorded conversations through the engine: the rows say how far a recording has come."""

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, cast

from django.db import transaction

from agents.connectors.base import Connector, Item, ModelEvent, ModelRequest, RequestSent
from agents.connectors.body import canonical
from agents.connectors.scripted import replay, say
from agents.context.counting import count_item
from agents.context.json_values import InvalidJSON, decode
from agents.context.messages import InputItem
from agents.context.stores import STORE_TOOLS
from agents.context.tokens import TiktokenEstimator
from agents.context.tools import Tool
from agents.models import AgentProfile, AgentSession, Message, RecordedTurn, Recording, Turn
from agents.sessions import start_session, submit_turn
from contextsite.conversations import Conversation
from memory.actors import Actor
from memory.bindings import change_board

PROVIDER = "replay"
MODEL = f"{PROVIDER}:recording"
CARD_KEY = "replay"
# What happened has fitted somewhere: nothing of it is compacted away unless it is larger than any window.
MAX_CONTEXT_TOKENS = 2_000_000

_AFTER_THE_END = (
    "This is a recording and it is over; nobody is here to answer. Start a session with an agent."
)

RecordedReply = Mapping[str, Any]


def start_replay(
    conversation: Conversation, profile: AgentProfile, *, title: str, source: str, pause_ms: int
) -> AgentSession:
    """Return a new session with all turns of the conversation queued; all of it is stored, or nothing."""
    with transaction.atomic():
        session = start_session(profile, None, title)
        recorded = {
            "model": MODEL,
            "systemPrompt": conversation.system_prompt,
            "tools": [],
            "maxContextTokens": MAX_CONTEXT_TOKENS,
        }
        session.freeze(session.settings | recorded)
        session.save(update_fields=["settings", "model"])
        Recording.objects.create(
            session=session,
            source=source[:200],
            message_count=conversation.message_count,
            tools=list(conversation.tools),
            pause_ms=pause_ms,
        )
        for exchange in conversation.exchanges:
            turn = submit_turn(session, exchange.input, None)
            replies = [reply.wire() for reply in exchange.replies]
            RecordedTurn.objects.create(turn=turn, replies=replies, end_position=exchange.end_position)
    return session


def connector(model_name: str, session: AgentSession) -> Connector:
    """Return the connector that says what was recorded."""
    recording = Recording.objects.filter(session=session).first()
    seconds = recording.pause_ms / 1000 if recording else 0
    return ReplayConnector(session, partial(time.sleep, seconds) if seconds else lambda: None)


def tools(session: AgentSession) -> list[Tool]:
    """Return a tool for each name called in the recording; it answers with the recorded result."""
    recording = Recording.objects.filter(session=session).first()
    # The store tools of the engine answer their calls themselves, so that a recorded board comes to life.
    names = [name for name in recording.tools if name not in STORE_TOOLS] if recording else []
    results = _Results(session)
    return [
        Tool(
            name=name,
            function=results.tool(name),
            description_source="A tool of the recorded conversation.",
            parameters_source={"type": "object"},
        )
        for name in names
    ]


class ReplayConnector:
    """Says the next recorded reply of the running turn and keeps the ``replay`` card.

    Args:
        pause: called before each reply.
    """

    def __init__(self, session: AgentSession, pause: Callable[[], None]) -> None:
        self._session = session
        self._pause = pause

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        """Yield the recorded reply; one without content where the recording went on with a person."""
        yield RequestSent(canonical(request))
        turn = running_turn(self._session)
        recorded = RecordedTurn.objects.filter(turn=turn).first()
        if recorded is None:
            yield from replay(say(_AFTER_THE_END))
            return
        self._pause()
        said = _replies_said(turn)
        reply: RecordedReply | None = recorded.replies[said] if said < len(recorded.replies) else None
        is_last = said >= len(recorded.replies) - 1 and not (reply and reply["results"])
        position = recorded.end_position if is_last or reply is None else reply["position"]
        _write_card(self._session, turn, position, reply)
        yield from replay([_message(reply)] if reply else [], is_final=True)


class _Results:
    """Finds the recorded result of the call that the loop carries out now.

    The loop carries out the calls of one reply in order and asks no tool when it cannot read the
    arguments; so the next readable call of the newest stored reply is the one.
    """

    def __init__(self, session: AgentSession) -> None:
        self._session = session
        self._reply: tuple[object, int] | None = None
        self._calls: list[Mapping[str, str]] = []
        self._results: Mapping[str, str] = {}

    def tool(self, name: str) -> Callable[..., str]:
        """Return the function of one tool; it takes any arguments."""
        return lambda **arguments: self._next(name)

    def _next(self, name: str) -> str:
        turn = running_turn(self._session)
        reply = (turn.pk, _replies_said(turn))
        if reply != self._reply:
            recorded = RecordedTurn.objects.get(turn=turn).replies[reply[1] - 1]
            self._reply, self._results = reply, recorded["results"]
            self._calls = [block for block in recorded["content"] if block["type"] == "tool_use"]
        while self._calls:
            call = self._calls.pop(0)
            if call["name"] == name and _is_readable(call["arguments"]):
                return self._results[call["id"]]
        raise LookupError(f"The recording has no further result of {name} here.")


def running_turn(session: AgentSession) -> Turn:
    """Return the turn that the session runs."""
    return session.turns.get(status=Turn.Status.RUNNING)


def _replies_said(turn: Turn) -> int:
    return Message.objects.filter(turn=turn, role="assistant").count()


def _message(reply: RecordedReply) -> Item:
    return {"type": "message", "role": "assistant", "content": reply["content"]}


def _is_readable(arguments: str) -> bool:
    try:
        return isinstance(decode(arguments or "{}"), dict)
    except InvalidJSON:
        return False


def _write_card(session: AgentSession, turn: Turn, position: int, reply: RecordedReply | None) -> None:
    """Show where the recording stands once this reply is stored."""
    recording = Recording.objects.get(session=session)
    stored = AgentSession.objects.values_list("message_tokens", flat=True).get(pk=session.pk)
    estimator = TiktokenEstimator(str(session.settings["model"]))
    tokens = stored + (count_item(cast(InputItem, _message(reply)), estimator) if reply else 0)
    called = [block["name"] for block in reply["content"] if block["type"] == "tool_use"] if reply else []
    value = {
        "position": position,
        "total": recording.message_count,
        "turn": f"{turn.index} of {RecordedTurn.objects.filter(turn__session=session).count()}",
        "last_tool": called[-1] if called else _last_tool(session),
        "tokens": tokens,
        "state": "finished" if position == recording.message_count else "playing",
    }
    change_board(
        session.pk,
        lambda board: board.set(CARD_KEY, f"Replay of {recording.source}", value, "high", True),
        actor=Actor.client(CARD_KEY),
    )


def _last_tool(session: AgentSession) -> str | None:
    calling = Message.objects.filter(session=session, role="assistant", blocks__contains='"type":"tool_use"')
    newest = calling.order_by("-sequence").first()
    names = [str(block["name"]) for block in newest.blocks if block["type"] == "tool_use"] if newest else []
    return names[-1] if names else None
