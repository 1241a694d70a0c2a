"""Making room: our ladder and LangChain's ``trim_messages`` on the same history, down to the same size."""

import gc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import process_time

from langchain_core.messages import BaseMessage

from agents.context import AgentContext, CompactionPlan, InputItem, Preparation
from agents.context.pairing import piece_of
from benchmarks import langchain
from benchmarks.messages import make_tool_items
from benchmarks.timing import Timed, medians_ms, print_table, timed

MODEL = "gpt-4.1"
THRESHOLD = 0.75
MESSAGES, MANY = 10_000, 80_000
# LangChain counts most of the history again for every step of its search: one round takes half a minute.
ROUNDS = 3
HISTORIES, SHORT = 40, 200


@dataclass(frozen=True)
class Case:
    """One history in the forms that the contestants take.

    Attributes:
        window: tokens in which the history fills the room for content exactly.
        target: content tokens to end at or under.
    """

    items: list[InputItem]
    foreign: list[BaseMessage]
    window: int
    target: int


def main() -> None:
    print(f"Compaction: {MODEL}, half of the messages are calls and results, times in ms of CPU time")
    case = _case(MESSAGES)
    # The garbage collector need not walk through all of this again and again while times are taken.
    gc.freeze()
    times = medians_ms(
        {"ours": _ours(case), "trim": timed(lambda: case, _trim, process_time)},
        ROUNDS,
    )
    head = ["messages", "rounds", "from tokens", "target", "ours", "LangChain trim", "ours / LangChain"]
    row = [MESSAGES, ROUNDS, case.window, case.target, *times.values(), times["ours"] / times["trim"]]
    print_table(head, [row])
    large = _case(MANY)
    gc.freeze()
    many = _ours(large)() * 1000
    print(f"{MANY:,} messages: {many:,.0f} ms, {many / times['ours']:.3g} times as long as {MESSAGES:,}")
    ours, theirs = _orphans_left()
    print(f"Orphans in {HISTORIES} histories of {SHORT} messages: {ours} of ours, {theirs} of LangChain's")
    print(f"Targets: at most half of LangChain's time; {MANY:,} messages at most 10 times; no orphans.")


def _ours(case: Case) -> Timed:
    return timed(partial(_new, case.window), partial(_load_and_compact, case.items), process_time)


def _orphans_left() -> tuple[int, int]:
    """Return the calls without results and results without calls in the prompts of both."""
    ours = theirs = 0
    for number in range(HISTORIES):
        case = _case(SHORT + 4 * number)
        ours += _orphans(_load_and_compact(case.items, _new(case.window)).input)
        theirs += langchain.orphans(_trim(case))
    return ours, theirs


def _case(number: int) -> Case:
    items = make_tool_items(number)
    context = _new(10**9)
    context.load_conversation((item, None) for item in items)
    budget = context.calculate_budget()
    window = budget.content_used + budget.tools_tokens
    return Case(items, langchain.foreign(items), window, int(budget.content_used * THRESHOLD))


def _new(window: int) -> AgentContext:
    return AgentContext.create(
        model=MODEL, max_context_tokens=window, response_reserve=0, commit_compaction=_commit
    )


def _commit(plan: CompactionPlan, carry_out: Callable[[], CompactionPlan]) -> CompactionPlan:
    """Keep every message, as a host with rows does."""
    return carry_out()


def _load_and_compact(items: list[InputItem], context: AgentContext) -> Preparation:
    """Count every message once and make room; the messages of LangChain come without counts too."""
    context.load_conversation((item, None) for item in items)
    prepared = context.prepare()
    if not prepared.compacted or not prepared.reaches_target:
        raise RuntimeError(f"No room was made: {prepared.compaction_log[-1:]}")
    return prepared


def _trim(case: Case) -> list[BaseMessage]:
    return langchain.trim(case.foreign, case.target)


def _orphans(items: list[InputItem]) -> int:
    pieces = [piece_of(item) for item in items]
    calls = {use for piece in pieces for use in piece.uses}
    return len(calls ^ {use for piece in pieces for use in piece.results})
