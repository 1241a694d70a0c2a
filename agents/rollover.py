"""Rollover of a session in rows: the model writes a summary, then one transaction puts it in place."""

from typing import Any

from django.db import transaction

from agents import leases
from agents.bindings import Run
from agents.connecting import connector_of, give_connections_back
from agents.context import AgentContext, Budget
from agents.context.compaction.summary import Summarize
from agents.context.counting import count_item
from agents.context.messages import InputItem
from agents.context.rollover_summarizer import model_summarizer
from agents.models import AgentSession, CompactionRecord, Message
from agents.opening import open_context
from agents.rollover_calls import SummaryCalls
from agents.sessions import announce

NOTHING = "Nothing can be rolled over: there are no turns older than those that stay."


def roll_over_session(run: Run, record: CompactionRecord) -> str:
    """Roll the session over with the options of the record; return why nothing was done, else an empty text.

    Raises:
        agents.context.errors.RolloverFailed: the summary was not to be had; nothing was changed.
        agents.leases.LeaseLost: the session went to another worker; nothing was changed.
    """
    opened = open_context(run)
    context = opened.context
    connector, model = connector_of(run.session)
    calls = SummaryCalls(connector, model, context.estimator)
    try:
        before = context.calculate_budget()
        give_connections_back()
        try:
            result = context.rollover(summarize=_summarizer(calls, context, record), **record.options)
        finally:
            with transaction.atomic():
                calls.store(leases.hold(run.session.pk, run.fence), record)
        if not result.performed:
            return NOTHING
        with transaction.atomic():
            session = AgentSession.objects.select_for_update().get(pk=run.session.pk)
            leases.check(session, run.fence)
            _write(session, record, context, before)
            announce(session, conversation=True)
    finally:
        context.destroy()
    return ""


def _summarizer(calls: SummaryCalls, context: AgentContext, record: CompactionRecord) -> Summarize:
    return model_summarizer(
        calls.complete,
        context.estimator,
        window_tokens=context.max_context_tokens - context.response_reserve,
        max_summary_tokens=record.options["max_summary_tokens"],
    )


def _write(session: AgentSession, record: CompactionRecord, context: AgentContext, before: Budget) -> None:
    """Mark what left, put the summary where the first message stood, and describe it all in the record."""
    rows = list(Message.objects.filter(session=session, in_context=True).order_by("sequence"))
    kept = {item["id"]: item for item in context.get_conversation()}
    summary = context.get_conversation()[0]
    changes: list[dict[str, Any]] = []
    for row in rows:
        old_id = row.context_item_id or row.item_id
        new = kept.get(old_id) if old_id in kept else (summary if not changes else None)
        if new is None or new != row.item():
            changes.append(_change(row, old_id, new, context))
            _mark(row, new, context, session.revision + 1)
    fields = ["in_context", "context_item", "context_item_id", "context_tokens", "revision"]
    Message.objects.bulk_update(rows, fields, batch_size=500)
    _describe(session, record, changes, before, context.calculate_budget())


def _change(row: Message, old_id: str, new: InputItem | None, context: AgentContext) -> dict[str, Any]:
    was = {
        "message": str(row.pk),
        "inContext": row.in_context,
        "contextItem": row.context_item,
        "contextTokens": row.context_tokens,
    }
    is_summary = new is not None and new["id"] != old_id
    return {
        "was": was,
        "item": {
            "itemId": old_id,
            "action": "removed" if new is None else "replaced" if is_summary else "shortened",
            "replacedBy": new["id"] if new else None,
            "tokensBefore": row.item_tokens(),
            "tokensAfter": count_item(new, context.estimator) if new else 0,
            "rung": "rollover",
            "reason": "the summary stands for it"
            if new is None or is_summary
            else "only its provider can read it",
            "keptIn": ["history"],
        },
    }


def _mark(row: Message, new: InputItem | None, context: AgentContext, revision: int) -> None:
    row.revision = revision
    if new is None:
        row.in_context = False
        return
    row.context_item, row.context_item_id = dict(new), str(new["id"])
    row.context_tokens = count_item(new, context.estimator)


def _describe(
    session: AgentSession,
    record: CompactionRecord,
    changes: list[dict[str, Any]],
    before: Budget,
    after: Budget,
) -> None:
    record.status, record.error = CompactionRecord.Status.DONE, ""
    record.tokens_before, record.tokens_after = before.content_used, after.content_used
    record.target = after.content_used
    record.replaced = [change["was"] for change in changes]
    record.plan = {
        "trigger": "rollover",
        "contentMax": before.content_max,
        "usedBefore": before.content_used,
        "usedAfter": after.content_used,
        "target": after.content_used,
        "tokensFreed": before.content_used - after.content_used,
        "reachesTarget": True,
        "items": [change["item"] for change in changes],
        "staying": session.message_count - sum(c["item"]["action"] == "removed" for c in changes),
        "notes": [],
        "plugins": [],
        "log": [],
        "failed": [],
    }
    record.after_sequence = session.message_count
    record.revision = session.revision + 1
    record.save()
