"""Which messages belong together, and which are protected."""

from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from agents.context import AlgorithmicStrategy
from agents.context.compaction.units import turns_of, units_of
from agents.context.messages import InputItem
from agents.context.pairing import piece_of
from tests.agents.context.cast import assistant, results, user
from tests.agents.context.compaction.cast import fill_to, ids_of, load, sized, turn
from tests.fuzz.compaction import MemoryStorage
from tests.fuzz.histories import Generator

REASONING = cast("InputItem", {"type": "reasoning", "id": "rs", "encrypted_content": "zz"})
COMPACTION = cast("InputItem", {"type": "compaction", "id": "cmp", "encrypted_content": "zz"})


def units(*items: InputItem, pending: tuple[InputItem, ...] = (), protected: int = 4) -> list[list[str]]:
    """Return the ids of each unit, with its protection at the end."""
    pieces = [piece_of(item) for item in items]
    waiting = [piece_of(item, is_pending=True) for item in pending]
    return [
        [*(items[place]["id"] for place in unit.positions), unit.protection]
        for unit in units_of(pieces, waiting, protected)
    ]


def test_an_exchange_is_one_unit_however_its_results_arrive() -> None:
    made = units(
        user("go", "u1"),
        assistant("", ("a", "b"), "c1"),
        results("b", item_id="r1"),
        results("a", item_id="r2"),
        assistant("done", (), "a1"),
        protected=0,
    )
    assert [unit[:-1] for unit in made] == [["u1"], ["c1", "r1", "r2"], ["a1"]]


def test_what_a_person_says_between_call_and_result_stays_between_them() -> None:
    made = units(
        assistant("", ("a", "b"), "c1"),
        results("a", item_id="r1"),
        user("hurry", "u"),
        results("b", item_id="r2"),
        protected=0,
    )
    assert [unit[:-1] for unit in made] == [["c1", "r1", "u", "r2"]]


def test_a_call_without_result_and_a_result_without_call_are_units_of_their_own() -> None:
    made = units(
        assistant("", ("a",), "c1"), assistant("", ("b",), "c2"), results("x", item_id="r"), protected=0
    )
    assert [unit[:-1] for unit in made] == [["c1"], ["c2"], ["r"]]


def test_reasoning_belongs_to_the_reply_it_led_to() -> None:
    made = units(
        REASONING,
        cast("InputItem", {**REASONING, "id": "rs2"}),
        assistant("", ("a",), "c1"),
        results("a", item_id="r"),
        protected=0,
    )
    assert [unit[:-1] for unit in made] == [["rs", "rs2", "c1", "r"]]
    assert [unit[:-1] for unit in units(REASONING, user("hi", "u"), protected=0)] == [["rs"], ["u"]]
    assert [unit[:-1] for unit in units(REASONING, protected=0)] == [["rs"]]


def test_each_protection_has_a_reason() -> None:
    talk = [item for name in "abcde" for item in turn(name)]
    summary = user("Summary", "rollover_summary_1")
    made = {unit[0]: unit[-1] for unit in units(*turn("0"), COMPACTION, *talk)}
    assert made["u-0"] == "first message of the session"
    assert made["a-0"] == ""
    assert made["cmp"] == "state of the provider"
    assert made["u-a"] == ""
    assert made["u-b"] == made["a-e"] == "recent turn"
    made = {unit[0]: unit[-1] for unit in units(summary, *turn("0"), *talk)}
    assert made["rollover_summary_1"] == "summary of a rollover"
    assert made["u-0"] == ""


def test_the_call_that_waits_for_its_answer_is_protected() -> None:
    made = units(
        user("go", "u"), assistant("", ("a",), "c"), pending=(results("a", item_id="r"),), protected=0
    )
    assert made == [["u", "first message of the session"], ["c", "the current input answers it"]]


def test_no_turn_at_all_may_be_protected() -> None:
    context = sized(
        2_000,
        compaction_strategy=AlgorithmicStrategy(protected_turns=1, threshold=0.4),
        storage=MemoryStorage(),
    )
    load(context, *(item for name in "abc" for item in turn(name, 200)))
    fill_to(context, 1_950)
    context.prepare()
    assert ids_of(context.get_conversation()) == ["u-a"]


def test_what_comes_before_the_first_person_is_a_turn_too() -> None:
    pieces = [piece_of(item) for item in (assistant("Hello", (), "a0"), *turn("b"), *turn("c"))]
    assert [[unit.first for unit in each] for each in turns_of(units_of(pieces))] == [[0], [1, 2], [3, 4]]
    assert turns_of([]) == []


@given(seed=st.integers(0, 10**6))
def test_units_cover_everything_once_and_never_part_a_pair(seed: int) -> None:
    history = Generator(seed).make()
    pieces = [piece_of(item) for item in history.items]
    made = units_of(pieces, [piece_of(item, is_pending=True) for item in history.pending])
    assert [place for unit in made for place in unit.positions] == list(range(len(pieces)))
    home = {
        use: number
        for number, unit in enumerate(made)
        for place in unit.positions
        for use in pieces[place].uses
    }
    for number, unit in enumerate(made):
        for place in unit.positions:
            assert all(home.get(use, number) == number for use in pieces[place].results)
