"""Opens the context of a turn from rows: settings, tools, plugins, and the conversation with its counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from django.conf import settings
from django.utils.module_loading import import_string

from agents.bindings import PluginBinding, Run, StoredPlugin, bindings, store_revisions
from agents.compaction import CompactionCommit
from agents.context import DEFAULT_FEATURES, AgentContext, Tool
from agents.context.compaction.registry import StrategyRegistry
from agents.context.messages import InputItem
from agents.context.models import split_model
from agents.models import AgentSession, CompactionRecord, Message
from agents.offered_tools import session_tool


@dataclass(frozen=True)
class OpenContext:
    """A context and those of its plugins that live in rows."""

    context: AgentContext
    stored_plugins: Sequence[StoredPlugin]


def open_context(run: Run, record: CompactionRecord | None = None) -> OpenContext:
    """Return the session's context as the rows describe it now.

    Features whose plugin has no binding are off: what they remember would be gone after the turn. ``record``
    is the row that a compaction asked for by a person fills.

    Raises:
        UnknownTool: the session's settings name a tool that ``settings.AGENT_TOOLS`` does not have.
    """
    frozen = run.session.settings
    bound = list(bindings())
    context = AgentContext.create(
        model=frozen["model"],
        max_context_tokens=frozen["maxContextTokens"],
        response_reserve=frozen["responseReserve"],
        system_prompt=frozen["systemPrompt"] or None,
        agent_id=run.agent or run.session.profile.slug,
        user_id=str(run.session.user_id) if run.session.user_id else None,
        tools=[*(session_tool(name, run.session) for name in frozen["tools"]), *_session_tools(run.session)],
        features=_features(bound, frozen["features"]),
        critical_gate=frozen["criticalGate"],
        compaction_strategy=StrategyRegistry.create(frozen["strategy"], threshold=frozen["threshold"]),
        commit_compaction=CompactionCommit(run, record),
    )
    stores = store_revisions(run.session.pk)
    plugins = [binding.open(run, stores) for binding in bound if context.has_plugin(binding.name)]
    for plugin in plugins:
        context.register_plugin(plugin)
    _load(context, run.session)
    return OpenContext(context, plugins)


def _features(bound: Sequence[PluginBinding], wanted: Mapping[str, bool]) -> dict[str, bool]:
    off = dict.fromkeys(DEFAULT_FEATURES, False)
    return off | {each.feature: wanted.get(each.feature, DEFAULT_FEATURES[each.feature]) for each in bound}


def _session_tools(session: AgentSession) -> list[Tool]:
    """Return the tools that the session's provider makes for this session alone."""
    provider, _ = split_model(str(session.settings["model"]))
    path = settings.AGENT_SESSION_TOOLS.get(provider)
    return list(import_string(path)(session)) if path else []


def _load(context: AgentContext, session: AgentSession) -> None:
    """Give the context its conversation; everything after the last answer is input still to be answered."""
    seen = Message.objects.filter(session=session, in_context=True).order_by("sequence")
    rows = list(seen.only("item_id", "role", "blocks", "tokens", "context_item", "context_tokens"))
    answers = [place for place, row in enumerate(rows) if row.role == "assistant"]
    split = answers[-1] + 1 if answers else 0
    counted = [(cast(InputItem, row.item()), row.item_tokens()) for row in rows]
    context.load_conversation(counted[:split], counted[split:])
