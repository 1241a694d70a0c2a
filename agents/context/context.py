"""The context of one agent session: messages, stores and tools in, a counted prompt out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from agents.context.assembly import Assembler, Assembly, Window
from agents.context.conversation import Conversation
from agents.context.dialogue import Dialogue
from agents.context.events import Events, Handler
from agents.context.features import Features, PluginScope, create_plugins, resolve_features
from agents.context.ids import Clock, new_id, wall_clock
from agents.context.isolation import contain
from agents.context.lifecycle import Hook, Hooks, LifecycleHooks
from agents.context.models import model_info
from agents.context.offload import Offloader
from agents.context.plugin_set import PluginSet
from agents.context.preparation import Preparation, Preparer
from agents.context.prompt import Placement, PromptBuilder, date_line, resolve_variables
from agents.context.tokens import TiktokenEstimator, TokenEstimator
from agents.context.toolbox import ToolManager

if TYPE_CHECKING:
    from agents.context.budget import Budget
    from agents.context.plugin import ContextPlugin
    from agents.context.tools import Tool

DEFAULT_RESPONSE_RESERVE = 4096
DEFAULT_CRITICAL_GATE = 0.90


@dataclass(frozen=True)
class Identity:
    """Who a context works for, and with which model."""

    model: str
    agent_id: str
    user_id: str | None


class AgentContext(Dialogue):
    """What the model receives on every call; made by ``create``.

    Attributes:
        tools: the tools of this context and of the agent that runs it.
        features: which features are on; read-only.
        estimator: counts everything here.
        strategy: name of the compaction strategy.
        critical_gate: share of the content room at which compaction starts.
        last_preparation: result of the last ``prepare``, None before.
        system_prompt: may be set at any time; ``{{AGENT_ID}} {{USER_ID}} {{MODEL}} {{DATE}}`` are replaced.
    """

    def __init__(
        self,
        *,
        identity: Identity,
        window: Window,
        features: Features,
        estimator: TokenEstimator,
        placement: Placement,
        hooks: Hooks,
        clock: Clock,
    ) -> None:
        self._identity = identity
        super().__init__(Conversation(estimator), Events(), clock)
        self._hooks = hooks
        self.features = features
        self.estimator = estimator
        self.tools = ToolManager()
        self.system_prompt: str | None = None
        self.strategy = "algorithmic"
        self.critical_gate = DEFAULT_CRITICAL_GATE
        self.last_preparation: Preparation | None = None
        self._plugins = PluginSet(self.tools, estimator)
        self._assembler = Assembler(
            conversation=self._conversation,
            plugins=self._plugins,
            tools=self.tools,
            builder=PromptBuilder(estimator, placement),
            estimator=estimator,
            window=window,
        )
        self._preparer = Preparer(
            conversation=self._conversation,
            offloader=Offloader(self._plugins.stores, self.tools),
            events=self._events,
            estimator=estimator,
            clock=clock,
        )

    @classmethod
    def create(
        cls,
        *,
        model: str,
        max_context_tokens: int | None = None,
        response_reserve: int = DEFAULT_RESPONSE_RESERVE,
        system_prompt: str | None = None,
        agent_id: str | None = None,
        user_id: str | None = None,
        tools: Iterable[Tool | Callable[..., object]] = (),
        features: Mapping[str, bool | None] | None = None,
        strategy: str = "algorithmic",
        critical_gate: float = DEFAULT_CRITICAL_GATE,
        plugins: Mapping[str, Mapping[str, object]] | None = None,
        estimator: TokenEstimator | None = None,
        lifecycle_hooks: Mapping[str, Hook] | LifecycleHooks | None = None,
        volatile_placement: Placement = "mission",
        tool_timeout_ms: int = 0,
        clock: Clock = wall_clock,
    ) -> AgentContext:
        """Return a context with the plugins of its features.

        Args:
            model: name, or ``provider:name``; gives window and token encoding.
            max_context_tokens: default the model's window.
            response_reserve: tokens of the window kept free for the answer.
            system_prompt: first section of the system message.
            agent_id: where stored state belongs; generated when absent.
            user_id: whose facts apply.
            tools: tools or plain functions.
            features: changes to the defaults, in either spelling; None keeps a default.
            strategy: name of the compaction strategy.
            critical_gate: share of the content room at which compaction starts, 0.5 to 1.0.
            plugins: plugin or feature name to constructor keywords.
            estimator: default exact for the model.
            lifecycle_hooks: hook name to function.
            volatile_placement: ``tail`` puts what changes often behind the newest input, so that a provider's
                prefix cache survives it.
            tool_timeout_ms: limit for tools without their own; 0 is no limit.
            clock: epoch milliseconds.

        Raises:
            ValueError: for a reserve that leaves no window, or a gate out of range.
            UnknownFeature, FeatureNotReady, FeatureUnavailable: for features that cannot be.
        """
        max_tokens = model_info(model).window if max_context_tokens is None else max_context_tokens
        if not 0 <= response_reserve < max_tokens:
            raise ValueError(f"response_reserve must be from 0 to below the window of {max_tokens} tokens.")
        if not 0.5 <= critical_gate <= 1.0:
            raise ValueError("critical_gate must be from 0.5 to 1.0.")
        context = cls(
            identity=Identity(model, agent_id or new_id(clock), user_id),
            window=Window(max_tokens, response_reserve),
            features=resolve_features(features),
            estimator=estimator or TiktokenEstimator(model),
            placement=volatile_placement,
            hooks=Hooks(lifecycle_hooks),
            clock=clock,
        )
        context.system_prompt = system_prompt
        context.strategy = strategy
        context.critical_gate = critical_gate
        context.tools.timeout_ms = tool_timeout_ms
        for each in tools:
            context.tools.register(each)
        context._create_plugins(plugins or {})
        return context

    @property
    def model(self) -> str:
        """The model as given."""
        return self._identity.model

    @property
    def agent_id(self) -> str:
        """Where stored state belongs."""
        return self._identity.agent_id

    @property
    def user_id(self) -> str | None:
        """Whose facts apply."""
        return self._identity.user_id

    @property
    def max_context_tokens(self) -> int:
        """The window."""
        return self._assembler.window.max_tokens

    @property
    def response_reserve(self) -> int:
        """Tokens of the window kept free for the answer."""
        return self._assembler.window.response_reserve

    @property
    def tools_tokens(self) -> int:
        """Tokens of the tool definitions as they would be sent now."""
        return self.tools.count_tokens(self.estimator)

    @property
    def last_budget(self) -> Budget | None:
        """Budget of the last ``prepare``, None before."""
        return self.last_preparation.budget if self.last_preparation else None

    @property
    def memory(self) -> Any:
        """The notes plugin, None when working memory is off."""
        return self.get_plugin("working_memory")

    def prepare(self) -> Preparation:
        """Return the prompt of the next model call; it fits, and everything sent is counted.

        Raises:
            InputTooLarge: when what the person wrote is larger than the room left for it.
            ContextOverflow: when the prompt cannot be made to fit.
        """
        self._check_alive()
        self.last_thinking = None
        self._call_before_prepare()
        preparation = self._preparer.prepare(self._assemble)
        self.last_preparation = preparation
        self._events.emit("context:prepared", budget=preparation.budget, compacted=preparation.compacted)
        return preparation

    def calculate_budget(self) -> Budget:
        """Return the budget of this moment; nothing is changed and no event is sent."""
        self._check_alive()
        return self._assemble().budget

    def register_plugin(self, plugin: ContextPlugin, *, skip_destroy: bool = False) -> None:
        """Add a plugin with its tools and its store.

        It takes the place of an automatically created plugin of the same name that is still as it was made.
        ``skip_destroy`` leaves it alive when the context is destroyed.

        Raises:
            AlreadyRegistered: when the name or the store id is taken; nothing was added then.
        """
        self._check_alive()
        self._plugins.register(plugin, keep_alive=skip_destroy)

    def get_plugin(self, name: str) -> Any:
        """Return the plugin of that name, None when there is none."""
        return self._plugins.get(name)

    def has_plugin(self, name: str) -> bool:
        """Tell whether such a plugin is registered."""
        return name in self._plugins

    def get_plugins(self) -> list[ContextPlugin]:
        """Return the plugins in order of registration."""
        return self._plugins.all()

    def on(self, event: str, handler: Handler) -> None:
        """Call the handler at every such event (spec 5.9) with one dict."""
        self._events.on(event, handler)

    def off(self, event: str, handler: Handler) -> None:
        """Stop calling the handler."""
        self._events.off(event, handler)

    def destroy(self) -> None:
        """Destroy the plugins and forget everything; a second call does nothing."""
        if not self._destroyed:
            self._destroyed = True
            self._plugins.destroy()
            self._conversation.clear()
            self._events.clear()

    def _assemble(self) -> Assembly:
        return self._assembler.assemble(self._resolved_system_prompt, self.turn_time())

    def _resolved_system_prompt(self) -> str | None:
        if self.system_prompt is None:
            return None
        values = {
            "AGENT_ID": self.agent_id,
            "USER_ID": self.user_id or "",
            "MODEL": self.model,
            "DATE": date_line(self.turn_time()).partition(": ")[2].partition(" at ")[0],
        }
        return resolve_variables(self.system_prompt, values)

    def _call_before_prepare(self) -> None:
        snapshot = {"messages": self.get_conversation(), "current_input": self.get_current_input()}
        for plugin in self.get_plugins():
            call = getattr(plugin, "on_before_prepare", None)
            if call is not None:
                contain(f"on_before_prepare of plugin {plugin.name}", partial(call, snapshot))
        self._hooks.run("before_context_prepare", snapshot)

    def _create_plugins(self, options: Mapping[str, Mapping[str, object]]) -> None:
        scope = PluginScope(self.agent_id, self.user_id, self.features, self._clock)
        for plugin in create_plugins(scope, options, self.has_plugin):
            self._plugins.register(plugin, is_automatic=True)
