"""The history of a whiteboard as people see it: versions of a key, revisions of the whole board."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from django.db.models import Count, Max
from django.utils import timezone

from agents.context import json_values
from agents.context.json_values import InvalidJSON
from memory.cards import age, dom_id, is_shown, priority_of
from memory.diffs import Diff, blame, compare
from memory.models import Entry, EntryRevision, Store
from memory.rendered import value_html
from memory.rendering.cards import CardHTML, source_text
from memory.states import states_at

# Versions in the list at once; the slider reaches all of them.
SHOWN = 100
# Versions that the origin of a line is looked for in.
MOST_BLAMED = 100
_BAR_HEIGHT = 42.0
_BAR_BOTTOM = 46.0

Action = EntryRevision.Action
Show = Literal["rendered", "raw", "json", "blame"]
SHOWS: tuple[Show, ...] = ("rendered", "raw", "json", "blame")

_WHAT = {
    Action.SET: "Changed",
    Action.RESTORE: "Restored",
    Action.DELETE: "Deleted",
    Action.EVICT: "Evicted",
    Action.CLEAR: "Cleared",
    Action.COMPACT: "Given up",
}


@dataclass(frozen=True)
class Author:
    """Who made a change.

    Attributes:
        turn: number of the agent's turn, or None.
    """

    kind: str
    name: str
    turn: int | None


@dataclass(frozen=True)
class Step:
    """A place of the slider: a version of a key, or a revision of the board.

    Attributes:
        what: what happened, in a word or two.
        tokens: of the entry, or 0 when it was gone; of a board: keys changed.
        change: tokens more or fewer than the step before.
        x, height: of its bar, in the drawing's units.
    """

    number: int
    what: str
    author: Author
    at: datetime
    age: str
    tokens: int
    change: int = 0
    is_gone: bool = False
    x: float = 50.0
    height: float = 2.0

    @property
    def y(self) -> float:
        """Where its bar begins."""
        return _BAR_BOTTOM - self.height


@dataclass(frozen=True)
class BlamedLine:
    """A line of a value and the version that brought it."""

    number: int
    text: str
    version: int
    author: str


@dataclass(frozen=True)
class Fact:
    """One thing about a version, in words."""

    name: str
    value: str


@dataclass(frozen=True)
class KeyHistory:
    """A key at one of its versions.

    Attributes:
        steps: newest first, at most SHOWN around the chosen one.
        current: the newest version, and the entry as it is now; None when it is gone.
        raw: the value as text; ``rendered`` and ``blamed`` only when they are shown.
        against: number of the version compared with; None for the first version.
    """

    key: str
    description: str
    dom_id: str
    priority: str
    is_shown_by_agent: bool
    steps: Sequence[Step]
    step: Step
    first: int
    last: int
    previous: int | None
    following: int | None
    current: Entry | None
    show: Show
    raw: str
    rendered: CardHTML | None
    blamed: Sequence[BlamedLine]
    diff: Diff
    against: int | None
    facts: Sequence[Fact]


@dataclass(frozen=True)
class PastEntry:
    """An entry of the board at a revision, by name."""

    key: str
    description: str
    priority: str
    tokens: int
    what: str


@dataclass(frozen=True)
class BoardHistory:
    """The whole board at one of its revisions.

    Attributes:
        entries: what was on the board, then what left it at this revision.
    """

    steps: Sequence[Step]
    step: Step
    last: int
    previous: int | None
    following: int | None
    entries: Sequence[PastEntry]
    tokens: int


def key_history(
    store: Store, key: str, version: int | None, show: Show, *, newest: bool
) -> KeyHistory | None:
    """Return the key at a version (None: the newest), or None when there never was such a key.

    It is compared with the version before, or with the ``newest``. Never call it inside a transaction.
    """
    rows = store.revisions.filter(key=key)
    last = rows.order_by("-revision").values_list("version", flat=True).first()
    if last is None:
        return None
    chosen = last if version is None else min(max(1, version), last)
    row = rows.filter(version__gte=chosen).select_related("turn").order_by("version").first()
    row = row or rows.select_related("turn").order_by("-version")[0]
    before = rows.filter(version__lt=row.version).order_by("-version").first()
    after = rows.filter(version__gt=row.version).order_by("version").first()
    other = rows.order_by("-version").first() if newest else before
    first = rows.order_by("version").values_list("version", flat=True)[0]
    steps = _drawn(_key_steps(store, key, row.version), first, last)
    step = next(each for each in steps if each.number == row.version)
    text = _text(row)
    return KeyHistory(
        key=key,
        description=row.description,
        dom_id=dom_id(key),
        priority=priority_of(row.attributes),
        is_shown_by_agent=is_shown(row.attributes),
        steps=steps,
        step=step,
        first=first,
        last=last,
        previous=before.version if before else None,
        following=after.version if after else None,
        current=store.entries.filter(key=key).first(),
        show=show,
        raw=_json_text(row) if show == "json" else text,
        rendered=_rendered(store, row) if show == "rendered" else None,
        blamed=_blamed(store, row) if show == "blame" else (),
        diff=compare(text, _text(other)) if newest and other else compare(_text(before), text),
        against=other.version if other else None,
        facts=_facts(row, before, after),
    )


def board_history(store: Store, revision: int | None) -> BoardHistory | None:
    """Return the whole board at a revision (None: the newest), or None when nothing was ever on it."""
    if not store.revision:
        return None
    chosen = store.revision if revision is None else min(max(1, revision), store.revision)
    steps = _board_steps(store, chosen)
    changes = {row.key: row for row in store.revisions.filter(revision=chosen).defer("value")}
    states = states_at(store.pk, chosen)
    entries = [
        PastEntry(
            state.key,
            state.description,
            priority_of(state.attributes),
            state.tokens,
            _what(changes[state.key]) if state.key in changes else "",
        )
        for state in states
    ]
    present = {state.key for state in states}
    entries += [
        PastEntry(row.key, row.description, priority_of(row.attributes), row.tokens, _what(row))
        for row in changes.values()
        if row.key not in present
    ]
    return BoardHistory(
        steps=steps,
        step=next(step for step in steps if step.number == chosen),
        last=store.revision,
        previous=chosen - 1 or None,
        following=chosen + 1 if chosen < store.revision else None,
        entries=entries,
        tokens=sum(state.tokens for state in states),
    )


def _key_steps(store: Store, key: str, chosen: int) -> Sequence[Step]:
    rows = store.revisions.filter(key=key).defer("value").select_related("turn")
    # One more than shown: the last one only says what the change before it was.
    newest = list(rows.filter(version__lte=chosen + SHOWN // 2).order_by("-version")[: SHOWN + 1])
    gone = dict(rows.filter(value=None).values_list("version", "pk"))
    now = timezone.now()
    tokens = [0 if row.version in gone else row.tokens for row in newest] + [0]
    steps = [
        _step(row, row.version, now, tokens[place], is_gone=row.version in gone)
        for place, row in enumerate(newest)
    ]
    changed = [replace(step, change=tokens[place] - tokens[place + 1]) for place, step in enumerate(steps)]
    return changed[:SHOWN]


def _board_steps(store: Store, chosen: int) -> Sequence[Step]:
    groups = (
        store.revisions.filter(revision__lte=chosen + SHOWN // 2)
        .order_by("-revision")
        .values_list("revision")
        .annotate(Count("pk"), Max("pk"))[:SHOWN]
    )
    counted = list(groups)
    rows = (
        store.revisions.filter(pk__in=[last for _, _, last in counted]).defer("value").select_related("turn")
    )
    of = {row.pk: row for row in rows}
    now = timezone.now()
    steps = []
    for revision, count, last in counted:
        step = _step(of[last], revision, now, count)
        what = f"{of[last].key}: {step.what.lower()}" if count == 1 else f"{count} entries"
        steps.append(replace(step, what=what))
    return _drawn(steps, 1, store.revision)


def _step(row: EntryRevision, number: int, now: datetime, tokens: int, *, is_gone: bool = False) -> Step:
    ms = int(row.created_at.timestamp() * 1000)
    author = Author(row.actor_kind, row.actor_name, row.turn.index if row.turn else None)
    return Step(number, _what(row), author, row.created_at, age(ms, now), tokens, is_gone=is_gone)


def _drawn(steps: Sequence[Step], first: int, last: int) -> Sequence[Step]:
    """Return the steps with their bars, each at its place between the first and the last number."""
    most = max([1, *(step.tokens for step in steps)])
    width = 100 / max(1, last - first)
    return [
        replace(step, x=(step.number - first) * width, height=max(2.0, _BAR_HEIGHT * step.tokens / most))
        for step in steps
    ]


def _what(row: EntryRevision) -> str:
    return "Created" if row.version == 1 and row.action == Action.SET else _WHAT[Action(row.action)]


def _text(row: EntryRevision | None) -> str:
    return source_text(row.value) if row and row.value is not None else ""


def _json_text(row: EntryRevision) -> str:
    try:
        return json_values.pretty(json_values.decode(row.value or "null"))
    except InvalidJSON:
        return row.value or ""


def _rendered(store: Store, row: EntryRevision) -> CardHTML | None:
    if row.value is None or store.session_id is None:
        return None
    return value_html(row.value, f"{dom_id(row.key)}-past", store.session_id)


def _blamed(store: Store, row: EntryRevision) -> Sequence[BlamedLine]:
    rows = store.revisions.filter(key=row.key, version__lte=row.version).order_by("-version")
    past = list(rows[:MOST_BLAMED])[::-1]
    return [
        BlamedLine(number, text, past[place].version, past[place].actor_name)
        for number, (text, place) in enumerate(blame(_text(each) for each in past), start=1)
    ]


def _facts(row: EntryRevision, before: EntryRevision | None, after: EntryRevision | None) -> Sequence[Fact]:
    ended, old = after.created_at if after else timezone.now(), before or row
    facts = [
        Fact("Priority", _was(priority_of(row.attributes), priority_of(old.attributes))),
        Fact("Shown by the agent", _was(_yes(row.attributes), _yes(old.attributes))),
        Fact("Tokens", f"{row.tokens:,}"),
        Fact("Description", _was(row.description, old.description)),
        Fact("Lived for" if after else "Lives since", _span((ended - row.created_at).total_seconds())),
    ]
    return [fact for fact in facts if fact.value]


def _was(now: str, before: str) -> str:
    return f"{now}, was {before}" if before != now else now


def _yes(attributes: dict[str, Any]) -> str:
    return "yes" if is_shown(attributes) else "no"


def _span(seconds: float) -> str:
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    told = [f"{number} {unit}" for number, unit in parts if number][:2]
    return " ".join(told) or "less than a second"
