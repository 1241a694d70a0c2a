"""Receipts: which model call first showed the model an entry as it is now."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Model, OuterRef, QuerySet, Subquery

from agents.models import SeenRevision
from memory.models import Entry
from memory.plugins.whiteboard import InContextMemory


@dataclass(frozen=True)
class Receipt:
    """The model call that first held the entry as it is now.

    Attributes:
        turn: number of the turn in its session.
        call: number of the model call in its turn.
    """

    turn: int
    call: int


def seen_revision(session_id: UUID) -> int:
    """Return the newest revision of the session's whiteboard that the model has seen; 0 for none."""
    seen = _seen(session_id).order_by("-revision").values_list("revision", flat=True)
    return seen.first() or 0


def with_receipts(entries: "QuerySet[Entry]", session_id: UUID) -> "QuerySet[Entry]":
    """Return the same entries of the session's whiteboard, each able to tell its receipt."""
    first = _seen(session_id).filter(revision__gte=OuterRef("revision")).order_by("revision")
    annotated: QuerySet[Entry] = entries.annotate(
        seen_turn=Subquery(first.values("call__turn__index")[:1]),
        seen_call=Subquery(first.values("call__ordinal")[:1]),
    )
    return annotated


def receipt_of(entry: Model) -> Receipt | None:
    """Return the receipt of an entry read by ``with_receipts``; None while the model has not seen it."""
    turn, call = getattr(entry, "seen_turn", None), getattr(entry, "seen_call", None)
    return Receipt(turn, call) if turn is not None and call is not None else None


def _seen(session_id: UUID) -> "QuerySet[SeenRevision]":
    return SeenRevision.objects.filter(session=session_id, plugin=InContextMemory.name)
