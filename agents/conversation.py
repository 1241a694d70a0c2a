"""The conversation as people read it: messages with their tool calls, and where the current turn stands."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Case, F, IntegerField, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce
from django.utils.module_loading import import_string

from agents.attachments import image_views, is_shown
from agents.calls import Answers, Approvals, Block, answers_in, approvals_of, call_views, is_result
from agents.context.json_values import JSON
from agents.draft import Draft
from agents.markers import MarkerView, markers
from agents.message_view import HTML, MessageView, Role
from agents.models import AgentSession, Message, ModelCall, Turn
from agents.people import name_of

# The newest messages that a page shows; earlier ones are a page of their own.
PAGE_SIZE = 50

TEXT_BLOCKS = ("input_text", "output_text")


@dataclass(frozen=True)
class TurnView:
    """The turn that the composer speaks of: the first unfinished one, else the last.

    Attributes:
        wake_at: when a waiting turn goes on by itself; None when it waits for people.
        transfer: see ``Turn.transfer``.
    """

    session_id: UUID
    number: int
    status: str
    error: str
    wake_at: datetime | None = None
    transfer: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class ConversationPage:
    """What the session page shows of the conversation: the messages, then the draft, then what waits.

    Attributes:
        earlier: value of ``before`` for the page of earlier messages; None when there are none.
        turn: None before the first turn.
        draft: the answer that is being written; None on pages of earlier messages.
        waiting: what was asked while the agent works; empty on pages of earlier messages.
        cursor: where the page's socket goes on.
    """

    messages: Sequence[MessageView]
    earlier: int | None
    turn: TurnView | None
    draft: Mapping[str, Any] | None
    waiting: Sequence[MessageView]
    cursor: int


def conversation_page(
    session: AgentSession, *, before: int | None = None, limit: int = PAGE_SIZE
) -> ConversationPage:
    """Return the newest ``limit`` messages, or those before the sequence number ``before``.

    Messages are rendered, so never call it inside a transaction or on an event loop.
    """
    # Before the messages: a turn taken up in between is then read twice, and never missed.
    asked = waiting_views(session) if before is None else []
    rows = told(session).order_by("-sequence")
    if before is not None:
        rows = rows.filter(sequence__lt=before)
    # One more, so that the result of a call never stands without its call.
    newest = list(rows[: limit + 1])[::-1]
    if len(newest) > limit and not is_result(newest[1]):
        del newest[0]
    first = newest[0].sequence if newest else 1
    views = message_views(session, newest)
    stored = {view.id for view in views}
    shown = Q(after_sequence__gte=first - 1)
    if before is not None:
        shown &= Q(after_sequence__lt=before - 1)
    placed = _placed(views, newest, markers(session, shown))
    untold = [view for view in asked if view.id not in stored]
    turn = _current_turn(session.pk)
    is_written = before is None and turn and turn.status == Turn.Status.RUNNING
    return ConversationPage(
        messages=[*placed, *(view for view in untold if not view.waits)],
        earlier=first if first > 1 else None,
        turn=_turn_view(turn),
        draft=_draft_of(turn) if turn and is_written else None,
        waiting=[view for view in untold if view.waits],
        cursor=session.conversation_revision,
    )


def _placed(
    views: Sequence[MessageView], rows: Sequence[Message], marks: Sequence[MarkerView]
) -> list[MessageView]:
    """Return messages and markers together, each marker behind the message it follows."""
    sequences = {row.pk: row.sequence for row in rows}
    waiting = list(marks)
    placed: list[MessageView] = []
    for view in views:
        while waiting and waiting[0].after < sequences[view.id]:
            placed.append(waiting.pop(0))
        placed.append(view)
    return placed + waiting


def told(session: AgentSession) -> QuerySet[Message]:
    """Return the session's messages with their authors, for ``message_views``."""
    # What a turn was given stands in its message, images and all.
    return session.messages.select_related("turn__author").defer("turn__input", "turn__draft")


def message_views(session: AgentSession, rows: Sequence[Message]) -> list[MessageView]:
    """Return the views of rows in order; results appear in the message that called, not on their own."""
    answers, approvals = answers_in(rows), approvals_of(rows)
    told_rows = [row for row in rows if row.role != Message.OPAQUE and not is_result(row)]
    views = [_message_view(session, row, answers, approvals) for row in told_rows]
    return [view for row, view in zip(told_rows, views, strict=True) if not _says_nothing(row, view)]


def _says_nothing(row: Message, view: MessageView) -> bool:
    """Tell whether the model sent blanks; the state of the turn says it where it matters."""
    has_content = view.html or view.calls or view.thinking
    return view.role == "assistant" and not has_content and row.cut in {"", Message.Cut.SILENT}


