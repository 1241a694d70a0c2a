"""What people look at of model calls: the list, the exact request and its parts, and what it all cost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Sum

from agents.call_spans import Span
from agents.connectors.body import MESSAGE_LISTS, SYSTEM_VALUES, TOOL_LISTS, Place, outline, read_text
from agents.models import AgentProfile, AgentSession, ModelCall, Turn
from agents.parts import load_body

PAGE_SIZE = 50
_TEXT_KINDS = ("system_prompt", "persistent_instructions", "plugin_instructions", "plugin", "date")


@dataclass(frozen=True)
class SpanView:
    """One part of a request with what it says.

    Attributes:
        text: of a part of the system message, as the model reads it; empty for the others, and once the
            request is dropped.
        items: JSON text of each tool definition or message, exactly as it left; empty for the others.
    """

    span: Span
    text: str
    items: Sequence[str]


@dataclass(frozen=True)
class SharedPrefix:
    """How far a prompt begins like the one before, which is what a provider can read from its cache.

    Attributes:
        tokens: estimated.
        percent: of the prompt's tokens.
        ends_in: the part in which the prompts part ways; None when the whole of it is shared.
    """

    tokens: int
    percent: float
    ends_in: Span | None


@dataclass(frozen=True)
class UsageTotals:
    """What model calls used, as the providers say.

    Attributes:
        cost: US dollars of the calls whose price is known; None when there is none.
        unpriced: calls with usage but without a known price.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cache_write_tokens: int
    cost: Decimal | None
    unpriced: int


def calls_page(
    session: AgentSession, *, before: UUID | None = None, limit: int = PAGE_SIZE
) -> Sequence[ModelCall]:
    """Return calls of the session with their turns, newest first; ``before`` is the last id seen."""
    calls = session.calls.select_related("turn").defer("body_parts").order_by("-started_at", "-ordinal")
    if before is not None:
        last = session.calls.filter(pk=before).values_list("started_at", flat=True).first()
        calls = calls.filter(started_at__lt=last) if last else calls.none()
    return list(calls[:limit])


def previous_call(call: ModelCall) -> ModelCall | None:
    """Return the call of the session before this one."""
    earlier = call.session.calls.filter(started_at__lt=call.started_at)
    return earlier.order_by("-started_at").first()


def request_text(call: ModelCall) -> str | None:
    """Return the body of the request exactly as it left; None once it was dropped.

    Raises:
        agents.parts.DamagedBody: the stored parts do not give the bytes that left.
    """
    body = _body(call)
    return None if body is None else body.decode()


def spans(call: ModelCall) -> Sequence[SpanView]:
    """Return the parts of the request in the order of the prompt; without contents once it was dropped.

    Raises:
        agents.parts.DamagedBody: the stored parts do not give the bytes that left.
    """
    body = _body(call)
    items = [place for places in outline(body or b"").items.values() for place in places]
    return [_view(Span(**each), body, items) for each in call.spans]


def shared_prefix(call: ModelCall, previous: ModelCall) -> SharedPrefix | None:
    """Return how far the call begins like ``previous``; None once one of them was dropped.

    Raises:
        agents.parts.DamagedBody: the stored parts do not give the bytes that left.
    """
    body, other = _body(call), _body(previous)
    if body is None or other is None:
        return None
    shared = list(_shared_places(body, other))
    found = [Span(**each) for each in call.spans]
    counted = [(span, _shared_tokens(span, shared)) for span in found]
    tokens = sum(count for _, count in counted)
    total = sum(span.tokens for span in found)
    parted = next((span for span, count in counted if count < span.tokens and span.tokens), None)
    return SharedPrefix(tokens, 100 * tokens / total if total else 0.0, parted)


def usage_totals(owner: AgentSession | Turn | AgentProfile) -> UsageTotals:
    """Return what the calls of a session, a turn or an agent used."""
    sums = _calls_of(owner).aggregate(
        # Before the sums, because a sum takes the name of its column.
        unpriced=Count("pk", filter=Q(cost=None, input_tokens__isnull=False)),
        calls=Count("pk"),
        input_tokens=Sum("input_tokens"),
        output_tokens=Sum("output_tokens"),
        cached_tokens=Sum("cached_tokens"),
        cache_write_tokens=Sum("cache_write_tokens"),
        cost=Sum("cost"),
    )
    cost: Decimal | None = sums.pop("cost")
    return UsageTotals(**{name: value or 0 for name, value in sums.items()}, cost=cost)


def _calls_of(owner: AgentSession | Turn | AgentProfile) -> QuerySet[ModelCall]:
    if isinstance(owner, AgentProfile):
        return ModelCall.objects.filter(session__profile=owner)
    return owner.calls.all()


def _body(call: ModelCall) -> bytes | None:
    digests = bytes(call.body_parts)
    return load_body(digests, call.body_sha256) if digests else None


def _view(span: Span, body: bytes | None, items: Sequence[Place]) -> SpanView:
    if body is None or span.start is None or span.end is None:
        return SpanView(span, "", ())
    if span.kind in _TEXT_KINDS:
        return SpanView(span, read_text(body, Place(span.start, span.end)), ())
    inside = [place for place in items if span.start <= place.start and place.end <= span.end]
    return SpanView(span, "", [body[place.start : place.end].decode() for place in inside])


def _shared_places(body: bytes, other: bytes) -> Iterator[Place]:
    """Yield what both begin with, in the order in which providers read a prompt: tools, system, messages."""
    mine, theirs = outline(body), outline(other)
    for names in (TOOL_LISTS, SYSTEM_VALUES, MESSAGE_LISTS):
        here, there = mine.value(names), theirs.value(names)
        if here is None and there is None:
            continue
        if here is None or there is None:
            return
        length = _common(body[here.start : here.end], other[there.start : there.end])
        yield Place(here.start, here.start + length)
        # A list that only grew differs in its last sign.
        if length < here.end - here.start:
            return


def _common(one: bytes, other: bytes) -> int:
    """Return how many bytes both begin with; whole slices are compared, because bytes by bytes is slow."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def _shared_tokens(span: Span, shared: Sequence[Place]) -> int:
    if span.start is None or span.end is None or span.end <= span.start:
        return 0
    for place in shared:
        if place.start <= span.start < place.end:
            length = min(place.end, span.end) - span.start
            return round(span.tokens * length / (span.end - span.start))
    return 0
