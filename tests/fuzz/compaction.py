"""One generated history through gate and ladder, with everything that must hold of what comes out."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.connectors.validate import check_body
from agents.connectors.wire import to_anthropic, to_chat, to_responses
from agents.context import AgentContext, AlgorithmicStrategy, Preparation
from agents.context.compaction.plan import HISTORY, NOWHERE, CompactionPlan
from agents.context.counting import count_item
from agents.context.errors import ContextOverflow
from agents.context.file_storage import FileContextStorage
from agents.context.journal import JournalEntry, JournalQuery
from agents.context.messages import InputItem
from agents.context.tokens import ApproximateTokenEstimator, TiktokenEstimator, TokenEstimator
from tests.fuzz.histories import Generator, History

RESERVE = 500


class MemoryJournal:
    """A journal in a list."""

    def __init__(self) -> None:
        self.entries: list[JournalEntry] = []

    def append(self, session_id: str, entries: Sequence[JournalEntry]) -> None:
        self.entries += entries

    def read(self, session_id: str, query: JournalQuery | None = None) -> list[JournalEntry]:
        return list(self.entries)

    def stream(self, session_id: str) -> Any:
        return iter(self.entries)

    def count(self, session_id: str) -> int:
        return len(self.entries)

    def clear(self, session_id: str) -> None:
        self.entries = []

    def get_location(self, session_id: str) -> str:
        return "memory"


class MemoryStorage(FileContextStorage):
    """A storage whose sessions are lost, with a journal that is not."""

    def __init__(self) -> None:
        self._entries = MemoryJournal()

    @property
    def journal(self) -> MemoryJournal:  # type: ignore[override]
        return self._entries

    def save(self, *args: object, **kwargs: object) -> None:
        return None


@dataclass
class Outcome:
    """What happened to one history."""

    seed: int
    compacted: bool = False
    overflowed: bool = False
    above_target: bool = False
    freed: int = 0
    rungs: set[str] = field(default_factory=set)


def run(seed: int, *, exact: bool = False) -> Outcome:
    """Return what happened; an AssertionError or InvalidBody names what did not hold."""
    chance = random.Random(seed)
    history = Generator(seed).make()
    estimator: TokenEstimator = TiktokenEstimator("gpt-4.1") if exact else ApproximateTokenEstimator()
    journal = MemoryStorage() if chance.random() < 0.5 else None
    context = _context(chance, history, estimator, journal)
    before = context.calculate_budget()
    outcome = Outcome(seed)
    was_open = before.content_utilization >= context.critical_gate
    try:
        prepared = context.prepare()
    except ContextOverflow as overflow:
        outcome.overflowed = overflow.budget.content_used > 0
        return outcome
    assert prepared.budget.content_used <= prepared.budget.content_max
    if not prepared.rewritten:
        assert bool(prepared.compactions) == was_open
        assert sum(plan.tokens_freed for plan in prepared.compactions) == (
            before.content_used - prepared.budget.content_used
        )
    for plan in prepared.compactions:
        _check_plan(plan, context, journal)
        outcome.rungs |= {change.rung for change in plan.changes}
        if plan.plugins:
            outcome.rungs.add("plugins")
    if prepared.compactions:
        last = prepared.compactions[-1]
        outcome.compacted = prepared.compacted
        outcome.freed = sum(plan.tokens_freed for plan in prepared.compactions)
        outcome.above_target = not prepared.reaches_target
        _check_shortfall(prepared, last)
    _check_prompt(prepared, history, context)
    again = context.prepare()
    assert again.input == prepared.input
    assert again.budget == prepared.budget
    assert not again.compacted
    assert not again.compactions
    return outcome


def _context(
    chance: random.Random, history: History, estimator: TokenEstimator, storage: MemoryStorage | None
) -> AgentContext:
    options: dict[str, Any] = {
        "model": "gpt-4.1",
        "estimator": estimator,
        "clock": lambda: 1_769_798_400_000,
        "agent_id": "agent",
        "storage": storage,
        "system_prompt": "You help with contracts. " * chance.choice((1, 30)),
        "features": {"working_memory": chance.random() < 0.7, "in_context_memory": chance.random() < 0.7},
        "response_reserve": RESERVE,
    }
    if chance.random() < 0.2:
        options["compaction_strategy"] = AlgorithmicStrategy(
            threshold=chance.choice((0.3, 0.6, 0.9)), summarize=_summarize, max_summary_tokens=120
        )
    elif chance.random() < 0.1:
        options["strategy"] = "default"
    probe = _filled(AgentContext.create(**options, max_context_tokens=10**9), chance, history)
    budget = probe.calculate_budget()
    fixed = budget.tools_tokens + RESERVE
    share = chance.choice((0.3, 0.45, 0.6, 0.8, 0.95, 1.0, 1.09, 1.12, 1.5))
    content = chance.choice((2_500, 4_000, 16_000, int(budget.content_used * share)))
    if storage is not None and chance.random() < 0.5:
        options["max_context_tokens"] = 10**9
    options["max_context_tokens"] = fixed + max(content, 1)
    chance.seed(history.items[0]["id"] + str(len(history.items)))
    return _filled(AgentContext.create(**options), chance, history)


def _filled(context: AgentContext, chance: random.Random, history: History) -> AgentContext:
    board = context.get_plugin("in_context_memory")
    if board is not None:
        for number in range(len(history.items) % 7):
            priority = ("low", "normal", "high", "critical")[number % 4]
            board.set(f"key {number}", "what it is", "word " * (10 + 40 * number), priority)
    context.load_conversation(
        ((item, None) for item in history.items), ((item, None) for item in history.pending)
    )
    return context


def _summarize(request: Any) -> str:
    return f"They spoke of {len(request.items)} things, {request.estimated_tokens} tokens."


def _check_shortfall(prepared: Preparation, last: CompactionPlan) -> None:
    over = prepared.budget.content_used - last.target
    assert prepared.reaches_target == (over <= 0)
    if prepared.shortfall is not None:
        assert prepared.shortfall.tokens == over
        held = dict(prepared.shortfall.held)
        assert sum(held.values()) >= prepared.budget.content_used
        if last.strategy == "algorithmic":
            assert "other messages" not in held, held


def _check_plan(plan: CompactionPlan, context: AgentContext, storage: MemoryStorage | None) -> None:
    assert plan.failed == ()
    for change in plan.changes:
        assert change.kept_in, change
        for place in change.kept_in:
            _check_kept(plan.base[change.position], place, context, storage)
    board = context.get_plugin("in_context_memory")
    for request in plan.plugins:
        for key, entry, place in zip(
            request.given_up, request.entries, request.kept_in or [NOWHERE] * 99, strict=False
        ):
            assert isinstance(entry, dict)
            assert entry["priority"] != "critical"
            assert not board.has(key)
            if place not in (HISTORY, NOWHERE):
                assert _note(context, place) == entry["value"]


def _check_kept(item: InputItem, place: str, context: AgentContext, storage: MemoryStorage | None) -> None:
    if place == NOWHERE:
        assert context.memory is None
        assert storage is None
    elif place == HISTORY:
        assert storage is not None
        assert item in [entry["item"] for entry in storage.journal.read("") + context._recorder._held]
    else:
        assert _tells(_note(context, place), item)


def _tells(value: Any, item: InputItem) -> bool:
    """Tell whether a note holds one of the results of an item, or the item in a transcript."""
    if isinstance(value, list):
        return any(each["id"] == item["id"] for each in value)
    content = value["content"] if isinstance(value, dict) else value
    return content in [block["content"] for block in _blocks(item) if block["type"] == "tool_result"]


def _note(context: AgentContext, key: str) -> object:
    """Return the value of a note without counting that as an access."""
    return {entry.key: entry.value for entry in context.memory.entries()}[key]


def _check_prompt(prepared: Preparation, history: History, context: AgentContext) -> None:
    for write, wire_format in _FORMATS:
        check_body(write(prepared.input, prepared.tools), wire_format)
    sent = [block for item in prepared.input for block in _blocks(item)]
    first = next(item for item in history.all() if item.get("role") == "user" and _speaks(item))
    assert all(block in sent for block in _blocks(first))
    answered = [block["tool_use_id"] for block in sent if block["type"] == "tool_result"]
    for block in (block for item in history.pending for block in _blocks(item)):
        assert block in sent or block["tool_use_id"] in answered
    own = [item for item in prepared.input if item["id"] != "system"]
    budget = prepared.budget
    assert sum(count_item(item, context.estimator) for item in own) == (
        budget.conversation_tokens + budget.current_input_tokens
    )


def _blocks(item: InputItem) -> list[Any]:
    return list(item["content"]) if item["type"] == "message" else []


def _speaks(item: InputItem) -> bool:
    return item["type"] == "message" and any(block["type"] != "tool_result" for block in item["content"])


_FORMATS: tuple[tuple[Callable[..., Any], Any], ...] = (
    (to_chat, "chat"),
    (to_responses, "responses"),
    (to_anthropic, "anthropic"),
)
