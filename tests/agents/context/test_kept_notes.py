from agents.context.json_values import JSON
from agents.context.kept_notes import Known, Place, find_place


def place_among(notes: dict[str, JSON], value: JSON) -> Place | None:
    return find_place("k", value, lambda key: Known(key, notes[key]) if key in notes else None)


def test_a_text_of_its_own_gets_the_next_number_and_one_that_is_there_its_note() -> None:
    assert place_among({}, "a") == Place("k", is_taken=False)
    assert place_among({"k": "a"}, "b") == Place("k.2", is_taken=False)
    assert place_among({"k": "a", "k.2": "b"}, "b") == Place("k.2", is_taken=True)


def test_however_many_there_are_another_one_has_a_place() -> None:
    numbered: dict[str, JSON] = {f"k.{number}": number for number in range(2, 21)}
    numbered["k"] = 1
    found = place_among(numbered, {"a": "\u00e9"})
    assert found is not None
    assert not found.is_taken
    assert len(found.key) == len("k.") + 16
    assert place_among(numbered | {found.key: {"a": "\u00e9"}}, {"a": "\u00e9"}) == Place(
        found.key, is_taken=True
    )
    other = place_among(numbered, "text")
    assert other is not None
    assert other.key not in {found.key, *numbered}


def test_where_every_key_is_taken_by_something_else_there_is_no_place() -> None:
    assert find_place("k", "text", lambda key: Known(key, "else")) is None
