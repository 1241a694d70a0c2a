"""The tool calls of one reply: decided, carried out one after another or side by side, and answered."""

import contextvars
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Any, Literal

from agents.context import AgentContext, json_values
from agents.context.background import Answer, start
from agents.context.json_values import JSON, InvalidJSON
from agents.context.messages import ToolOutcome
from agents.context.tools import ToolCallState
from agents.loop.events import ToolFinished, ToolStarted, TurnEvent
from agents.loop.hooks import AfterToolExecution, BeforeToolExecution, Mock, Skip, decide
from agents.loop.limits import Meter, Pace

Block = Mapping[str, Any]
Nothing = Callable[[], None]
FailureMode = Literal["continue", "fail"]

MAX_PARALLEL = 8
STOPPED_RESULT = "This call was not carried out: the turn was stopped before it."
UNKNOWN_RESULT = (
    "The turn was stopped while this call was running, so whether it took effect is unknown. "
    "Check before you repeat it."
)
NOBODY_TO_ASK = "This tool needs a person's approval, and nobody can be asked here. Do without it."


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


@dataclass(frozen=True)
class ToolCall:
    """One call as it is carried out.

    Attributes:
        arguments: empty when the model sent none that can be read.
        refusal: the result when it is not carried out at all.
    """

    id: str
    name: str
    arguments: dict[str, JSON]
    refusal: JSON = None


Approve = Callable[[ToolCall], Answer[str | None]]
"""Asked for a tool that needs a person's approval; returns None, or why it may not run. While a coroutine
function waits for the person, the turn can be stopped."""


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
    """

    context: AgentContext
    meter: Meter
    pace: Pace
    step: Nothing
    watch: Nothing
    approve: Approve
    failure_mode: FailureMode
    after_parallel: Nothing


@dataclass(frozen=True)
class _Ran:
    result: JSON
    duration_ms: int = 0


class Batch:
    """The calls of one reply and the results so far.

    Attributes:
        calls: in the model's order.
    """

    def __init__(self, workshop: Workshop, blocks: Sequence[Block]) -> None:
        self._workshop = workshop
        self.calls = [_read(block) for block in blocks]
        self._results: dict[int, JSON] = {}
        self._running: dict[int, Future[_Ran]] = {}
        self._pool: ThreadPoolExecutor | None = None

    def run(self) -> Iterator[TurnEvent]:
        """Carry the calls out; those marked parallel run beside the others, which keep their order.

        Raises:
            LimitReached: the tool calls of the turn are used up.
            ToolFailed: one failed and that shall end the turn.
            TurnAborted: a host ends the turn.
        """
        try:
            for place in range(len(self.calls)):
                self._workshop.step()
                yield from self._carry_out(place)
            yield from self._collect()
        finally:
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)

    def settle(self, note: str) -> None:
        """Put one result per call into the context, in order; calls without one are answered with a note."""
        if self.calls and not self._workshop.context.is_destroyed:
            outcomes = [self._outcome(place, note) for place in range(len(self.calls))]
            self._workshop.context.add_tool_results(outcomes)

    def _carry_out(self, place: int) -> Iterator[TurnEvent]:
        call = self.calls[place] = self._decided(self.calls[place])
        yield ToolStarted(call.name, call.arguments, call.id)
        if call.refusal is not None:
            yield from self._finish(place, _Ran(call.refusal))
        elif self._is_parallel(call):
            self._pool = self._pool or ThreadPoolExecutor(MAX_PARALLEL, "contextsite-tool")
            within = contextvars.copy_context()
            self._running[place] = self._pool.submit(within.run, self._run_apart, call)
        else:
            yield from self._finish(place, self._run_tool(call))

    def _decided(self, call: ToolCall) -> ToolCall:
        """Return the call with what hooks and people made of it."""
        context = self._workshop.context
        if call.refusal is not None:
            return call
        asked = BeforeToolExecution(context.agent_id, call.id, call.name, call.arguments)
        decision = decide(context.hooks, asked)
        if isinstance(decision, Mock):
            return replace(call, refusal=decision.result)
        if isinstance(decision, Skip):
            return replace(call, refusal=_failure(call.name, "Skipped", decision.reason))
        call = replace(call, arguments=decision.arguments)
        found = context.tools.get(call.name)
        if found is not None and found.permission == "ask":
            refused = self._ask_for_approval(call)
            if refused is not None:
                return replace(call, refusal=_failure(call.name, "NotApproved", refused))
        self._workshop.meter.count_tool_call()
        return call

    def _ask_for_approval(self, call: ToolCall) -> str | None:
        answer = self._workshop.approve(call)
        if not isinstance(answer, Awaitable):
            return answer
        asked = start(_await(answer))
        try:
            while not wait([asked], self._workshop.pace.poll_s).done:
                self._workshop.watch()
            return asked.result()
        finally:
            asked.cancel()

    def _is_parallel(self, call: ToolCall) -> bool:
        found = self._workshop.context.tools.get(call.name)
        return found is not None and found.parallel and len(self.calls) > 1

    def _run_tool(self, call: ToolCall) -> _Ran:
        clock = self._workshop.pace.clock
        began = clock()
        result = self._workshop.context.tools.execute(call.name, call.arguments)
        return _Ran(result, round((clock() - began) * 1000))

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
        self._results[place] = ran.result
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
        if place in self._results:
            return _outcome(call, self._results[place])
        future = self._running.get(place)
        if future is None or future.cancel():
            return _noted(call, note)
        if future.done() and future.exception() is None:
            return _outcome(call, future.result().result)
        return _noted(call, UNKNOWN_RESULT)


async def _await(answer: Awaitable[str | None]) -> str | None:
    return await answer


def _read(block: Block) -> ToolCall:
    id_, name = str(block["id"]), str(block["name"])
    try:
        arguments = json_values.repair(json_values.decode(str(block.get("arguments") or "{}")))
        if not isinstance(arguments, dict):
            raise InvalidJSON("arguments", "not a JSON object; send one object with the tool's parameters")
    except InvalidJSON as fault:
        text = f"The arguments could not be read. {fault}. Nothing was done; repeat the call."
        return ToolCall(id_, name, {}, _failure(name, "InvalidArguments", text))
    return ToolCall(id_, name, arguments)


def _failure(tool_name: str, kind: str, text: str) -> JSON:
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
