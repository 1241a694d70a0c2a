"""The agentic loop, written once: ask the model, run its tools, until it answers."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from agents.connectors.base import Connector, ConnectorError, Done, ModelRequest, TextDelta
from agents.context import AgentContext, json_values
from agents.context.json_values import JSON, InvalidJSON
from agents.context.messages import ToolOutcome
from agents.context.tools import ToolCallState
from agents.loop.events import (
    CallStarted,
    ReplyStored,
    ResultsStored,
    TextStreamed,
    ToolFinished,
    ToolStarted,
    TurnEvent,
    TurnFinished,
)

Block = Mapping[str, Any]
Nothing = Callable[[], None]

STOPPED_RESULT = "This call was not carried out: the turn was stopped before it."


class TurnStopped(Exception):
    """A person asked the turn to stop; the context is complete and can be continued."""


class TooManyCalls(Exception):
    """The turn reached its limit of model calls without an answer; raise the limit or split the task."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"The agent asked for tools {limit} times without answering, which is this turn's limit."
        )
        self.limit = limit


def _nothing() -> None:
    """Do nothing; the default of the loop's hooks."""


@dataclass(frozen=True)
class Loop:
    """One agent's loop over a context.

    Attributes:
        model: the model's name as the connector knows it.
        max_calls: model calls of one turn, the answering one included.
        before_call: called right before the context is prepared, for example to take over others' edits.
        check_stop: called between steps; raises TurnStopped when the turn shall end.
    """

    context: AgentContext
    connector: Connector
    model: str
    max_calls: int = 50
    before_call: Nothing = _nothing
    check_stop: Nothing = _nothing

    def run(self) -> Iterator[TurnEvent]:
        """Yield events until the model answers; the input must already be in the context.

        The context is complete after every event that stores: a consumer may stop there.

        Raises:
            TurnStopped: ``check_stop`` asked for it; calls of the last reply are answered with a note.
            TooManyCalls: the limit was reached.
            ConnectorError: the model could not be asked.
            agents.context.errors.ContextOverflow: the prompt cannot fit.
        """
        for number in range(1, self.max_calls + 1):
            self.check_stop()
            yield CallStarted(number)
            reply = yield from self._ask()
            calls = [block for item in reply.output for block in _blocks(item, "tool_use")]
            if not calls:
                yield TurnFinished(_text(reply.output))
                return
            yield from self._run_tools(calls)
        raise TooManyCalls(self.max_calls)

    def _ask(self) -> Generator[TurnEvent, None, Done]:
        """Ask once and put the reply into the context; returns the Done event to ``yield from``."""
        self.before_call()
        prepared = self.context.prepare()
        request = ModelRequest(prepared.input, self.context.tools.definitions(), self.model)
        done: Done | None = None
        for event in self.connector.stream(request):
            if isinstance(event, TextDelta):
                yield TextStreamed(json_values.repair_text(event.text))
            elif isinstance(event, Done):
                done = event
        if done is None:
            raise ConnectorError("The model's answer broke off before its end. Retry the turn.")
        reply = Done([cast(Block, json_values.repair(cast(JSON, item))) for item in done.output], done.usage)
        self.context.add_assistant_response(reply.output)
        yield ReplyStored(reply.usage)
        return reply

    def _run_tools(self, calls: Sequence[Block]) -> Iterator[TurnEvent]:
        results: list[ToolOutcome] = []
        for index, block in enumerate(calls):
            try:
                self.check_stop()
            except TurnStopped:
                results += [_result(each, STOPPED_RESULT, failed=True) for each in calls[index:]]
                self.context.add_tool_results(results)
                yield ResultsStored()
                raise
            results.append((yield from self._run_tool(block)))
        self.context.add_tool_results(results)
        yield ResultsStored()

    def _run_tool(self, block: Block) -> Generator[TurnEvent, None, ToolOutcome]:
        """Run one call; returns its result to ``yield from``."""
        name = str(block["name"])
        try:
            arguments = _arguments(block)
        except InvalidJSON as fault:
            yield ToolStarted(name, {})
            outcome: JSON = _unreadable(name, fault)
        else:
            yield ToolStarted(name, arguments)
            outcome = self.context.tools.execute(name, arguments)
        failed = isinstance(outcome, dict) and outcome.get("success") is False
        yield ToolFinished(name, failed)
        return _result(block, outcome, failed=failed)


def _arguments(block: Block) -> dict[str, JSON]:
    text = str(block.get("arguments") or "{}")
    arguments = json_values.repair(json_values.decode(text))
    if not isinstance(arguments, dict):
        raise InvalidJSON("arguments", "not a JSON object; send one object with the tool's parameters")
    return arguments


def _unreadable(name: str, fault: InvalidJSON) -> JSON:
    return {
        "success": False,
        "error": f"The arguments could not be read. {fault}. Nothing was done; repeat the call.",
        "errorType": "InvalidArguments",
        "toolName": name,
    }


def _result(block: Block, content: JSON, *, failed: bool) -> ToolOutcome:
    state = ToolCallState.FAILED if failed else ToolCallState.COMPLETED
    outcome = ToolOutcome(tool_use_id=block["id"], content=content, state=state)
    if failed:
        outcome["error"] = str(content.get("error", "failed") if isinstance(content, dict) else content)
    return outcome


def _blocks(item: Block, kind: str) -> list[Block]:
    return [block for block in item.get("content", ()) if block["type"] == kind]


def _text(output: Sequence[Block]) -> str:
    return "".join(block["text"] for item in output for block in _blocks(item, "output_text"))
