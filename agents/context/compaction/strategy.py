"""How room is made: the contract of strategies, and the two that are built in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from agents.context.compaction.plugins import shrink_plugins
from agents.context.compaction.results import collapse_old, shorten_large, shorten_protected
from agents.context.compaction.turns import Summarizer, roll_window, summarize_oldest
from agents.context.errors import InvalidOption
from agents.context.kinds import FUNCTION, check_kind, check_kinds, maybe, whole

if TYPE_CHECKING:
    from agents.context.compaction.draft import Draft
    from agents.context.compaction.summary import Summarize

DEFAULT_PROTECTED_TURNS = 4
_KINDS = dict.fromkeys(("tool_result_size_threshold", "max_tool_pairs", "protected_turns"), whole(0))


@dataclass(frozen=True)
class CompactionResult:
    """What a strategy did to a draft.

    Attributes:
        tokens_freed: as far as the strategy knows; the context recounts.
        messages_removed: how many messages left.
        plugins_compacted: names of the plugins that gave something back.
        log: one line for each thing done.
    """

    tokens_freed: int = 0
    messages_removed: int = 0
    plugins_compacted: Sequence[str] = ()
    log: Sequence[str] = ()


@dataclass(frozen=True)
class ConsolidationResult:
    """What was tidied up after a run.

    Attributes:
        performed: whether anything changed.
        tokens_changed: negative when tokens were freed.
        actions: one line for each thing done.
    """

    performed: bool = False
    tokens_changed: int = 0
    actions: Sequence[str] = ()


@runtime_checkable
class CompactionStrategy(Protocol):
    """Decides how room is made; it keeps nothing about any one context.

    It works on a draft, so nothing it does reaches the context before all of it is known. When it fails, or
    frees too little for the prompt to fit, the algorithmic ladder takes over.

    Attributes:
        name: under which it is registered.
        display_name: for people.
        description: for people, one sentence.
        threshold: share of the content room to end at or under, 0 to 1.
        required_plugins: plugins without which it does less; a missing one is only warned of.
    """

    name: str
    display_name: str
    description: str
    threshold: float
    required_plugins: Sequence[str]

    def compact(self, draft: Draft, tokens_to_free: int) -> CompactionResult:
        """Free so many tokens from the draft, as far as possible."""
        ...

    def consolidate(self, draft: Draft) -> ConsolidationResult:
        """Tidy the draft up after a run; called only above the threshold."""
        ...


class AlgorithmicStrategy:
    """The ladder of spec 6.6: every step loses less than the next one, and it stops when the target is met.

    Attributes:
        tool_result_size_threshold: bytes above which a result is moved out first.
        max_tool_pairs: how many of the newest pairs of call and result are left alone by the second step.
        protected_turns: how many of the last turns are left alone until the last resort.
        summarizer: summarizes old turns before they would leave; None skips that step.
    """

    name = "algorithmic"
    display_name = "Algorithmic"
    description = "Moves large and old tool results into notes, then shrinks plugins, then drops old turns."
    required_plugins: Sequence[str] = ("working_memory",)

    def __init__(
        self,
        *,
        threshold: float = 0.75,
        tool_result_size_threshold: int = 1024,
        max_tool_pairs: int = 10,
        protected_turns: int = DEFAULT_PROTECTED_TURNS,
        summarize: Summarize | None = None,
        max_summary_tokens: int = 500,
    ) -> None:
        self.threshold = checked_threshold(threshold)
        self.tool_result_size_threshold = tool_result_size_threshold
        self.max_tool_pairs = max_tool_pairs
        self.protected_turns = protected_turns
        check_kinds(vars(self), _KINDS)
        check_kind("summarize", summarize, maybe(FUNCTION))
        check_kind("max_summary_tokens", max_summary_tokens, whole(1))
        self.summarizer = Summarizer(summarize, max_summary_tokens) if summarize else None

    def compact(self, draft: Draft, tokens_to_free: int) -> CompactionResult:
        """Climb the ladder until the draft is at its target."""
        self._tidy(draft)
        shrink_plugins(draft)
        if self.summarizer is not None:
            summarize_oldest(draft, self.summarizer)
        roll_window(draft)
        shorten_protected(draft)
        # What was moved out last has lengthened the index of the notes.
        shrink_plugins(draft)
        return CompactionResult()

    def consolidate(self, draft: Draft) -> ConsolidationResult:
        """Take the first two steps: results that are large or old move into the notes."""
        self._tidy(draft)
        return ConsolidationResult()

    def _tidy(self, draft: Draft) -> None:
        shorten_large(draft, self.tool_result_size_threshold)
        collapse_old(draft, self.max_tool_pairs)


class DefaultStrategy:
    """Plugins first, then the oldest turns; kept for hosts that named it."""

    name = "default"
    display_name = "Default (plain)"
    description = "Shrinks plugins, then drops the oldest turns. Prefer the algorithmic strategy."
    required_plugins: Sequence[str] = ()

    def __init__(self, *, threshold: float = 0.70) -> None:
        self.threshold = checked_threshold(threshold)

    def compact(self, draft: Draft, tokens_to_free: int) -> CompactionResult:
        """Shrink plugins, then let the oldest turns leave."""
        shrink_plugins(draft)
        roll_window(draft)
        return CompactionResult()

    def consolidate(self, draft: Draft) -> ConsolidationResult:
        """Do nothing."""
        return ConsolidationResult()


def protected_turns_of(strategy: CompactionStrategy) -> int:
    """Return how many of the last turns a strategy leaves alone."""
    turns: int = getattr(strategy, "protected_turns", DEFAULT_PROTECTED_TURNS)
    return turns


def check_strategy(strategy: object) -> None:
    """Do nothing for a strategy.

    Raises:
        InvalidOption: for anything else, and for a threshold out of range.
    """
    if isinstance(strategy, type) or not isinstance(strategy, CompactionStrategy):
        given = strategy.__name__ if isinstance(strategy, type) else type(strategy).__name__
        raise InvalidOption(f"A strategy has all that CompactionStrategy names; {given} has not.")
    checked_threshold(strategy.threshold)


def checked_threshold(threshold: float) -> float:
    """Return the threshold.

    Raises:
        InvalidOption: unless it is above 0 and at most 1.
    """
    is_number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
    if not is_number or not 0 < threshold <= 1:
        raise InvalidOption(
            f"A compaction threshold is a number above 0 and at most 1, not {threshold!r:.40}."
        )
    return threshold
