"""Writes what a turn added to its context into rows, and takes a turn up again from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any
from uuid import UUID

from django.db import transaction

from agents import leases, waiting
from agents.bindings import Run
from agents.context import AgentContext, TiktokenEstimator, json_values
from agents.context.counting import count_item
from agents.context.ids import new_id, wall_clock
from agents.context.messages import InputItem, user_message
from agents.ids import uuid7
from agents.models import AgentSession, Message, Turn
from agents.sessions import announce


@dataclass(frozen=True)
class Resumption:
    """Where a turn goes on.

    Attributes:
        is_new: nobody has begun it before.
        has_answer: nothing is left to do.
        open_reply: the message whose calls have no results yet.
    """

    is_new: bool = False
    has_answer: bool = False
    open_reply: Message | None = None


class Checkpoint:
    """One turn's record of which items of its context have rows."""

    def __init__(self, run: Run, turn: Turn, context: AgentContext) -> None:
        """Take the context as loaded from rows: whatever it holds now is stored."""
        self._run, self._turn, self._context = run, turn, context
        self._stored = {item["id"] for item in _items(context)}

    def resume(self) -> Resumption:
        """Return where the turn goes on; its input is put into the context when no row has it."""
        if self._run.is_first:
            return Resumption(is_new=True)
        if not Message.objects.filter(pk=self._turn.pk).exists():
            self._context.add_user_message(self._turn.input)
            with transaction.atomic():
                session = leases.hold(self._run.session.pk, self._run.fence)
                self.store(session, first_id=self._turn.pk)
            return Resumption(is_new=True)
        said = Message.objects.filter(turn=self._turn, is_replaced=False)
        last = said.order_by("-sequence").first()
        if last is None or last.role != "assistant":
            return Resumption()
        if any(block["type"] == "tool_use" for block in last.blocks):
            return Resumption(open_reply=last)
        return Resumption(has_answer=True)

    def store(
        self,
        session: AgentSession,
        *,
        thinking: str = "",
        first_id: UUID | None = None,
        cut: Message.Cut | None = None,
        columns: Mapping[str, Any] | None = None,
    ) -> None:
        """Store the items that no row holds yet, with their exact counts, and the budget of the last call.

        Args:
            session: locked, and held by this run.
            thinking: what the model thought before the last of them.
            first_id: of the first row.
            cut: why the last of them is not whole.
            columns: what else is to be written of the session.
        """
        fresh = self._fresh_items()
        rows = [self._row(session, item, place) for place, item in enumerate(fresh, start=1)]
        if rows:
            rows[-1].thinking, rows[-1].cut = json_values.repair_text(thinking), cut or ""
            rows[0].pk = first_id or rows[0].pk
        Message.objects.bulk_create(rows)
        self._store_shortened(session)
        counts: dict[str, Any] = {
            "message_count": session.message_count + len(rows),
            "message_tokens": session.message_tokens + sum(row.tokens for row in rows),
        }
        if self._context.last_preparation:
            counts["last_budget"] = self._context.last_preparation.budget.as_dict()
        announce(session, conversation=True, **counts, **(columns or {}))
        self._stored.update(item["id"] for item in fresh)

    def store_results(self, session: AgentSession) -> None:
        """Store the results of the last reply's calls, and forget their progress; see ``store``."""
        self.store(session)
        Turn.objects.filter(pk=self._turn.pk).update(progress={})

    def store_cut(self, session: AgentSession, text: str, cut: Message.Cut) -> None:
        """Store what the model had said when it was stopped or broke off, if anything; see ``store``."""
        if text.strip():
            said = {"type": "output_text", "text": text}
            message = {"type": "message", "role": "assistant", "content": [said]}
            self._context.add_assistant_response([message])
            self.store(session, cut=cut)

    def _store_shortened(self, session: AgentSession) -> None:
        """Note the shorter form of results and answers that the last preparation had to cut."""
        prepared = self._context.last_preparation
        cut = set(prepared.rewritten) if prepared else set()
        for item in _items(self._context) if cut else ():
            if item["id"] in cut:
                Message.objects.filter(session=session, item_id=item["id"]).update(
                    context_item=item,
                    context_item_id=item["id"],
                    context_tokens=self._context.item_tokens(item["id"]),
                )

    def _fresh_items(self) -> list[InputItem]:
        """Return the items that have no row, in order; they are the newest, so the search stops early."""
        newest_first = takewhile(lambda item: item["id"] not in self._stored, reversed(_items(self._context)))
        return list(newest_first)[::-1]

    def _row(self, session: AgentSession, item: InputItem, place: int) -> Message:
        content = item["content"] if item["type"] == "message" else [item]
        return Message(
            id=uuid7(),
            session=session,
            turn=self._turn,
            sequence=session.message_count + place,
            item_id=item["id"],
            role=str(item.get("role", Message.OPAQUE)),
            blocks=content,
            tokens=self._context.item_tokens(item["id"]),
            revision=session.revision + 1,
        )


def store_input(session: AgentSession, turn: Turn) -> dict[str, Any]:
    """Store the message of a turn that nobody has begun; return the columns of its locked session.

    Raises:
        agents.context.errors.ContextError: it cannot be a message; nothing was written.
    """
    item = user_message(new_id(wall_clock), turn.input)
    tokens = count_item(item, TiktokenEstimator(str(session.settings["model"])))
    Message.objects.create(
        # A page that showed the message while it was queued recognizes it by the id.
        id=turn.pk,
        session=session,
        turn=turn,
        sequence=session.message_count + 1,
        item_id=item["id"],
        role=item["role"],
        blocks=item["content"],
        tokens=tokens,
        revision=session.revision + 1,
    )
    return {
        "message_count": session.message_count + 1,
        "message_tokens": session.message_tokens + tokens,
    }


def withdraw_input(run: Run, turn: Turn) -> None:
    """Take the turn's message out of the rows again: the model can never be shown it.

    Left in, it would make every later turn fail. The turn keeps it, so people still see what was asked.
    """
    with transaction.atomic():
        session = leases.hold(run.session.pk, run.fence)
        row = Message.objects.filter(pk=turn.pk, sequence=session.message_count).first()
        if row is not None:
            row.delete()
            announce(
                session,
                conversation=True,
                message_count=session.message_count - 1,
                message_tokens=session.message_tokens - row.tokens,
            )


def show_doing(run: Run, line: str, place: int) -> None:
    """Let watchers see in one line which call of the last reply is begun, and note that it is."""
    with transaction.atomic():
        session = leases.hold(run.session.pk, run.fence)
        if run.turn is not None:
            waiting.begin(run.turn.pk, place)
        announce(session, doing=" ".join(line.split())[:200])


def _items(context: AgentContext) -> list[InputItem]:
    return [*context.get_conversation(), *context.get_current_input()]
