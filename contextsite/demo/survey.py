"""A model without a key: it surveys a folder step by step and keeps its state on the whiteboard.

It decides from the request alone, as a real model does, so it goes on after a restart of its worker and
whatever people do to its cards.
"""

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from django.conf import settings

from agents.connectors.base import (
    Connector,
    Done,
    Item,
    ModelEvent,
    ModelRequest,
    RequestSent,
    TextDelta,
    ToolCallStarted,
)
from agents.connectors.body import canonical
from agents.context.json_values import JSON
from agents.ids import uuid7
from agents.models import AgentSession
from contextsite.demo.answers import answer_from_board, final_answer, is_question, stopped_answer
from contextsite.demo.brief import brief_of
from contextsite.demo.cards import SCRATCH_KEY, Card, cards_of, first_cards, scratch_cards
from contextsite.demo.markdown import amount
from contextsite.demo.progress import MARKERS, NAMED, TRIES, Progress, call_name, progress_of
from contextsite.demo.seen import Seen, printed, read_request
from contextsite.demo.wishes import Wishes, read_wishes

MAX_PAGE = 5000

_SENTENCE = re.compile(r"[^.!?\n]+[.!?\n]*\s*|.+", re.DOTALL)


@dataclass(frozen=True)
class Call:
    """One tool call that the model decides on."""

    name: str
    arguments: dict[str, JSON]


@dataclass(frozen=True)
class Decision:
    """One reply: a text, or calls with an optional text before them."""

    text: str = ""
    calls: Sequence[Call] = field(default=())


def connector(model_name: str, session: AgentSession) -> Connector:
    """Return the survey's model, paced as the settings say."""
    return SurveyConnector(partial(time.sleep, settings.DEMO_PAUSE_MS / 1000))


class SurveyConnector:
    """Answers requests with the survey's next decision.

    Args:
        pause: called before each tool call and each sentence of an answer, so that people can follow.
        new_id: makes the id of a tool call.
    """

    def __init__(self, pause: Callable[[], None], new_id: Callable[[], str] = lambda: uuid7().hex) -> None:
        self._pause = pause
        self._new_id = new_id

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        """Yield the next decision, a sentence or a call at a time."""
        yield RequestSent(canonical(request))
        decision = decide(read_request(request)) if request.may_call_tools else Decision(brief_of(request))
        content: list[Item] = []
        if decision.text:
            content.append({"type": "output_text", "text": decision.text})
        for sentence in _SENTENCE.findall(decision.text):
            self._pause()
            yield TextDelta(sentence)
        for call in decision.calls:
            self._pause()
            block = {"type": "tool_use", "id": self._new_id(), "name": call.name}
            yield ToolCallStarted(block["id"], call.name)
            content.append({**block, "arguments": json.dumps(call.arguments, ensure_ascii=False)})
        yield Done([{"type": "message", "role": "assistant", "content": content}])


def decide(seen: Seen) -> Decision:
    """Return the next reply to what the model sees."""
    wishes = read_wishes(seen)
    progress = progress_of(seen.results)
    if not seen.is_begun and is_question(seen.wish) and "counters" in seen.board:
        return Decision(answer_from_board(seen))
    if wishes.is_aborted:
        return _stop(seen, progress, wishes)
    work = next_work(progress, wishes)
    if work is None:
        return _finish(seen, progress, wishes)
    state = _state(work, progress)
    cards = cards_of(progress, wishes, state)
    if not seen.is_begun:
        text = "I will survey the folder step by step. The whiteboard shows how far I am."
        return Decision(text, [*_writes(seen, [*first_cards(seen), cards[0]]), work])
    return Decision("", [*_writes(seen, [*cards, *scratch_cards(progress)]), work])


def next_work(progress: Progress, wishes: Wishes) -> Call | None:
    """Return the next call that finds something out, or None when there is nothing left to do."""
    return next(
        (call for call in _work(progress, wishes) if not progress.is_given_up(call.name, call.arguments)),
        None,
    )


def _work(progress: Progress, wishes: Wishes) -> Iterator[Call]:
    """Yield what is left to do, the next thing first."""
    if progress.listing is None:
        yield Call("list_files", {"limit": 20})
    if progress.next_cursor is not None:
        page = _page_size(progress.total_files, wishes)
        yield Call("count_files", {"cursor": progress.next_cursor, "limit": page, "top": NAMED})
    for marker in MARKERS:
        if not progress.is_searched(marker):
            answers = progress.searches.get(marker)
            cursor = answers[-1]["next"] if answers else ""
            yield Call("search_files", {"text": marker, "cursor": cursor, "limit": 5})
    if wishes.is_detailed:
        for path in progress.unread_samples():
            yield Call("read_file", {"path": path, "max_lines": 5})


def _page_size(files: int, wishes: Wishes) -> int:
    """Return files of one page: the whole folder takes about 16 pages in detail and 5 when quick."""
    least, pages = (10, 16) if wishes.is_detailed else (50, 5)
    return min(max(least, -(-files // pages)), MAX_PAGE)


def _state(work: Call, progress: Progress) -> str:
    match work.name:
        case "list_files":
            return "Listing the folder."
        case "count_files":
            return f"Counting, step {progress.steps}."
        case "search_files":
            return f"Searching for {work.arguments['text']}, step {progress.steps}."
        case _:
            return f"Looking into the largest files, step {progress.steps}."


def _stop(seen: Seen, progress: Progress, wishes: Wishes) -> Decision:
    if not seen.is_begun:
        return Decision(
            "The abort flag on the whiteboard is set, so I did nothing. Set it to false and ask again."
        )
    state = f"**Stopped** by the abort flag after step {progress.steps}."
    writes = [*_writes(seen, cards_of(progress, wishes, state)), *_clean_up(seen)]
    return Decision("", writes) if writes else Decision(stopped_answer(progress))


def _finish(seen: Seen, progress: Progress, wishes: Wishes) -> Decision:
    state = (
        f"**Done** in {amount(progress.steps, 'step')}."
        if progress.is_counted
        else "**Ended early**: a tool kept failing."
    )
    writes = [*_writes(seen, cards_of(progress, wishes, state)), *_clean_up(seen)]
    return Decision("", writes) if writes else Decision(final_answer(progress, wishes))


def _writes(seen: Seen, cards: Sequence[Card]) -> list[Call]:
    """Return a write for each card that the board does not show as it shall be."""
    wrong = [card for card in cards if seen.board.get(card.key) != printed(card.value)]
    return _worth_trying(seen, [Call("store_set", card.arguments()) for card in wrong])


def _clean_up(seen: Seen) -> list[Call]:
    if SCRATCH_KEY not in seen.board:
        return []
    return _worth_trying(seen, [Call("store_delete", {"store": "whiteboard", "key": SCRATCH_KEY})])


def _worth_trying(seen: Seen, calls: Sequence[Call]) -> list[Call]:
    """Return the calls without those made often enough: the board may be full, or somebody undoes them."""
    made = Counter(call_name(result.name, result.arguments) for result in seen.results)
    return [call for call in calls if made[call_name(call.name, call.arguments)] < TRIES]
