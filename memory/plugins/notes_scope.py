"""What a note belongs to, and the priority it has while the tasks it serves are in some state."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from agents.context.json_values import JSON
from memory.plugins.errors import InvalidEntry
from memory.plugins.priorities import RANK, Priority

# Any other status (for example "blocked") counts as neither waiting nor ended.
TERMINAL_STATUSES = frozenset({"completed", "failed", "skipped", "cancelled"})

ScopeKind = Literal["session", "persistent", "task", "plan"]


@dataclass(frozen=True, slots=True)
class Scope:
    """What a note belongs to; decides its priority, never who may read it."""

    kind: ScopeKind = "session"
    task_ids: tuple[str, ...] = ()
    """For the kind ``task`` only."""
    is_typed: bool = False
    """Whether the wire form is an object; a typed ``persistent`` follows the tasks, a simple one does not."""

    def to_json(self) -> JSON:
        """Return the wire form: ``"session"``, ``"persistent"`` or ``{"type": …, "taskIds": […]}``."""
        if not self.is_typed:
            return self.kind
        if self.kind == "task":
            return {"type": "task", "taskIds": list(self.task_ids)}
        return {"type": self.kind}

    @property
    def label(self) -> str:
        """The flag of the index: ``session``, ``persistent``, ``plan`` or ``task:id1,id2``."""
        return f"task:{','.join(self.task_ids)}" if self.kind == "task" else self.kind


SESSION = Scope()
_SIMPLE = {
    "session": SESSION,
    "persistent": Scope("persistent"),
    # Models say "plan"; the reference accepted it and then showed no scope at all.
    "plan": Scope("plan", is_typed=True),
}
_TYPED = {"plan": _SIMPLE["plan"], "persistent": Scope("persistent", is_typed=True)}


def parse_scope(value: object) -> Scope:
    """Return the scope of a wire form.

    Raises:
        InvalidEntry: for anything else; the message lists the forms.
    """
    if isinstance(value, str) and value in _SIMPLE:
        return _SIMPLE[value]
    if isinstance(value, Mapping):
        kind = value.get("type")
        if isinstance(kind, str) and kind in _TYPED:
            return _TYPED[kind]
        if kind == "task":
            return Scope("task", _task_ids(value.get("taskIds")), is_typed=True)
    raise InvalidEntry(
        'The scope must be "session", "persistent", "plan" or {"type": "task", "taskIds": ["id", …]}'
    )


def effective_priority(
    base: Priority, scope: Scope, *, is_pinned: bool, task_states: Mapping[str, str] | None
) -> Priority:
    """Return the priority that eviction and the index use. Source: spec 3.3.

    A note pinned is critical. Without task states only ``persistent`` (at least high) changes the base; with
    them a note follows the most urgent of its tasks.
    """
    if is_pinned:
        return "critical"
    if scope.kind == "persistent" and (not scope.is_typed or task_states is not None):
        return base if RANK[base] > RANK["high"] else "high"
    if scope.kind in {"session", "persistent"} or task_states is None:
        return base
    if scope.kind == "plan":
        return "normal"
    return _task_priority(scope, task_states)


def is_stale(scope: Scope, task_states: Mapping[str, str] | None) -> bool:
    """Return whether every task of a task-scoped note is known to have ended."""
    if scope.kind != "task" or not scope.task_ids or task_states is None:
        return False
    return all(task_states.get(task_id) in TERMINAL_STATUSES for task_id in scope.task_ids)


def _task_priority(scope: Scope, task_states: Mapping[str, str]) -> Priority:
    statuses = {task_states.get(task_id) for task_id in scope.task_ids}
    if "in_progress" in statuses:
        return "critical"
    if "pending" in statuses:
        return "high"
    if not statuses or statuses <= TERMINAL_STATUSES:
        return "low"
    return "normal"


def _task_ids(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise InvalidEntry('A task scope names its tasks: {"type": "task", "taskIds": ["id", …]}')
    for item in value:
        if not item or len(item) > 100 or not item.isprintable():
            raise InvalidEntry("A task id is 1 to 100 printable characters on one line")
    return tuple(value)
