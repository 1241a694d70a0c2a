"""The calls of a model that a rollover makes for its summary: noted where they are made, then stored."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Any, cast

from django.db.models import Max
from django.utils import timezone

from agents.call_spans import Span
from agents.connectors.base import (
    Connector,
    ConnectorError,
    Done,
    ModelEvent,
    ModelRequest,
    RequestSent,
    Retrying,
    Usage,
    Waiting,
)
from agents.connectors.body import Place, canonical, outline
from agents.context.counting import count_item
from agents.context.messages import InputItem
from agents.context.tokens import TokenEstimator
from agents.loop.completing import complete, prompt_request
from agents.models import AgentSession, CompactionRecord, ModelCall
from agents.parts import store_body
from agents.prices import cost_of

NO_ANSWER = "The model did not answer in time."


@dataclass
class _Asked:
    """One call; see ModelCall.

    Attributes:
        began: by the clock.
    """

    body: bytes
    tokens: int
    started_at: datetime
    began: float
    attempts: int = 1
    retries: list[dict[str, Any]] = field(default_factory=list)
    first_token_ms: int | None = None
    total_ms: int | None = None
    reply: Done | None = None
    error: str = NO_ANSWER


class SummaryCalls:
    """Asks a model for summaries, on any thread, and keeps what is to be stored of it."""

    def __init__(
        self,
        connector: Connector,
        model: str,
        estimator: TokenEstimator,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connector, self._model, self._estimator, self._clock = connector, model, estimator, clock
        self._asked: list[_Asked] = []

    def complete(self, prompt: str) -> str:
        """Return what the model answers.

        Raises:
            ConnectorError: it could not be asked, or broke off.
        """
        request = prompt_request(self._model, {}, prompt)
        begun: list[_Asked] = []
        try:
            return complete(
                self._connector, self._model, {}, prompt, observe=partial(self._note, request, begun)
            )
        except ConnectorError as fault:
            for asked in begun:
                asked.error, asked.total_ms = str(fault), self._since(asked)
            raise

    def store(self, session: AgentSession, record: CompactionRecord) -> None:
        """Write a row for each call, in a transaction that holds the session."""
        last = ModelCall.objects.filter(compaction=record).aggregate(last=Max("ordinal"))["last"] or 0
        for ordinal, asked in enumerate(self._asked, start=last + 1):
            row = _row(asked, session, record, ordinal)
            row.save(force_insert=True)
            ModelCall.objects.filter(pk=row.pk).update(started_at=asked.started_at)

    def _note(self, request: ModelRequest, begun: list[_Asked], event: ModelEvent) -> None:
        if isinstance(event, Waiting):
            return
        if not begun:
            # A connector without a wire shows no body; what it was asked stands for it.
            body = event.body if isinstance(event, RequestSent) else canonical(request)
            tokens = count_item(cast("InputItem", request.input[0]), self._estimator)
            begun.append(_Asked(body, tokens, timezone.now(), self._clock()))
            self._asked += begun
        asked = begun[0]
        if isinstance(event, RequestSent):
            asked.attempts = event.attempt
        elif isinstance(event, Retrying):
            asked.retries.append({"reason": event.reason, "waitS": event.wait_s})
        else:
            asked.first_token_ms = asked.first_token_ms or self._since(asked)
            if isinstance(event, Done):
                asked.reply, asked.error, asked.total_ms = event, "", self._since(asked)

    def _since(self, asked: _Asked) -> int:
        return round((self._clock() - asked.began) * 1000)


def _row(asked: _Asked, session: AgentSession, record: CompactionRecord, ordinal: int) -> ModelCall:
    usage = asked.reply.usage if asked.reply else Usage()
    answered = asked.reply.model if asked.reply else ""
    messages = outline(asked.body).messages()
    place = Place(messages[0].start, messages[-1].end) if messages else (None, None)
    return ModelCall(
        session=session,
        compaction=record,
        ordinal=ordinal,
        status=ModelCall.Status.SUCCEEDED if asked.reply else ModelCall.Status.FAILED,
        error=asked.error,
        model_asked=session.settings["model"],
        model_answered=answered[:120],
        body_parts=store_body(asked.body),
        body_sha256=sha256(asked.body).hexdigest(),
        body_size=len(asked.body),
        spans=[Span("current_input", "current_input", asked.tokens, *place).as_json()],
        estimated_tokens=asked.tokens,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_tokens=usage.cached_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        cost=cost_of(session.settings["model"], answered, usage) if asked.reply else None,
        attempts=asked.attempts,
        retries=asked.retries,
        first_token_ms=asked.first_token_ms,
        total_ms=asked.total_ms,
    )
