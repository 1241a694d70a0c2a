"""Tool calls as people read them inside the message that made them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from django.urls import reverse

from agents.context import json_values
from agents.context.json_values import JSON, InvalidJSON
from agents.models import Message, ToolApproval, Turn
from agents.people import name_of
from agents.visible_text import call_name, unhidden

SUMMARY_CHARACTERS = 120
# Characters of a call's arguments or result on the page; the rows keep everything.
MOST_CALL_CHARACTERS = 20_000

CallState = Literal["running", "waiting", "done", "failed"]
Block = Mapping[str, Any]
# The message and the block that answered a call.
Answer = tuple[Message, Block]
# By message and call.
Answers = Mapping[tuple[UUID, str], Answer]
# By message and place among its calls.
Approvals = Mapping[tuple[UUID, int], ToolApproval]


@dataclass(frozen=True)
class CallView:
    """One tool call as a template shows it.

    Attributes:
        summary: the arguments in one short line.
        arguments: the arguments, indented.
        result: the result, indented; empty while there is none.
        effect: why it failed, in a few words; empty otherwise.
        duration: how long it took, in words; empty when unknown.
        approval: the open question to people, if the call waits for them.
    """

    id: str
    name: str
    summary: str
    arguments: str
    result: str
    state: CallState
    effect: str
    duration: str
    approval: "ApprovalView | None" = None


@dataclass(frozen=True)
class ApprovalView:
    """An open question to people as a template shows it.

    Attributes:
        arguments: all of them, indented; characters that show nothing are written as escapes.
        digest: names these arguments in the answer.
        url: where the answer goes.
    """

    id: UUID
    tool: str
    risk: str
    arguments: str
    digest: str
    url: str


def is_result(row: Message) -> bool:
    """Tell whether a message holds nothing but results of tool calls."""
    return bool(row.blocks) and all(_is_result_block(block) for block in row.blocks)


def called_by(row: Message) -> set[str]:
    """Return the ids of the calls whose results a message holds."""
    return {block["tool_use_id"] for block in row.blocks if _is_result_block(block)}


def calls_of(row: Message) -> set[str]:
    """Return the ids of the calls that a message makes."""
    return {block["id"] for block in row.blocks if block.get("type") == "tool_use"}


def answers_in(rows: Iterable[Message]) -> Answers:
    """Return the results by message and call; providers may use the id of a call again later."""
    callers: dict[str, UUID] = {}
    answers: dict[tuple[UUID, str], Answer] = {}
    for row in rows:
        for block in row.blocks:
            if block.get("type") == "tool_use":
                callers[block["id"]] = row.pk
            elif _is_result_block(block) and block["tool_use_id"] in callers:
                answers[callers[block["tool_use_id"]], block["tool_use_id"]] = (row, block)
    return answers


def approvals_of(rows: Sequence[Message]) -> Approvals:
    """Return what people were asked and decided about the calls of the messages."""
    with_calls = [row.pk for row in rows if calls_of(row)]
    found = ToolApproval.objects.filter(message__in=with_calls).select_related("decided_by")
    return {(each.message_id, each.place): each for each in found} if with_calls else {}


def call_views(row: Message, answers: Answers, approvals: Approvals) -> Sequence[CallView]:
    """Return the calls that a message makes, in order."""
    uses = [block for block in row.blocks if block.get("type") == "tool_use"]
    return [
        _with_waiting(
            _call_view(row, use, answers.get((row.pk, use["id"])), is_only=len(uses) == 1),
            row,
            place,
            approvals.get((row.pk, place)),
        )
        for place, use in enumerate(uses)
    ]


def _with_waiting(view: CallView, row: Message, place: int, approval: ToolApproval | None) -> CallView:
    """Return the view with what people decided, or what the call waits for."""
    if view.state == "running" and row.turn is not None and row.turn.status == Turn.Status.WAITING:
        return _held(view, row.turn, place, approval)
    if approval is None or approval.decided_by is None:
        return view
    return (
        view if view.effect else replace(view, effect=f"{approval.status} by {name_of(approval.decided_by)}")
    )


def _held(view: CallView, turn: Turn, place: int, approval: ToolApproval | None) -> CallView:
    results, sleeping = turn.progress.get("results", {}), turn.progress.get("sleeping", {})
    if str(place) in results:
        result = results[str(place)]
        failed = isinstance(result, dict) and result.get("success") is False
        return replace(view, state="failed" if failed else "done", result=_pretty(result))
    if str(place) in sleeping:
        until = datetime.fromisoformat(sleeping[str(place)])
        return replace(view, state="waiting", effect=f"until {until:%Y-%m-%d %H:%M %Z}")
    if approval is None or approval.status != ToolApproval.Status.PENDING:
        return replace(view, state="waiting", effect="waits for an earlier call")
    return replace(view, state="waiting", effect="needs approval", approval=_approval_view(turn, approval))


def _approval_view(turn: Turn, approval: ToolApproval) -> ApprovalView:
    return ApprovalView(
        id=approval.pk,
        tool=approval.tool,
        risk=approval.risk,
        arguments=unhidden(json_values.shown(_parsed(approval.arguments), indent=2)),
        digest=approval.digest,
        url=reverse("approval-decide", args=[turn.session_id, approval.pk]),
    )


def _call_view(row: Message, use: Block, answer: Answer | None, *, is_only: bool) -> CallView:
    arguments = _parsed(use.get("arguments") or "{}")
    result, error, duration = "", "", ""
    if answer is not None:
        answering, block = answer
        said = _parsed(block.get("content", ""))
        result, error = _pretty(said), str(block.get("error") or _refusal(said))
        # Results of one batch are stored together, so only a single call's time is its own.
        duration = _duration(answering.created_at - row.created_at) if is_only else ""
    return CallView(
        id=str(use["id"]),
        name=call_name(str(use["name"])),
        summary=unhidden(_summary(arguments)),
        arguments=unhidden(_pretty(arguments)),
        result=result,
        state=_state(row, answer, error),
        effect=_clip(error, SUMMARY_CHARACTERS),
        duration=duration,
    )


def _refusal(said: JSON) -> str:
    """Return why a tool that answered did nothing, as the stores say it; empty when it did something."""
    if not isinstance(said, dict) or not isinstance(said.get("error"), str):
        return ""
    is_refused = said.get("success") is False or said.get("reason") == "conflict"
    return str(said["error"]) if is_refused else ""


def _state(row: Message, answer: Answer | None, error: str) -> CallState:
    if answer is not None:
        return "failed" if error else "done"
    is_running = row.turn is not None and row.turn.status in Turn.UNFINISHED
    return "running" if is_running else "failed"


def _summary(arguments: JSON) -> str:
    if isinstance(arguments, dict):
        named = [arguments[name] for name in ("store", "key") if isinstance(arguments.get(name), str)]
        if named:
            return _clip("/".join(map(str, named)), SUMMARY_CHARACTERS)
        if len(arguments) == 1:
            (only,) = arguments.values()
            return _one_line(only)
        if not arguments:
            return ""
    return _clip(
        arguments if isinstance(arguments, str) else json_values.shown(arguments), SUMMARY_CHARACTERS
    )


def _one_line(value: JSON) -> str:
    return _clip(value if isinstance(value, str) else json_values.shown(value), SUMMARY_CHARACTERS)


def _parsed(content: JSON) -> JSON:
    """Return JSON text parsed, and anything else as it is."""
    if not isinstance(content, str):
        return content
    try:
        return json_values.repair(json_values.decode(content))
    except InvalidJSON:
        return content


def _pretty(value: JSON) -> str:
    text = value if isinstance(value, str) else json_values.shown(value, indent=2)
    if len(text) <= MOST_CALL_CHARACTERS:
        return text
    return f"{text[:MOST_CALL_CHARACTERS]}\n… {len(text) - MOST_CALL_CHARACTERS:,} more characters"


def _clip(text: str, most: int) -> str:
    line = " ".join(text[: most * 4].split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _duration(took: timedelta) -> str:
    seconds = max(0.0, took.total_seconds())
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _is_result_block(block: Block) -> bool:
    return block.get("type") == "tool_result"
