"""Preparing a context: raw tiktoken, our two ``prepare()``, and LangChain's ``trim_messages``."""

import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import process_time

from langchain_core.messages import BaseMessage

from agents.context import AgentContext, InputItem, TiktokenEstimator
from agents.context.counting import count_item
from agents.context.vocabulary_files import load_encoding
from benchmarks import langchain
from benchmarks.encoding import encoded_texts
from benchmarks.messages import make_items, texts_of
from benchmarks.timing import medians_ms, print_table, timed

MODEL = "gpt-4.1"
WINDOW = 10_000_000
# Messages to rounds: at 10,000 a single run takes seconds.
ROUNDS = {100: 100, 1_000: 40, 10_000: 7}
SECOND_ROUNDS = 100

Counted = list[tuple[InputItem, int]]


@dataclass(frozen=True)
class Case:
    """One conversation in the forms that the contestants take.

    Attributes:
        counted: the items with their tokens, as rows hold them.
        more: the message that comes after the first preparation; about as long as the others.
    """

    items: list[InputItem]
    counted: Counted
    texts: list[str]
    foreign: list[BaseMessage]
    more: str

    @property
    def tokens(self) -> int:
        return sum(tokens for _, tokens in self.counted)


def main() -> None:
    print(f"Context preparation: {MODEL}, window of {WINDOW:,} tokens, medians in ms of CPU time")
    cases = {count: _case(count) for count in ROUNDS}
    # The garbage collector need not walk through all of this again and again while times are taken.
    gc.freeze()
    _print_times(cases)
    print()
    print("Texts that reached the encoder")
    head = ["messages", "first", "second, 1 new message", "loaded with stored counts"]
    print_table(head, [[count, *_encodings(case)] for count, case in cases.items()])


def _print_times(cases: dict[int, Case]) -> None:
    head = ["messages", "tokens", "rounds", "raw tiktoken", "first prepare()", "/ raw"]
    head += ["LangChain trim", "/ raw", "second prepare()", "% of raw", "its new text alone, % of raw"]
    rows: list[Sequence[object]] = []
    for count, rounds in ROUNDS.items():
        case = cases[count]
        raw, first, trim, second, more = _times(case, rounds).values()
        shares = (second / raw * 100, more / raw * 100)
        rows.append((count, case.tokens, rounds, raw, first, first / raw, trim, trim / raw, second, *shares))
    print_table(head, rows)
    print("Targets: first at most 1.2 of raw; second at most 0.5 % of raw, where its new text alone is less.")


def _times(case: Case, rounds: int) -> dict[str, float]:
    encode = load_encoding("o200k_base").encode_ordinary
    # Each comes after making a context, so that all find the caches of the processor alike.
    whole = {
        "raw": timed(_new_context, lambda _: [len(encode(text)) for text in case.texts], process_time),
        "first": timed(_new_context, lambda context: _load_and_prepare(context, case), process_time),
        "trim": timed(_new_context, lambda _: _trim(case.foreign), process_time),
    }
    context = _new_context()
    _load_counted(context, case)
    more = {
        "second": timed(lambda: _answered(context), lambda context: _go_on(context, case.more), process_time),
        "new text": timed(lambda: case.more, encode, process_time),
    }
    return medians_ms(whole, rounds) | medians_ms(more, SECOND_ROUNDS)


def _encodings(case: Case) -> Iterator[int]:
    context = _new_context()
    yield len(encoded_texts(lambda: _load_and_prepare(context, case)))
    yield len(encoded_texts(lambda: _go_on(context, case.more)))
    stored = _new_context()
    yield len(encoded_texts(lambda: _load_counted(stored, case)))


def _case(count: int) -> Case:
    items = make_items(count)
    estimator = TiktokenEstimator(MODEL)
    return Case(
        items=items,
        counted=[(item, count_item(item, estimator)) for item in items],
        texts=list(texts_of(items)),
        foreign=langchain.foreign(items),
        more=sorted(texts_of(items), key=len)[count // 2],
    )


def _new_context() -> AgentContext:
    return AgentContext.create(model=MODEL, max_context_tokens=WINDOW, system_prompt="You keep the books.")


def _load_and_prepare(context: AgentContext, case: Case) -> None:
    context.load_conversation((item, None) for item in case.items)
    context.prepare()


def _load_counted(context: AgentContext, case: Case) -> None:
    context.load_conversation(case.counted)
    context.prepare()


def _answered(context: AgentContext) -> AgentContext:
    context.add_assistant_response("That is done. What comes next?")
    return context


def _go_on(context: AgentContext, text: str) -> None:
    context.add_user_message(text)
    context.prepare()


def _trim(messages: list[BaseMessage]) -> None:
    langchain.trim(messages, WINDOW)
