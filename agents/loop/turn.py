"""The agentic loop, written once: ask the model, run its tools, until it answers."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, count
from typing import Any, cast

from agents.connectors.base import (
    Connector,
    ConnectorError,
    Done,
    Item,
    ModelRequest,
    TextDelta,
    ThinkingDelta,
    Waiting,
)
from agents.context import AgentContext, json_values
from agents.context.isolation import contain
from agents.context.json_values import JSON
from agents.loop.asking import ask
from agents.loop.events import (
    CallStarted,
    ReplyDiscarded,
    ReplyStored,
    ResultsStored,
    TextStreamed,
    ThinkingStreamed,
    TurnEvent,
    TurnFinished,
    TurnSuspended,
)
from agents.loop.hooks import ErrorReport
from agents.loop.limits import Limits, Meter, Pace
from agents.loop.repeats import Repeats
from agents.loop.suspension import OpenCalls
from agents.loop.tool_calls import (
    STOPPED_RESULT,
    ApproveOrWait,
    Batch,
    Block,
    FailureMode,
    Nothing,
    Workshop,
    nobody_to_ask,
)

WRAP_UP = (
    "You have reached the limit of steps for this task and cannot call tools any more. Answer now, in words, "
    "with what you have: what was done, what you found, and what is left to do."
)
WRAP_UP_STUCK = (
    "The same call has failed {times} times in a row, so you cannot call tools any more in this turn. Answer "
    "now, in words: what was done, what failed and why, and what would help."
)
LIMIT_RESULT = "This call was not carried out: no more tools can be called in this turn."
# Reasons for an empty answer that asking again does not change.
_FINAL = ("content_filter", "error")


class TurnStopped(Exception):
    """A person asked the turn to stop; the context is complete and can be continued."""


class TooManyCalls(Exception):
    """The turn reached its limit of model calls without an answer; raise the limit or split the task."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"The agent asked for tools {limit} times without answering, which is this turn's limit. "
            "Retry to let it go on, or split the task."
        )
        self.limit = limit


class SameFailure(TooManyCalls):
    """The model made the same failing call again and again, and answered nothing when it was asked to."""

    def __init__(self, times: int, error: str) -> None:
        Exception.__init__(
            self,
            f"The agent made the same call {times} times, and each time it failed: {error.rstrip('.')}. "
            "Change its instructions or the task, or take another model.",
        )
        self.limit = times


def _nothing(*_: object) -> None:
    """Do nothing; the default of the loop's hooks."""


@dataclass(frozen=True)
class Loop:
    """One agent's loop over a context.

    Attributes:
        model: the model's name as the connector knows it.
        settings: of the provider, such as ``temperature``.
        max_calls: model calls of one turn before it is asked to answer without tools.
        limits: what else a turn may use.
        before_call: called right before the context is prepared, for example to take over others' edits.
        before_request: gets the request right before the model is asked, for example to note it.
        check_stop: called between steps; raises TurnStopped when the turn shall end.
        watch_stop: called in its place while the model or parallel tools work, which is often.
        hold: called between steps; returns when the turn may go on.
        inbox: gives what was said since it was last called; it joins the input of the next model call.
        approve: asked before a tool with the permission ``ask`` runs.
        failure_mode: whether a failing tool ends the turn.
        after_parallel: called on the thread of a parallel tool when it is done.
        own_thread: ask a connector that is not async on a thread that can be left behind.
        can_wait: a call that cannot be carried out yet ends the run with TurnSuspended; otherwise it fails.
        open_calls: what an earlier run left open; it is finished before the model is asked.
    """

    context: AgentContext
    connector: Connector
    model: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    max_calls: int = 50
    limits: Limits = field(default_factory=Limits)
    pace: Pace = field(default_factory=Pace)
    before_call: Nothing = _nothing
    before_request: Callable[[ModelRequest], None] = _nothing
    check_stop: Nothing = _nothing
    watch_stop: Nothing | None = None
    hold: Nothing = _nothing
    inbox: Callable[[], Sequence[str]] = tuple
    approve: ApproveOrWait = nobody_to_ask
    failure_mode: FailureMode = "continue"
    after_parallel: Nothing = _nothing
    own_thread: bool = False
    can_wait: bool = False
    open_calls: OpenCalls | None = None

    def run(self) -> Generator[TurnEvent, None, None]:
        """Yield events until the model answers; the input must already be in the context.

        The context is complete after every event that stores, and whenever the turn ends: a consumer may
        stop there. Only a run that ends with TurnSuspended leaves calls open, for a later run that is given
        them as ``open_calls``. At the limit of model calls, and when the same calls fail again and again,
        one more is made without tools, for an answer with what there is.

        Raises:
            TurnStopped: ``check_stop`` asked for it; calls of the last reply are answered with a note.
            TooManyCalls: even then the model asked for tools and said nothing; ``SameFailure`` says why.
            LimitReached: another limit was reached.
            ToolFailed: a tool failed and ``failure_mode`` is ``fail``.
            ConnectorError: the model could not be asked.
            agents.context.errors.ContextOverflow: the prompt cannot fit.
        """
        try:
            yield from _Turn(self).play()
        except TurnStopped:
            raise
        except Exception as fault:
            self.context.hooks.run("on_error", ErrorReport(self.context.agent_id, fault))
            raise