def waiting_views(session: AgentSession) -> list[MessageView]:
    """Return what was asked and has no message yet; the message will carry the id of its turn."""
    rows = Message.objects.filter(session=session, turn__isnull=False).order_by("-sequence")
    last = Coalesce(Subquery(rows.values("turn__index")[:1]), 0)
    turns = session.turns.select_related("author").filter(index__gt=last)
    views: list[MessageView] = []
    for turn in turns.order_by("index"):
        waits = turn.status == Turn.Status.QUEUED
        views.append(
            MessageView(
                id=turn.pk,
                role="user",
                who=_author(turn),
                time=turn.created_at,
                tokens=0,
                html=_html(_input_text(turn.input), turn.pk, session),
                images=image_views(session, turn.pk, turn.input) if isinstance(turn.input, list) else (),
                waits=waits,
                place=1 + sum(view.waits for view in views) if waits else 0,
            )
        )
    return views


def turn_view(session_id: UUID) -> TurnView | None:
    """Return the first unfinished turn of the session, else the last one."""
    return _turn_view(_current_turn(session_id))


def _current_turn(session_id: UUID) -> Turn | None:
    unfinished = Case(When(status__in=Turn.UNFINISHED, then=F("index")), output_field=IntegerField())
    # What it was given may be megabytes of images.
    turns = _asking(Turn.objects.filter(session=session_id)).annotate(waits=unfinished).defer("input")
    return turns.order_by(F("waits").asc(nulls_last=True), "-index").first()


def _turn_view(turn: Turn | None) -> TurnView | None:
    if turn is None:
        return None
    return TurnView(turn.session_id, turn.index, turn.status, turn.error, turn.wake_at, turn.transfer)


def last_spoken(session: AgentSession) -> dict[str, int] | None:
    """Return turn and call of the last model call that is over."""
    calls = session.calls.filter(turn__isnull=False)
    over = calls.exclude(status=ModelCall.Status.RUNNING).order_by("-started_at")
    last = over.values("ordinal", turn_index=F("turn__index")).first()
    return {"turn": last["turn_index"], "call": last["ordinal"]} if last else None


def draft_of(session_id: UUID) -> Mapping[str, Any] | None:
    """Return the answer that is being written, as it was last saved; see ``agents.draft.Draft.as_json``.

    It is blank while a model that was asked has sent nothing.
    """
    running = _asking(Turn.objects.filter(session=session_id, status=Turn.Status.RUNNING)).first()
    return _draft_of(running) if running else None


def _asking(turns: QuerySet[Turn]) -> QuerySet[Turn]:
    """Return the turns with the number of the call that runs, as ``asked``."""
    running = ModelCall.objects.filter(turn=OuterRef("pk"), status=ModelCall.Status.RUNNING)
    return turns.annotate(asked=Subquery(running.order_by("-ordinal").values("ordinal")[:1]))


def _draft_of(turn: Turn) -> Mapping[str, Any] | None:
    saved: Mapping[str, Any] | None = turn.draft
    asked: int | None = getattr(turn, "asked", None)
    if asked is None or (saved and saved["call"] >= asked):
        return saved
    return Draft(turn.index, asked).as_json()


def _message_view(session: AgentSession, row: Message, answers: Answers, approvals: Approvals) -> MessageView:
    role: Role = "user" if row.role == "user" else "assistant" if row.role == "assistant" else "marker"
    who = {"user": _author(row.turn), "assistant": session.profile.name, "marker": "Note to the agent"}[role]
    text = _text(row.blocks)
    return MessageView(
        id=row.pk,
        role=role,
        who=who,
        time=row.created_at,
        tokens=row.tokens,
        html=_html(text, row.pk, session),
        images=image_views(session, row.pk, row.blocks) if role == "user" else (),
        calls=call_views(row, answers, approvals),
        thinking=row.thinking,
        remark=row.remark(),
        is_replaced=row.is_replaced,
    )


def _text(blocks: Iterable[Block]) -> str:
    return "\n\n".join(filter(None, map(_block_text, blocks)))


def _block_text(block: Block) -> str:
    kind = block.get("type")
    if kind in TEXT_BLOCKS:
        return str(block["text"])
    if kind == "input_image_url":
        return "" if is_shown(block) else "*An image.*"
    if kind == "input_file":
        return "*A file.*"
    return ""


def _input_text(given: JSON) -> str:
    if isinstance(given, list):
        return _text(block for block in given if isinstance(block, dict))
    return str(given)


def _author(turn: Turn | None) -> str:
    author = turn.author if turn else None
    return name_of(author) if author else "User"


def _html(text: str, message_id: UUID, session: AgentSession) -> HTML | str:
    if not text.strip():
        return ""
    render = import_string(settings.MESSAGE_RENDERER)
    html: HTML = render(text, f"message-{message_id}", session.pk)
    return html
