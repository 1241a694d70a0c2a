"""The tool calls of one reply: decided, carried out one after another or side by side, and answered."""

import contextvars
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from agents.context import AgentContext, json_values
from agents.context.background import Answer, Watch, start, staying
from agents.context.errors import CallSuspended, InvalidItem, TurnAborted, words_of
from agents.context.json_values import JSON, InvalidJSON
from agents.context.messages import ToolOutcome
from agents.context.tools import ToolCallState
from agents.loop.events import ToolFinished, ToolStarted, TurnEvent, WaitingCall
from agents.loop.hooks import AfterToolExecution, BeforeToolExecution, Mock, Skip, decide
from agents.loop.kept_results import keepable
from agents.loop.limits import Meter, Pace
from agents.loop.suspension import LATER, Later, OpenCalls

Block = Mapping[str, Any]
Nothing = Callable[[], None]
FailureMode = Literal["continue", "fail"]

MAX_PARALLEL = 8
STOPPED_RESULT = "This call was not carried out: the turn was stopped before it."
UNKNOWN_RESULT = (
    "The turn was stopped while this call was running, so whether it took effect is unknown. "
    "Check before you repeat it."
)
UNREADABLE_ARGUMENTS = "The arguments could not be read. {fault}. Nothing was done; repeat the call."
CUT_ARGUMENTS = (
    "The answer was cut off within these arguments, most likely at its limit of length. Nothing was done. "
    "Call again with less at once, for example in several calls."
)
NOBODY_TO_ASK = "This tool needs a person's approval, and nobody can be asked here. Do without it."
CANNOT_WAIT = "This call would have to wait, which is not possible here. Do without it."


class ToolFailed(Exception):
    """A tool failed and the host wants that to end the turn; the context is complete and can be continued.

    Attributes:
        tool_name: which one.
        result: what the model would read.
    """

    def __init__(self, tool_name: str, result: JSON) -> None:
        super().__init__(f"The tool {tool_name} failed: {_error_of(result)}")
        self.tool_name = tool_name
        self.result = result


class _Left(TurnAborted):
    """A call was left behind while it ran, because the turn shall end."""

    def __init__(self, stop: Exception) -> None:
        super().__init__(str(stop))
        self.stop = stop


@dataclass(frozen=True)
class ToolCall:
    """One call as it is carried out.

    Attributes:
        arguments: empty when the model sent none that can be read.
        refusal: the result when it is not carried out at all.
        place: among the calls of its reply, from 0.
    """

    id: str
    name: str
    arguments: dict[str, JSON]
    refusal: JSON = None
    place: int = 0


Approve = Callable[[ToolCall], Answer[str | None]]
"""Asked for a tool that needs a person's approval; returns None, or why it may not run. While a coroutine
function waits for the person, the turn can be stopped."""

ApproveOrWait = Callable[[ToolCall], Answer[str | Later | None]]
"""The same for a turn that may be left: ``LATER`` leaves the call open."""


def nobody_to_ask(call: ToolCall) -> str:
    """Return why a tool that needs approval does not run where nobody can give it."""
    return NOBODY_TO_ASK


@dataclass(frozen=True)
class Workshop:
    """What every batch of one turn works with.

    Attributes:
        step: called before each call; raises when the turn shall end.
        watch: the same, called while calls run side by side.
        after_parallel: called on the thread of a parallel call when it is done.
        can_wait: whether calls may be left open for a later run of the turn.
    """

    context: AgentContext
    meter: Meter
    pace: Pace
    step: Nothing
    watch: Nothing
    approve: ApproveOrWait
    failure_mode: FailureMode
    after_parallel: Nothing
    can_wait: bool


@dataclass(frozen=True)
class _Ran:
    result: JSON
    duration_ms: int = 0
    until: datetime | None = None


