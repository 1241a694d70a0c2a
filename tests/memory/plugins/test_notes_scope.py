from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.context.json_values import JSON
from memory.plugins.errors import InvalidEntry
from memory.plugins.notes_scope import Scope, effective_priority, is_stale, parse_scope
from memory.plugins.priorities import PRIORITIES, Priority


@pytest.mark.parametrize(
    "wire",
    [
        "session",
        "persistent",
        {"type": "plan"},
        {"type": "persistent"},
        {"type": "task", "taskIds": ["t1", "t2"]},
    ],
)
def test_every_scope_survives_its_wire_form(wire: JSON) -> None:
    assert parse_scope(wire).to_json() == wire


def test_a_simple_plan_is_taken_as_the_typed_one() -> None:
    assert parse_scope("plan").to_json() == {"type": "plan"}


@pytest.mark.parametrize(
    ("wire", "label"),
    [
        ("session", "session"),
        ("persistent", "persistent"),
        ({"type": "persistent"}, "persistent"),
        ("plan", "plan"),
        ({"type": "task", "taskIds": ["a", "b"]}, "task:a,b"),
    ],
)
def test_the_label_names_the_scope(wire: JSON, label: str) -> None:
    assert parse_scope(wire).label == label


@pytest.mark.parametrize(
    "wire",
    ["task", "Session", "", None, 3, [], {}, {"type": "session"}, {"type": 1}, {"type": ["plan"]}],
)
def test_any_other_scope_is_refused_with_the_forms(wire: object) -> None:
    with pytest.raises(InvalidEntry, match='"session", "persistent", "plan" or'):
        parse_scope(wire)


@pytest.mark.parametrize("ids", [None, "t1", [1], {"t1": 1}])
def test_a_task_scope_needs_a_list_of_ids(ids: object) -> None:
    with pytest.raises(InvalidEntry, match="taskIds"):
        parse_scope({"type": "task", "taskIds": ids})


@pytest.mark.parametrize("task_id", ["", "x" * 101, "a\nb", "a\x00"])
def test_a_task_id_is_short_and_on_one_line(task_id: str) -> None:
    with pytest.raises(InvalidEntry, match="task id"):
        parse_scope({"type": "task", "taskIds": [task_id]})


TASKS = Scope("task", ("t1", "t2"), is_typed=True)
NO_TASKS = Scope("task", (), is_typed=True)
PLAN = Scope("plan", is_typed=True)


@pytest.mark.parametrize(
    ("scope", "states", "priority"),
    [
        (Scope(), None, "low"),
        (Scope(), {"t1": "in_progress"}, "low"),
        (Scope("persistent"), None, "high"),
        (Scope("persistent"), {}, "high"),
        (Scope("persistent", is_typed=True), None, "low"),
        (Scope("persistent", is_typed=True), {}, "high"),
        (PLAN, None, "low"),
        (PLAN, {}, "normal"),
        (TASKS, None, "low"),
        (NO_TASKS, {}, "low"),
        (TASKS, {"t1": "completed", "t2": "in_progress"}, "critical"),
        (TASKS, {"t1": "pending", "t2": "failed"}, "high"),
        (TASKS, {"t1": "completed", "t2": "failed"}, "low"),
        (TASKS, {"t1": "skipped", "t2": "cancelled"}, "low"),
        (TASKS, {"t1": "completed", "t2": "blocked"}, "normal"),
        (TASKS, {"t1": "completed"}, "normal"),
        (TASKS, {}, "normal"),
    ],
)
def test_the_priority_follows_scope_and_tasks(
    scope: Scope, states: Mapping[str, str] | None, priority: Priority
) -> None:
    assert effective_priority("low", scope, is_pinned=False, task_states=states) == priority


@given(
    base=st.sampled_from(PRIORITIES),
    scope=st.sampled_from([Scope(), Scope("persistent"), PLAN, TASKS, NO_TASKS]),
    states=st.none()
    | st.dictionaries(st.sampled_from(["t1", "t2"]), st.sampled_from(["pending", "completed"])),
)
def test_a_pin_is_always_critical(base: Priority, scope: Scope, states: Mapping[str, str] | None) -> None:
    assert effective_priority(base, scope, is_pinned=True, task_states=states) == "critical"


def test_a_persistent_note_never_loses_a_higher_priority() -> None:
    assert (
        effective_priority("critical", Scope("persistent"), is_pinned=False, task_states=None) == "critical"
    )


@pytest.mark.parametrize(
    ("scope", "states", "stale"),
    [
        (TASKS, {"t1": "completed", "t2": "failed"}, True),
        (TASKS, {"t1": "completed", "t2": "pending"}, False),
        (TASKS, {"t1": "completed"}, False),
        (TASKS, None, False),
        (NO_TASKS, {}, False),
        (PLAN, {"t1": "completed"}, False),
        (Scope(), {"t1": "completed"}, False),
    ],
)
def test_a_note_is_stale_when_all_its_tasks_ended(
    scope: Scope, states: Mapping[str, str] | None, stale: bool
) -> None:
    assert is_stale(scope, states) is stale
