"""Twenty recorded conversations through gate and ladder at three sizes."""

import json
from pathlib import Path
from typing import Any

import pytest

from agents.connectors.validate import check_body
from agents.connectors.wire import from_chat, to_anthropic, to_chat, to_responses
from agents.context import AgentContext, CompactionPlan, Preparation
from agents.context.compaction.plan import HISTORY
from agents.context.errors import ContextOverflow
from agents.context.messages import InputItem
from tests.agents.context.cast import StoppedClock
from tests.agents.context.compaction.cast import note_values
from tests.fuzz.compaction import MemoryStorage

FOLDER = Path(__file__).parents[5] / "shared" / "data" / "conversations"
FILES = sorted(FOLDER.glob("*.json"))
SIZES = ("2500", "4000", "60%")

pytestmark = pytest.mark.skipif(not FILES, reason="the recorded conversations are not beside the repository")


def recorded(path: Path, content_max: int, **options: Any) -> AgentContext:
    """Return a context that holds the conversation, with so much room for content."""
    system, *talk = from_chat(json.loads(path.read_text(encoding="utf-8")))
    assert system["type"] == "message"
    given: dict[str, Any] = {
        "model": "gpt-4.1",
        "system_prompt": "".join(str(block.get("text")) for block in system["content"]),
        "response_reserve": 0,
        "clock": StoppedClock(),
        "agent_id": "agent",
    }
    probe = AgentContext.create(**given | options, max_context_tokens=10**9)
    made = AgentContext.create(**given | options, max_context_tokens=content_max + probe.tools_tokens)
    made.load_conversation([(item, None) for item in talk])
    made.add_user_message("And what is still open?")
    return made


def room(path: Path, size: str) -> int:
    if size != "60%":
        return int(size)
    return int(recorded(path, 10**6).calculate_budget().content_used * 0.6)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("with_journal", [True, False], ids=["journal", "notes"])
def test_a_recording_is_compacted_at_the_gate_and_nothing_of_it_is_lost(
    path: Path, size: str, with_journal: bool
) -> None:
    storage = MemoryStorage() if with_journal else None
    context = recorded(path, room(path, size), storage=storage)
    before, original = context.calculate_budget(), context.get_conversation()
    state, prompt = context.get_state(), context.get_view_context()
    is_open = before.content_utilization >= 0.90
    assert is_open or size != "60%"
    done: list[CompactionPlan] = []
    context.on("context:compacted", lambda payload: done.append(payload["plan"]))  # type: ignore[arg-type]
    prepared = prepare(context)
    if isinstance(prepared, ContextOverflow):
        assert prepared.budget.content_used > prepared.content_max
        assert "does not fit" in str(prepared)
    else:
        assert prepared.compacted is is_open
        assert prepared.budget.content_used <= prepared.budget.content_max
        assert is_open or prepared.reaches_target
        assert not is_open or reaches_target_or_says_why(prepared)
        check_body(to_chat(prepared.input, prepared.tools), "chat")
        check_body(to_responses(prepared.input, prepared.tools), "responses")
        check_body(to_anthropic(prepared.input, prepared.tools), "anthropic")
        assert context.prepare().input == prepared.input
    assert bool(done) is is_open
    for plan in done:
        for change in plan.changes:
            assert change.kept_in
            for place in change.kept_in:
                assert is_found(original[change.position], place, context, storage)
    context.restore_state(state)
    assert context.get_view_context() == prompt
    assert context.calculate_budget() == before


def prepare(context: AgentContext) -> Preparation | ContextOverflow:
    """Return what came of it."""
    try:
        return context.prepare()
    except ContextOverflow as overflow:
        return overflow


def reaches_target_or_says_why(prepared: Preparation) -> bool:
    """Tell whether the prompt is at or under the target, or what holds it above is named with its tokens."""
    over = prepared.budget.content_used - prepared.compactions[-1].target
    if prepared.shortfall is None:
        return over <= 0
    held = dict(prepared.shortfall.held)
    assert "other messages" not in held
    assert sum(held.values()) == prepared.budget.content_used
    return prepared.shortfall.tokens == over > 0


def is_found(item: InputItem, place: str, context: AgentContext, storage: MemoryStorage | None) -> bool:
    """Tell whether the original can be read again where the plan says."""
    if place == HISTORY:
        assert storage is not None
        return item in [entry["item"] for entry in context._recorder._held]
    value = note_values(context)[place]
    if isinstance(value, list):
        return item in value
    blocks: Any = item["content"] if item["type"] == "message" else []
    return value in [block.get("content") for block in blocks]
