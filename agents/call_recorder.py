"""Writes a row for every model call of a turn: at its start, and with what came of it at its end."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.db.models import Max

from agents import leases
from agents.bindings import Run, StoredPlugin
from agents.call_spans import spans_of
from agents.connectors.base import Done, ModelRequest, RequestSent, Retrying, ToolCallStarted
from agents.connectors.body import canonical, outline
from agents.context import AgentContext
from agents.context.errors import words_of
from agents.loop.events import ReplyDiscarded, ReplyStored, TextStreamed, ThinkingStreamed, TurnEvent
from agents.loop.turn import TurnStopped
from agents.models import ModelCall, SeenRevision, Turn
from agents.order import Step, order
from agents.parts import store_body
from agents.prices import cost_of
from agents.sessions import announce

Status = ModelCall.Status

LOST = "The worker stopped before the answer was stored."
STOPPED = "A person stopped the turn."
_OUTCOME = (
    *("status", "error", "model_answered", "attempts", "retries", "first_token_ms", "total_ms", "cost"),
    *("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens"),
)
_ANSWERS = (TextStreamed, ThinkingStreamed, ToolCallStarted, ReplyDiscarded, ReplyStored)


@dataclass
class _Call:
    """A call on its way.

    Attributes:
        row: None until it left.
        began: when it left first, by the clock.
    """

    request: ModelRequest
    row: ModelCall | None = None
    began: float = 0.0
    attempts: int = 1
    retries: list[dict[str, Any]] = field(default_factory=list)
    first_token_ms: int | None = None


class CallRecorder:
    """Records the model calls of one run."""

    def __init__(
        self,
        run: Run,
        context: AgentContext,
        plugins: Sequence[StoredPlugin],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._run, self._context, self._plugins, self._clock = run, context, plugins, clock
        self._call: _Call | None = None
        # Of the turn's calls; None until the rows were asked.
        self._last_ordinal = 0 if run.is_first else None

    def expect(self, request: ModelRequest) -> None:
        """Take note of what is about to be asked."""
        self._call = _Call(request)

    def observe(self, event: TurnEvent) -> ModelCall | None:
        """Write what the event says about the call; return its row while there is one.

        The end of a reply is to be observed in a transaction that holds the session.

        Raises:
            agents.leases.LeaseLost: the session went to another worker; nothing was written.
        """
        call = self._call
        if call is None:
            return None
        if isinstance(event, RequestSent):
            call.attempts = event.attempt
            self._ensure_row(call, event.body)
        elif isinstance(event, Retrying):
            call.retries.append({"reason": event.reason, "waitS": event.wait_s})
        elif isinstance(event, _ANSWERS):
            self._note_answer(call)
            if isinstance(event, ReplyStored | ReplyDiscarded):
                is_kept = isinstance(event, ReplyStored)
                self._finish(call, Status.SUCCEEDED if is_kept else Status.DISCARDED, reply=event.reply)
        return call.row

    def break_off(self, fault: Exception) -> None:
        """Record how the call ended that runs while the turn is stopped or fails, in such a transaction."""
        if self._call is None:
            return
        if isinstance(fault, TurnStopped):
            self._finish(self._call, Status.STOPPED, error=STOPPED)
        else:
            self._finish(self._call, Status.FAILED, error=words_of(fault))

    def _note_answer(self, call: _Call) -> None:
        # A connector without a wire shows no body; what it was asked stands for it.
        row = self._ensure_row(call, None)
        if call.first_token_ms is None:
            call.first_token_ms = self._since(call)
            row.first_token_ms = call.first_token_ms

    def _ensure_row(self, call: _Call, body: bytes | None) -> ModelCall:
        if call.row is None:
            call.began = self._clock()
            with order.place(Step.RECORD):
                call.row = self._write(body or canonical(call.request))
        return call.row

    def _write(self, body: bytes) -> ModelCall:
        """Store the call and its body; watchers learn that the model sees what it sees."""
        run, prepared = self._run, self._context.last_preparation
        if run.turn is None or prepared is None:
            raise RuntimeError("A model call is recorded in a turn, after its prompt was prepared.")
        found = outline(body)
        spans = spans_of(prepared, self._context.get_current_input(), body, found)
        with transaction.atomic():
            session = leases.hold(run.session.pk, run.fence)
            last = _last_ordinal(run.turn) if self._last_ordinal is None else self._last_ordinal
            call = ModelCall.objects.create(
                session=session,
                turn=run.turn,
                ordinal=last + 1,
                model_asked=session.settings["model"],
                body_parts=store_body(body, found),
                body_sha256=sha256(body).hexdigest(),
                body_size=len(body),
                spans=[each.as_json() for each in spans],
                stores={plugin.name: plugin.seen_revision for plugin in self._plugins},
                estimated_tokens=prepared.budget.total_used,
            )
            self._note_seen(call)
            announce(session, doing="asking the model")
        self._last_ordinal = call.ordinal
        return call

    def _note_seen(self, call: ModelCall) -> None:
        SeenRevision.objects.bulk_create(
            [
                SeenRevision(session=call.session, call=call, plugin=name, revision=revision)
                for name, revision in call.stores.items()
            ],
            ignore_conflicts=True,
        )

    def _finish(
        self, call: _Call, status: ModelCall.Status, *, reply: Done | None = None, error: str = ""
    ) -> None:
        row, self._call = call.row, None
        if row is None:
            return
        row.status, row.error = status, error
        row.attempts, row.retries, row.total_ms = call.attempts, call.retries, self._since(call)
        if reply is not None:
            usage = reply.usage
            row.model_answered = reply.model[:120]
            row.input_tokens, row.output_tokens = usage.input_tokens, usage.output_tokens
            row.cached_tokens, row.cache_write_tokens = usage.cached_tokens, usage.cache_write_tokens
            row.cost = cost_of(row.model_asked, reply.model, usage)
        if status == Status.FAILED and call.first_token_ms is None:
            # It never reached the model, so the model has seen nothing of it.
            SeenRevision.objects.filter(call=row).delete()
        row.save(update_fields=_OUTCOME)

    def _since(self, call: _Call) -> int:
        return round((self._clock() - call.began) * 1000)


def _last_ordinal(turn: Turn) -> int:
    """Return the number of the turn's last call; 0 when it has none."""
    return ModelCall.objects.filter(turn=turn).aggregate(last=Max("ordinal"))["last"] or 0


def close_lost_calls(turn: Turn) -> None:
    """Mark the calls that a worker left open when it died."""
    ModelCall.objects.filter(turn=turn, status=Status.RUNNING).update(status=Status.FAILED, error=LOST)
