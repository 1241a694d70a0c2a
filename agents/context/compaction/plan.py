"""What a compaction would do, as data: shown to people first, applied afterwards (DECISIONS B4)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from agents.context.budget import Budget
    from agents.context.compaction.shortfall import Shortfall
    from agents.context.json_values import JSON
    from agents.context.messages import InputItem

Trigger = Literal["gate", "consolidate", "manual"]
Rung = Literal["large_results", "old_exchanges", "plugins", "summary", "window", "last_resort", "strategy"]
"""Which step of the ladder did it; ``strategy`` is a host's own strategy."""

HISTORY = "history"
NOWHERE = "nowhere"


@dataclass(frozen=True, slots=True)
class ItemChange:
    """What becomes of one item of the history.

    Attributes:
        position: place in the history that the plan was made for.
        item_id: id of the item there.
        item: its new form, None when it leaves. A summary or a collapsed exchange stands in the place of the
            first item that it replaces.
        tokens_before: what it costs now.
        tokens_after: what its new form costs.
        reason: in words.
        kept_in: note keys, ``history`` or ``nowhere``: where the original can be read.
        needs: keys of note writes without which the change must not be made.
    """

    position: int
    item_id: str
    item: InputItem | None
    tokens_before: int
    tokens_after: int
    rung: Rung
    reason: str
    kept_in: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()

    def as_dict(self) -> dict[str, JSON]:
        """Return it in JSON types, without the item's content."""
        return {
            "itemId": self.item_id,
            "position": self.position,
            "action": self.action,
            "replacedBy": self.item["id"] if self.item else None,
            "tokensBefore": self.tokens_before,
            "tokensAfter": self.tokens_after,
            "rung": self.rung,
            "reason": self.reason,
            "keptIn": list(self.kept_in),
        }

    @property
    def action(self) -> Literal["removed", "shortened", "replaced"]:
        """What happens to the item: it leaves, gets shorter, or something else takes its place."""
        if self.item is None:
            return "removed"
        return "shortened" if self.item["id"] == self.item_id else "replaced"


@dataclass(frozen=True, slots=True)
class NoteWrite:
    """A text or value to store in the notes before anything leaves the prompt.

    Attributes:
        key: under which it can be read afterwards.
        requested_key: what is passed to the store; a tier makes ``key`` of it.
        data: description, value, and tier or priority.
        source: id of the item, or plugin and key, that it comes from.
    """

    key: str
    requested_key: str
    data: dict[str, JSON]
    source: str

    def as_dict(self) -> dict[str, JSON]:
        """Return it in JSON types, without the value."""
        return {"key": self.key, "description": self.data["description"], "source": self.source}


@dataclass(frozen=True)
class PluginShrink:
    """A plugin asked to give tokens back.

    Attributes:
        name: the plugin.
        tokens_to_free: what it is asked for.
        freed: what that saves in the prompt, recounted.
        given_up: keys of entries that leave it.
        kept_in: note keys of their copies, ``history`` or ``nowhere``.
        needs: keys of note writes without which it must not be asked.
        entries: the entries that leave it, as they were.
    """

    name: str
    tokens_to_free: int
    freed: int
    given_up: tuple[str, ...] = ()
    kept_in: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()
    entries: tuple[JSON, ...] = field(default=(), repr=False)

    def as_dict(self) -> dict[str, JSON]:
        """Return it in JSON types."""
        return {
            "name": self.name,
            "tokensToFree": self.tokens_to_free,
            "freed": self.freed,
            "givenUp": list(self.given_up),
            "keptIn": list(self.kept_in),
        }


@dataclass(frozen=True)
class CompactionPlan:
    """A compaction from the first count to the last.

    Attributes:
        trigger: the gate, the end of a run, or a person.
        strategy: name of the strategy that made it.
        before: the budget it starts from.
        after: the budget it leads to; after ``apply`` a recount of what it led to.
        target: content tokens to end at or under.
        shortfall: why it ends above the target, None when it does not. A plan that only tidies up has none.
        protected_turns: how many of the last turns may not leave.
        changes: items of the history that change, by position.
        operations: note writes and plugin requests in the order they are to be made.
        log: what is done, one line each, first "started" and last "complete".
        failed: keys and plugins that refused when the plan was applied; what needed them stayed.
        base: the items of the history that the plan was made for, by identity.
        revisions: plugin name to its revision at that time, None for one that counts none.
    """

    trigger: Trigger
    strategy: str
    before: Budget
    after: Budget
    target: int
    shortfall: Shortfall | None = None
    protected_turns: int = 4
    changes: tuple[ItemChange, ...] = ()
    operations: tuple[NoteWrite | PluginShrink, ...] = ()
    log: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    base: tuple[InputItem, ...] = field(default=(), repr=False)
    revisions: dict[str, object] = field(default_factory=dict, repr=False)

    @property
    def tokens_freed(self) -> int:
        """Difference of the two counts."""
        return self.before.content_used - self.after.content_used

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not self.changes and not self.operations

    @property
    def reaches_target(self) -> bool:
        """Whether the prompt ends at or under the target."""
        return self.after.content_used <= self.target

    @property
    def notes(self) -> tuple[NoteWrite, ...]:
        """What is stored in the notes."""
        return tuple(each for each in self.operations if isinstance(each, NoteWrite))

    @property
    def plugins(self) -> tuple[PluginShrink, ...]:
        """Which plugins give tokens back."""
        return tuple(each for each in self.operations if isinstance(each, PluginShrink))

    @property
    def removed(self) -> tuple[InputItem, ...]:
        """The original items that are no longer in the prompt as they were, oldest first."""
        return tuple(self.base[each.position] for each in self.changes)

    def recounted(
        self, after: Budget, shortfall: Shortfall | None, failed: tuple[str, ...]
    ) -> CompactionPlan:
        """Return the plan with what its application led to."""
        freed = self.before.content_used - after.content_used
        done = f"Compaction complete: {freed} tokens freed, {after.content_used} of {after.content_max} used"
        lost = (f"not stored: {name}; what needed it stayed" for name in failed)
        why = f"; {shortfall}" if shortfall else ""
        log = (*self.log, *lost, done + why)
        return replace(self, after=after, shortfall=shortfall, failed=failed, log=log)

    def as_dict(self) -> dict[str, JSON]:
        """Return the plan in JSON types: what goes, what is kept where, tokens and reasons; no contents."""
        return {
            "trigger": self.trigger,
            "strategy": self.strategy,
            "contentMax": self.before.content_max,
            "usedBefore": self.before.content_used,
            "usedAfter": self.after.content_used,
            "target": self.target,
            "tokensFreed": self.tokens_freed,
            "reachesTarget": self.reaches_target,
            "shortfall": self.shortfall.as_dict() if self.shortfall else None,
            "items": [each.as_dict() for each in self.changes],
            "staying": len(self.base) - sum(each.item is None for each in self.changes),
            "notes": [each.as_dict() for each in self.notes],
            "plugins": [each.as_dict() for each in self.plugins],
            "log": list(self.log),
            "failed": list(self.failed),
        }