class Batch:
    """The calls of one reply and the results so far.

    Attributes:
        calls: in the model's order.
        results: of the calls that were carried out, by place.
    """

    def __init__(self, workshop: Workshop, calls: OpenCalls) -> None:
        self._workshop = workshop
        last = len(calls.blocks) - 1
        self.calls = [
            _read(block, place, is_cut=calls.is_cut and place == last)
            for place, block in enumerate(calls.blocks)
        ]
        self.results: dict[int, JSON] = dict(calls.results)
        # The time that a call waits for; None for a person.
        self._waiting: dict[int, datetime | None] = dict(calls.sleeping)
        self._running: dict[int, Future[_Ran]] = {}
        self._pool: ThreadPoolExecutor | None = None
        # Places of calls that were left behind while they ran.
        self._left: set[int] = set()

    def run(self) -> Iterator[TurnEvent]:
        """Carry the calls out; those marked parallel run beside the others, which keep their order.

        A call that waits holds up those that follow it, except parallel ones; people are asked about all
        calls of the reply at once.

        Raises:
            LimitReached: the tool calls of the turn are used up.
            ToolFailed: one failed and that shall end the turn.
            TurnAborted: a host ends the turn.
        """
        try:
            for place in range(len(self.calls)):
                if place in self.results:
                    continue
                self._workshop.step()
                if place in self._waiting:
                    continue
                yield from self._carry_out(place)
            yield from self._collect()
        finally:
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)

    @property
    def waiting(self) -> list[WaitingCall]:
        """The calls that cannot be carried out yet."""
        return [
            WaitingCall(place, call.id, call.name, call.arguments, self._waiting[place])
            for place, call in enumerate(self.calls)
            if place in self._waiting
        ]

    def failures(self) -> tuple[tuple[str, str], ...]:
        """Return name and error of every call, nothing when one did not fail."""
        failed = [
            (call.name, _error_of(self.results[place]))
            for place, call in enumerate(self.calls)
            if _is_failure(self.results.get(place))
        ]
        return tuple(failed) if len(failed) == len(self.calls) else ()

    def settle(self, note: str) -> None:
        """Put one result per call into the context, in order; calls without one are answered with a note.

        A result that cannot be kept is answered with an error.
        """
        if self.calls and not self._workshop.context.is_destroyed:
            outcomes = [self._outcome(place, note) for place in range(len(self.calls))]
            try:
                self._workshop.context.add_tool_results(outcomes)
            except InvalidItem:
                self._workshop.context.add_tool_results(keepable(outcomes))

    def _carry_out(self, place: int) -> Iterator[TurnEvent]:
        is_asked = self._needs_approval(self.calls[place])
        if self._is_held_up(place) and not is_asked:
            return
        call = self.calls[place] = self._decided(self.calls[place])
        if is_asked and call.refusal is None:
            answer = self._ask_for_approval(call)
            if isinstance(answer, Later):
                self._waiting[place] = None
                return
            if answer is not None:
                call = self.calls[place] = replace(call, refusal=_failure(call.name, "NotApproved", answer))
        if call.refusal is None:
            if self._is_held_up(place):
                return
            self._workshop.meter.count_tool_call()
        yield ToolStarted(call.name, call.arguments, call.id, place)
        if call.refusal is not None:
            yield from self._finish(place, _Ran(call.refusal))
        elif self._is_parallel(call):
            self._pool = self._pool or ThreadPoolExecutor(MAX_PARALLEL, "contextsite-tool")
            within = contextvars.copy_context()
            self._running[place] = self._pool.submit(within.run, self._run_apart, call)
        else:
            yield from self._finish(place, self._run_watched(call))

    def _decided(self, call: ToolCall) -> ToolCall:
        """Return the call with what hooks made of it."""
        context = self._workshop.context
        if call.refusal is not None:
            return call
        asked = BeforeToolExecution(context.agent_id, call.id, call.name, call.arguments)
        decision = decide(context.hooks, asked)
        if isinstance(decision, Mock):
            return replace(call, refusal=decision.result)
        if isinstance(decision, Skip):
            return replace(call, refusal=_failure(call.name, "Skipped", decision.reason))
        return replace(call, arguments=decision.arguments)

    def _needs_approval(self, call: ToolCall) -> bool:
        found = self._workshop.context.tools.get(call.name)
        return found is not None and found.permission != "always"

    def _is_held_up(self, place: int) -> bool:
        """Tell whether a call must wait for an earlier one, so that the order of the calls is kept."""
        if self._is_parallel(self.calls[place]):
            return False
        return any(before < place and not self._is_parallel(self.calls[before]) for before in self._waiting)

    def _ask_for_approval(self, call: ToolCall) -> str | Later | None:
        with staying():
            answer = self._wait_for_answer(self._workshop.approve(call))
        return NOBODY_TO_ASK if answer is LATER and not self._workshop.can_wait else answer

    def _wait_for_answer(self, answer: Answer[str | Later | None]) -> str | Later | None:
        if not isinstance(answer, Awaitable):
            return answer
        asked = start(answer)
        try:
            while not wait([asked], self._workshop.pace.poll_s).done:
                self._workshop.watch()
            return asked.result()
        finally:
            asked.cancel()

    def _is_parallel(self, call: ToolCall) -> bool:
        found = self._workshop.context.tools.get(call.name)
        return found is not None and found.parallel and len(self.calls) > 1

    def _run_watched(self, call: ToolCall) -> _Ran:
        """Run the tool; where it can be left behind, it is when the turn shall end."""

        def look() -> None:
            try:
                self._workshop.watch()
            except Exception as stop:
                raise _Left(stop) from stop

        try:
            return self._run_tool(call, Watch(look, self._workshop.pace.poll_s))
        except _Left as left:
            self._left.add(call.place)
            raise left.stop from None

    def _run_tool(self, call: ToolCall, watch: Watch | None = None) -> _Ran:
        clock = self._workshop.pace.clock
        began = clock()
        until: datetime | None = None
        try:
            result = self._workshop.context.tools.execute(call.name, call.arguments, watch)
        except CallSuspended as wish:
            result = _failure(call.name, "CannotWait", CANNOT_WAIT)
            until = wish.until if self._workshop.can_wait else None
        return _Ran(result, round((clock() - began) * 1000), until)

    def _run_apart(self, call: ToolCall) -> _Ran:
        try:
            return self._run_tool(call)
        finally:
            self._workshop.after_parallel()

    def _collect(self) -> Iterator[TurnEvent]:
        """Yield the parallel calls as they finish."""
        left = dict(self._running)
        while left:
            wait(left.values(), self._workshop.pace.poll_s, FIRST_COMPLETED)
            self._workshop.watch()
            for place in [place for place, future in left.items() if future.done()]:
                yield from self._finish(place, left.pop(place).result())

    def _finish(self, place: int, ran: _Ran) -> Iterator[TurnEvent]:
        call, context = self.calls[place], self._workshop.context
        if ran.until is not None:
            self._waiting[place] = ran.until
            return
        self.results[place] = ran.result
        failed = _is_failure(ran.result)
        report = AfterToolExecution(
            context.agent_id, call.id, call.name, call.arguments, ran.result, failed, ran.duration_ms
        )
        context.hooks.run("after_tool_execution", report)
        yield ToolFinished(call.name, failed, call.id, ran.result)
        if failed and self._workshop.failure_mode == "fail":
            raise ToolFailed(call.name, ran.result)

    def _outcome(self, place: int, note: str) -> ToolOutcome:
        call = self.calls[place]
        if place in self.results:
            return _outcome(call, self.results[place])
        if place in self._left:
            return _noted(call, UNKNOWN_RESULT)
        future = self._running.get(place)
        if future is None or future.cancel():
            return _noted(call, note)
        if future.done() and future.exception() is None:
            ran = future.result()
            return _outcome(call, ran.result) if ran.until is None else _noted(call, note)
        return _noted(call, UNKNOWN_RESULT)


