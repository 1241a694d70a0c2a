"""Compactions in rows: carried out in one transaction, recorded item by item, and restored exactly."""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.models import Q

from agents import leases
from agents.bindings import Run, bindings
from agents.context.compaction.plan import CompactionPlan, ItemChange
from agents.models import AgentSession, CompactionRecord, Message
from agents.sessions import announce

CarryOut = Callable[[], CompactionPlan]


class CompactionCommit:
    """The transaction around a compaction in one run; given to the context as ``commit_compaction``.

    Attributes:
        record: the row of a compaction that a person asked for; None makes a new one for each.
    """

    def __init__(self, run: Run, record: CompactionRecord | None = None) -> None:
        self._run = run
        self.record = record

    def __call__(self, plan: CompactionPlan, carry_out: CarryOut) -> CompactionPlan:
        """Carry out the plan, mark the messages and write the record: all of it, or nothing.

        Raises:
            agents.leases.LeaseLost: the session went to another worker.
        """
        with transaction.atomic():
            session = AgentSession.objects.select_for_update().get(pk=self._run.session.pk)
            leases.check(session, self._run.fence)
            before = _marks(session)
            done = carry_out()
            # The stores' own units of work raised the session's revision meanwhile.
            session.refresh_from_db()
            record = self.record or CompactionRecord(session=session, turn=self._run.turn)
            record.trigger = self.record.trigger if self.record else done.trigger
            record.replaced = _mark_messages(session, done)
            record.stores = _spans(before, _marks(session))
            _describe(record, done, session)
            announce(session, conversation=True)
        return done


def restore_compaction(run: Run, record: CompactionRecord) -> None:
    """Give the model back what the compaction took, exactly as it was; what changed since stays changed.

    Raises:
        agents.leases.LeaseLost: the session went to another worker.
    """
    with transaction.atomic():
        session = AgentSession.objects.select_for_update().get(pk=run.session.pk)
        leases.check(session, run.fence)
        for binding in bindings():
            marks = record.stores.get(binding.name)
            if marks:
                binding.rewind(run, marks["before"], marks["after"])
        session.refresh_from_db()
        for was in record.replaced:
            item = was["contextItem"]
            Message.objects.filter(pk=was["message"], session=session).update(
                in_context=was["inContext"],
                context_item=item,
                context_item_id=item["id"] if item else "",
                context_tokens=was["contextTokens"],
                revision=session.revision + 1,
            )
        record.status, record.revision = CompactionRecord.Status.RESTORED, session.revision + 1
        record.save(update_fields=["status", "revision"])
        announce(session, conversation=True)


def _marks(session: AgentSession) -> dict[str, Any]:
    return {binding.name: binding.mark(session) for binding in bindings()}


def _spans(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    changed = {name for name, mark in after.items() if mark != before[name]}
    return {name: {"before": before[name], "after": after[name]} for name in changed}


def _mark_messages(session: AgentSession, done: CompactionPlan) -> list[dict[str, Any]]:
    """Mark what the model no longer sees as it was; return how each message was before."""
    changes = [change for change in done.changes if change.needs.isdisjoint(done.failed)]
    ids = [change.item_id for change in changes]
    shown = Message.objects.filter(session=session, in_context=True)
    rows = shown.filter(Q(item_id__in=ids, context_item_id="") | Q(context_item_id__in=ids))
    by_id = {row.context_item_id or row.item_id: row for row in rows}
    was = []
    for change in changes:
        row = by_id[change.item_id]
        was.append(
            {
                "message": str(row.pk),
                "inContext": row.in_context,
                "contextItem": row.context_item,
                "contextTokens": row.context_tokens,
            }
        )
        _mark(row, change, session.revision + 1)
    Message.objects.bulk_update(
        by_id.values(),
        ["in_context", "context_item", "context_item_id", "context_tokens", "revision"],
        batch_size=500,
    )
    return was


def _mark(row: Message, change: ItemChange, revision: int) -> None:
    row.revision = revision
    if change.item is None:
        row.in_context = False
        return
    row.context_item = dict(change.item)
    row.context_item_id = str(change.item["id"])
    row.context_tokens = change.tokens_after


def _describe(record: CompactionRecord, done: CompactionPlan, session: AgentSession) -> None:
    record.status, record.error = CompactionRecord.Status.DONE, ""
    record.tokens_before, record.tokens_after = done.before.content_used, done.after.content_used
    record.target, record.plan = done.target, done.as_dict()
    record.after_sequence = session.message_count
    record.revision = session.revision + 1
    record.save()