class _Turn:
    """One play of the loop, with what it has used so far."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._context = loop.context
        self._meter = Meter(loop.limits, loop.pace)
        self._repeats = Repeats()
        self._workshop = Workshop(
            context=loop.context,
            meter=self._meter,
            pace=loop.pace,
            step=self._step,
            watch=self._watch,
            approve=loop.approve,
            failure_mode=loop.failure_mode,
            after_parallel=loop.after_parallel,
            can_wait=loop.can_wait,
        )

    def play(self) -> Iterator[TurnEvent]:
        """Yield events until there is an answer, or a call that waits."""
        left_open = self._loop.open_calls
        if left_open and not (yield from self._carry_out(Batch(self._workshop, left_open))):
            return
        for left in range(self._loop.max_calls - 1, -1, -1):
            self._step()
            self._read_inbox()
            reply = yield from self._answer()
            if not (yield from self._take(reply)):
                return
            if not _calls(reply) and not (left and self._read_inbox()):
                yield _finished(reply)
                return
            if self._repeats.is_stuck:
                break
        yield from self._wrap_up()

    def _wrap_up(self) -> Iterator[TurnEvent]:
        """Ask once more, without tools, for an answer with what there is."""
        self._step()
        reply = yield from self._answer(may_call_tools=False)
        yield from self._take(reply, may_call_tools=False)
        if _calls(reply) and _is_silent(reply):
            if self._repeats.is_stuck:
                raise SameFailure(self._repeats.times, self._repeats.error)
            raise TooManyCalls(self._loop.max_calls)
        yield TurnFinished(_text(reply), "empty" if _is_silent(reply) else "limited")

    def _answer(self, *, may_call_tools: bool = True) -> Generator[TurnEvent, None, Done]:
        """Ask until the reply is not empty, three times at most; returns it to ``yield from``."""
        reply = yield from self._ask(may_call_tools=may_call_tools)
        for wait_s in self._loop.pace.waits():
            if _calls(reply) or not _is_silent(reply) or reply.is_final or reply.finish_reason in _FINAL:
                break
            yield ReplyDiscarded(reply, wait_s)
            self._loop.pace.rest(wait_s, self._watch)
            reply = yield from self._ask(may_call_tools=may_call_tools)
        return reply

    def _ask(self, *, may_call_tools: bool) -> Generator[TurnEvent, None, Done]:
        """Ask once; returns the reply to ``yield from``."""
        loop = self._loop
        self._meter.check()
        yield CallStarted(self._meter.count_model_call())
        loop.before_call()
        prepared = self._context.prepare()
        items = prepared.input if may_call_tools else [*prepared.input, self._wrap_up_item()]
        request = ModelRequest(items, prepared.tools, loop.model, loop.settings, may_call_tools)
        loop.before_request(request)
        reply = yield from self._read(request)
        self._count(reply, prepared.budget.total_used)
        return reply

    def _read(self, request: ModelRequest) -> Generator[TurnEvent, None, Done]:
        """Stream the reply, with everything that no database takes repaired; returns it to ``yield from``."""
        done: Done | None = None
        loop = self._loop
        events = ask(loop.connector, request, watch=self._watch, pace=loop.pace, own_thread=loop.own_thread)
        with closing(events):
            for event in events:
                match event:
                    case TextDelta():
                        yield TextStreamed(json_values.repair_text(event.text))
                    case ThinkingDelta():
                        yield ThinkingStreamed(json_values.repair_text(event.text))
                    case Done():
                        done = event
                    case Waiting():
                        pass
                    case _:
                        yield event
        if done is None:
            raise ConnectorError("The model's answer broke off before its end. Retry the turn.")
        is_list = isinstance(done.output, Sequence)
        if not is_list or not all(isinstance(item, Mapping) for item in done.output):
            raise ConnectorError("The connector's Done holds no list of output items. Mend the connector.")
        output = [cast(Item, json_values.repair(cast(JSON, item))) for item in done.output]
        return replace(done, output=_with_own_ids(output))

    def _take(self, reply: Done, *, may_call_tools: bool = True) -> Generator[TurnEvent, None, bool]:
        """Put the reply into the context, and a result for each of its calls, whatever happens meanwhile.

        Returns False when calls wait, so that the run is over.
        """
        batch = Batch(self._workshop, OpenCalls(_calls(reply), is_cut=reply.finish_reason == "length"))
        self._context.add_assistant_response(reply.output)
        return (yield from self._carry_out(batch, ReplyStored(reply), may_call_tools=may_call_tools))

    def _carry_out(
        self, batch: Batch, *events: TurnEvent, may_call_tools: bool = True
    ) -> Generator[TurnEvent, None, bool]:
        try:
            yield from events
            if may_call_tools:
                yield from batch.run()
        except BaseException as stop:
            batch.settle(STOPPED_RESULT)
            if batch.calls and isinstance(stop, Exception):
                yield ResultsStored()
            raise
        if batch.waiting:
            yield TurnSuspended(batch.waiting, dict(batch.results))
            return False
        batch.settle(LIMIT_RESULT)
        if batch.calls:
            if may_call_tools:
                self._repeats.note(batch)
            yield ResultsStored()
        return True

    def _wrap_up_item(self) -> Item:
        text = WRAP_UP_STUCK.format(times=self._repeats.times) if self._repeats.is_stuck else WRAP_UP
        content = [{"type": "input_text", "text": text}]
        return {"type": "message", "id": "wrap_up", "role": "user", "content": content}

    def _count(self, reply: Done, prompt_tokens: int) -> None:
        if reply.usage.input_tokens is not None:
            # A figure that is none spoils no answer.
            contain("Noting the usage", partial(self._context.record_usage, reply.usage.input_tokens))
        if self._loop.limits.max_tokens is not None:
            reply_tokens = self._context.estimator.estimate_data_tokens(reply.output)
            self._meter.count_reply(reply.usage, prompt_tokens=prompt_tokens, reply_tokens=reply_tokens)

    def _step(self) -> None:
        self._loop.hold()
        self._loop.check_stop()
        self._meter.check_time()

    def _watch(self) -> None:
        watch_stop = self._loop.watch_stop or self._loop.check_stop
        watch_stop()
        self._meter.check_time()

    def _read_inbox(self) -> bool:
        """Return whether something was said; it is added to the pending input, never in its place."""
        said = self._loop.inbox()
        for each in said:
            self._context.add_user_message(each)
        return bool(said)


def _with_own_ids(output: list[Item]) -> list[Item]:
    """Return the output with another id for each call that repeats one: a result belongs to one call."""
    known: set[str] = set()

    def own(block: Block) -> Block:
        if block.get("type") != "tool_use":
            return block
        names = chain([block["id"]], (f"{block['id']}-{number}" for number in count(2)))
        name = next(each for each in names if each not in known)
        known.add(name)
        return {**block, "id": name}

    return [
        {**item, "content": [own(block) for block in item["content"]]} if "content" in item else item
        for item in output
    ]


def _finished(reply: Done) -> TurnFinished:
    if _is_silent(reply):
        return TurnFinished(_text(reply), "empty")
    return TurnFinished(_text(reply), "cut_off" if reply.finish_reason == "length" else "completed")


def _is_silent(reply: Done) -> bool:
    return not _text(reply).strip()


def _calls(reply: Done) -> list[Block]:
    return _blocks(reply, "tool_use")


def _text(reply: Done) -> str:
    return "".join(block["text"] for block in _blocks(reply, "output_text"))


def _blocks(reply: Done, kind: str) -> list[Block]:
    return [block for item in reply.output for block in item.get("content", ()) if block.get("type") == kind]
