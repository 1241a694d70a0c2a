"""Rung 3 of the ladder: every plugin that can shrink is asked, the most expendable first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agents.context.compaction.results import is_done
from agents.context.plugin import priority_of

if TYPE_CHECKING:
    from agents.context.compaction.draft import Draft

# Copies of what a plugin gives up lengthen the index of the notes: asked again, it makes up for that.
_MAX_ROUNDS = 3


def shrink_plugins(draft: Draft) -> None:
    """Ask the plugins for what is missing, highest priority first (hosts' 10, notes 2, whiteboard 1)."""
    by_priority = sorted(draft.plugins.values(), key=priority_of, reverse=True)
    for name in [plugin.name for plugin in by_priority]:
        for _ in range(_MAX_ROUNDS):
            if is_done(draft):
                return
            if draft.shrink_plugin(name, draft.missing) == 0:
                break