def _read(block: Block, place: int, *, is_cut: bool) -> ToolCall:
    id_, name = str(block["id"]), str(block["name"])
    try:
        arguments = json_values.repair(json_values.decode(str(block.get("arguments") or "{}")))
        if not isinstance(arguments, dict):
            raise InvalidJSON("arguments", "not a JSON object; send one object with the tool's parameters")
    except InvalidJSON as fault:
        text = CUT_ARGUMENTS if is_cut else UNREADABLE_ARGUMENTS.format(fault=fault)
        return ToolCall(id_, name, {}, _failure(name, "InvalidArguments", text), place)
    return ToolCall(id_, name, arguments, place=place)


def _failure(tool_name: str, kind: str, reason: object) -> JSON:
    text = json_values.repair_text(reason if isinstance(reason, str) else words_of(reason))
    return {"success": False, "error": text, "errorType": kind, "toolName": tool_name}


def _is_failure(result: JSON) -> bool:
    return isinstance(result, dict) and result.get("success") is False


def _error_of(result: JSON) -> str:
    return str(result.get("error", "failed")) if isinstance(result, dict) else "failed"


def _outcome(call: ToolCall, result: JSON) -> ToolOutcome:
    if not isinstance(result, dict) or not _is_failure(result):
        return ToolOutcome(tool_use_id=call.id, content=result, state=ToolCallState.COMPLETED)
    is_late = result.get("errorType") == "ToolTimeout"
    state = ToolCallState.TIMEOUT if is_late else ToolCallState.FAILED
    return ToolOutcome(tool_use_id=call.id, content=result, state=state, error=_error_of(result))


def _noted(call: ToolCall, note: str) -> ToolOutcome:
    return ToolOutcome(tool_use_id=call.id, content=note, state=ToolCallState.FAILED, error=note)
