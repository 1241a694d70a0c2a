"""The agent: a model, a context, tools, and the loop that brings them together."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, Self, Unpack

from agents.connectors.base import Connector
from agents.context import AgentContext, Tool, ToolManager
from agents.context.compaction.summary import Summarize
from agents.context.errors import InputTooLarge
from agents.context.ids import new_id, wall_clock
from agents.context.isolation import contain
from agents.context.json_values import JSON
from agents.context.kinds import check_kind
from agents.context.messages import user_message
from agents.context.options import MODEL, TOOLS
from agents.context.rollover import RolloverResult
from agents.context.rollover_summarizer import model_summarizer
from agents.loop.choice import ModelChoice, choose
from agents.loop.completing import complete
from agents.loop.control import Control
from agents.loop.events import (
    CallStarted,
    ReplyStored,
    ResultsStored,
    TextStreamed,
    TurnEvent,
    TurnFinished,
)
from agents.loop.limits import Pace
from agents.loop.options import (
    DEFAULT_MAX_ITERATIONS,
    AgentOptions,
    HookMap,
    check_options,
    context_options,
    limits_of,
)
from agents.loop.response import AgentResponse, tally
from agents.loop.sessions import Sessions
from agents.loop.tool_calls import nobody_to_ask
from agents.loop.turn import Loop, TurnStopped

AgentEvent = TurnEvent
"""What ``stream`` yields, ending with exactly one TurnFinished."""
Input = str | Sequence[Mapping[str, Any]]


class Agent:
    """Answers with a model that may call tools; made by ``create``.

    Attributes:
        name: as given, else the context's ``agent_id``.
        context: where the conversation is; never missing, maybe shared.
    """

    def __init__(self, options: AgentOptions) -> None:
        check_options(options)
        self._options = options
        self._connector = options.get("connector")
        self._choice = self._choose(options["model"], self._connector)
        self._instructions = options.get("instructions")
        self._limits = limits_of(options)
        self._pace = options.get("pace") or Pace()
        self._control = Control()
        self._owner = f"agent {new_id(wall_clock)}"
        given = options.get("context")
        self._is_sharing = isinstance(given, AgentContext)
        self.context = (
            given
            if isinstance(given, AgentContext)
            else AgentContext.create(**context_options(options, self.model))
        )
        self.name = options.get("name") or self.context.agent_id
        self._own_tools: list[str] = []
        self.set_tools(options.get("tools", ()))
        self.set_lifecycle_hooks(options.get("lifecycle_hooks") or {})
        self._sessions = Sessions(
            self.context,
            options.get("session") or {},
            instructions=None if self._is_sharing else self._instructions,
            clock=self._pace.clock,
        )

    @classmethod
    def create(cls, **options: Unpack[AgentOptions]) -> Self:
        """Return an agent; ``AgentOptions`` explains the keywords. Needs no key and asks nobody.

        Raises:
            TypeError, ValueError: for keywords that are missing, unknown or out of range.
            ContextError: for a context that cannot be, or a session that cannot be restored.
        """
        return cls(options)

    @property
    def model(self) -> str:
        """The model with its provider, where that is known."""
        return self._choice.model

    @property
    def tools(self) -> ToolManager:
        """The tools: the same object as ``context.tools``."""
        return self.context.tools

    @property
    def session_id(self) -> str | None:
        """Id that the next save uses, None when it will make one up."""
        return self._sessions.session_id

    @property
    def is_running(self) -> bool:
        """Whether a run is going on, be it paused."""
        return self._control.is_running

    @property
    def is_paused(self) -> bool:
        """Whether runs are held."""
        return self._control.is_paused

    def has_context(self) -> bool:
        """Return True: an agent always has one."""
        return True

    def run(self, input: Input | None = None) -> AgentResponse:
        """Return the answer; see ``stream``, which this reads to its end."""
        total = tally(self.stream(input))
        return AgentResponse(
            total.output, total.end.text, total.usage, total.end.status, self.context.turn_index
        )

    def stream(self, input: Input | None = None) -> Generator[AgentEvent, None, None]:
        """Yield what happens until the answer is there; nothing begins before the first event is asked for.

        Whoever stops reading closes the stream, which ends the run.

        Without input the pending one is answered, for example after a failed run. A cancelled run ends with a
        TurnFinished too. After a failure the context can be continued: no call is without a result, and what
        was said is pending still, except input that is too large, which is taken back.

        Raises:
            ExecutionActive: another run works on this context.
            ValueError: there is neither input nor anything pending.
            LimitReached, TooManyCalls: a limit ended the run.
            ToolFailed: a tool failed and ``tool_failure_mode`` is ``fail``.
            ConnectorError: the model could not be asked.
            ContextOverflow: the prompt cannot fit.
        """
        with self.context.execution.hold(), self._control.running(), self._speaking():
            heard = self._hear(input)
            try:
                yield from self._play()
            except InputTooLarge:
                self._take_back(heard)
                raise
            finally:
                self._sessions.save_after_run()

    def inject(self, text: str) -> None:
        """Say something to the running agent: it joins the input of the next model call.

        Said while the agent is idle, it comes before the input of the next run. Any thread may call this.

        Raises:
            InboxFull: a hundred messages wait already.
            InvalidItem: the text is blank, or cannot be stored.
        """
        # Refused here, where the caller is, and not in the run that reads it.
        user_message("injected", text)
        self._control.inject(text)

    def cancel(self) -> bool:
        """Return whether there is a run; it ends at once, also while the model is silent."""
        return self._control.cancel()

    def pause(self) -> None:
        """Hold runs before their next step; what the model or a tool is doing is finished."""
        self._control.pause()

    def resume(self) -> None:
        """Let held runs go on."""
        self._control.resume()

    def rollover_context(
        self,
        *,
        preserve_recent_turns: int = 8,
        max_summary_tokens: int = 2048,
        reason: str = "manual",
        summarize: Summarize | None = None,
        timeout_ms: int = 60_000,
        drop_opaque: bool | None = None,
    ) -> RolloverResult:
        """Return what ``context.rollover`` did; without ``summarize`` the agent's own model sums up.

        It is asked without tools and without the context, in pieces where the messages exceed its window.

        Raises:
            ExecutionActive: a run works on the context.
            RolloverFailed: with its ``code``; the context is exactly as it was.
            ValueError: for options out of range.
        """
        return self.context.rollover(
            summarize=summarize or self._summarizer(max_summary_tokens),
            preserve_recent_turns=preserve_recent_turns,
            max_summary_tokens=max_summary_tokens,
            reason=reason,
            timeout_ms=timeout_ms,
            drop_opaque=drop_opaque,
        )

    def set_lifecycle_hooks(self, hooks: HookMap) -> None:
        """Add hooks; this agent's hooks of the same name are replaced, those of others stay.

        Raises:
            ValueError: for a name that is no hook, and for more than ten hooks of one name.
        """
        self.context.set_lifecycle_hooks(hooks, owner=self._owner)

    def set_tools(self, tools: Iterable[Tool | Callable[..., object]]) -> None:
        """Give the agent these tools instead of those it was given before; store and plugin tools stay.

        Raises:
            InvalidOption: for what is no list of tools; the agent keeps those it has.
        """
        check_kind("tools", tools, TOOLS)
        for name in self._own_tools:
            self.tools.unregister(name)
        self._own_tools = [self.tools.register(each).name for each in tools]

    def set_model(self, model: str, connector: str | Connector | None = None) -> None:
        """Ask another model from the next run on; window and budget follow it at once.

        Without a connector a model that names no provider stays with the present one.

        Raises:
            InvalidOption: for what is no name of a model, and for a window that it leaves no room in.
        """
        check_kind("model", model, MODEL)
        names_provider = isinstance(self._connector, str) and ":" in model
        wanted = connector or (None if names_provider else self._connector)
        choice = self._choose(model, wanted)
        self.context.set_model(choice.model)
        self._choice, self._connector = choice, wanted

    def save_session(self, session_id: str | None = None, metadata: Mapping[str, JSON] | None = None) -> str:
        """Return the id under which the conversation was saved; from then on it can be saved by itself.

        Raises:
            StorageMissing: there is no storage.
        """
        return self._sessions.save(session_id, metadata)

    def load_session(self, session_id: str) -> bool:
        """Return whether there was such a session; the conversation is replaced by it, or as it was.

        Raises:
            ExecutionActive: a run works on the context.
            StorageMissing: there is no storage.
            SessionUnreadable, InvalidState: it cannot be read or restored.
        """
        with self.context.execution.hold():
            return self._sessions.load(session_id)

    def session_exists(self, session_id: str) -> bool:
        """Tell whether the storage has such a session."""
        return self.context.session_exists(session_id)

    def delete_session(self, session_id: str | None = None) -> bool:
        """Return whether there was a session to delete; without an id the current one."""
        return self.context.delete_session(session_id)

    def destroy(self) -> None:
        """Cancel the run and let go of the context: a shared one stays, the agent's own is destroyed."""
        self._control.cancel()
        self.context.hooks.remove(self._owner)
        if not self._is_sharing:
            self.context.destroy()

    def _choose(self, model: str, connector: str | Connector | None) -> ModelChoice:
        may_transfer = self._options.get("allow_provider_transfer", False)
        return choose(model, connector, allow_provider_transfer=may_transfer)

    def _summarizer(self, max_summary_tokens: int) -> Summarize:
        ask = partial(
            complete, self._choice.connector, self._choice.name, self._options.get("settings") or {}
        )
        room = self.context.max_context_tokens - self.context.response_reserve
        return model_summarizer(
            ask, self.context.estimator, window_tokens=room, max_summary_tokens=max_summary_tokens
        )

    def _hear(self, input: Input | None) -> str | None:
        """Return the id of the input's message; what was injected before comes first."""
        for each in self._control.read_inbox():
            self.context.add_user_message(each)
        if input is not None:
            return self.context.add_user_message(input)
        if not self.context.get_current_input():
            raise ValueError("Nothing is pending: give the agent an input.")
        return None

    def _play(self) -> Iterator[AgentEvent]:
        said = ""
        try:
            with closing(self._loop().run()) as events:
                for event in events:
                    match event:
                        case CallStarted():
                            said = ""
                        case TextStreamed(text):
                            said += text
                        case ReplyStored() | ResultsStored():
                            self._sessions.save_when_due()
                        case TurnFinished():
                            contain("Consolidation", self.context.consolidate)
                        case _:
                            pass
                    yield event
        except TurnStopped:
            yield TurnFinished(said, "cancelled")

    def _loop(self) -> Loop:
        options, control = self._options, self._control
        return Loop(
            context=self.context,
            connector=self._choice.connector,
            model=self._choice.name,
            settings=options.get("settings") or {},
            max_calls=options.get("max_iterations", DEFAULT_MAX_ITERATIONS),
            limits=self._limits,
            pace=self._pace,
            check_stop=control.check_stop,
            hold=control.hold,
            inbox=control.read_inbox,
            approve=options.get("approve") or nobody_to_ask,
            failure_mode=options.get("tool_failure_mode", "continue"),
            own_thread=True,
        )

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        """Let a shared context speak with this agent's instructions for as long as it runs."""
        before = self.context.system_prompt
        if self._is_sharing and self._instructions is not None:
            self.context.system_prompt = self._instructions
        try:
            yield
        finally:
            if self._is_sharing:
                self.context.system_prompt = before

    def _take_back(self, item_id: str | None) -> None:
        """Remove input that is too large: it would keep every later run from being asked."""
        context = self.context
        history = [(item, context.item_tokens(item["id"])) for item in context.get_conversation()]
        pending = [(item, context.item_tokens(item["id"])) for item in context.get_current_input()]
        context.load_conversation(history, [each for each in pending if each[0]["id"] != item_id])
