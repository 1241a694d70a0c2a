"""What happened to a conversation, as lines of it: compactions, and transfers to another provider."""

from dataclasses import dataclass

from django.db.models import Q
from django.urls import reverse

from agents.message_view import MessageView
from agents.models import AgentSession, CompactionRecord, ProviderTransfer

Status, Trigger = CompactionRecord.Status, CompactionRecord.Trigger

TITLES = {
    Status.QUEUED: ("Compacting", "Rolling over"),
    Status.DONE: ("Compacted", "Rolled over"),
    Status.FAILED: ("Not compacted", "Not rolled over"),
    Status.RESTORED: ("Compaction undone", "Rollover undone"),
}


@dataclass(frozen=True)
class MarkerView(MessageView):
    """What happened, as a template shows it between messages.

    Attributes:
        after: sequence of the message it follows.
        details: address of the page about it, if there is one.
    """

    after: int = 0
    text: str = ""
    details: str = ""


def markers(session: AgentSession, within: Q) -> list[MarkerView]:
    """Return what happened to the conversation, in the order of its lines.

    ``within`` chooses by ``after_sequence``, the message that a marker follows, or by ``revision``.
    """
    compactions = [_compaction(session, record) for record in session.compactions.filter(within)]
    transfers = [_transfer(record) for record in session.transfers.filter(within)]
    return sorted([*compactions, *transfers], key=lambda view: (view.after, view.time))


def _compaction(session: AgentSession, record: CompactionRecord) -> MarkerView:
    return MarkerView(
        id=record.pk,
        role="marker",
        tokens=0,
        html="",
        after=record.after_sequence,
        who=title(record),
        time=record.created_at,
        text=describe(record),
        details=reverse("compaction", args=[session.pk]),
    )


def _transfer(record: ProviderTransfer) -> MarkerView:
    items = _count(record.count, "encrypted reasoning item", "encrypted reasoning items")
    return MarkerView(
        id=record.pk,
        role="marker",
        tokens=0,
        html="",
        after=record.after_sequence,
        who=f"Continued with {record.to}",
        time=record.created_at,
        text=f"From here on {items} of {', '.join(record.found)} left out.",
    )


def title(record: CompactionRecord) -> str:
    """Return in two words what it is and where it stands."""
    compaction, rollover = TITLES[Status(record.status)]
    return rollover if record.trigger == Trigger.ROLLOVER else compaction


def describe(record: CompactionRecord) -> str:
    """Return in one sentence or two what a compaction did."""
    if record.status == Status.FAILED:
        return record.error
    if record.status == Status.QUEUED:
        return "Waits for a worker."
    plan = record.plan
    removed = sum(item["action"] == "removed" for item in plan["items"])
    other = len(plan["items"]) - removed
    parts = [
        _count(removed, "message left", "messages left"),
        _count(other, "message was shortened", "messages were shortened"),
        _count(
            sum(len(each["givenUp"]) for each in plan["plugins"]), "entry was evicted", "entries were evicted"
        ),
        _count(len(plan["notes"]), "text is kept in the notes", "texts are kept in the notes"),
    ]
    what = ", ".join(filter(None, parts)) or "nothing was taken out"
    return f"{record.tokens_before:,} to {record.tokens_after:,} tokens: {what}."


def cause(record: CompactionRecord) -> str:
    """Return in a few words what asked for it, whatever became of it."""
    # A rollover is one because somebody asked; that it was done is not for its trigger to say.
    trigger = Trigger(record.trigger)
    return str((Trigger.MANUAL if trigger == Trigger.ROLLOVER else trigger).label)


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}" if number else ""
