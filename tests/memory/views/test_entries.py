import pytest
from django.urls import reverse

from memory.actors import Actor
from memory.bindings import change_board, open_board
from memory.models import EntryRevision
from tests.people import Cast, make_cast, signed_in

pytestmark = pytest.mark.django_db

JSON = {"accept": "application/json"}


@pytest.fixture
def cast() -> Cast:
    cast = make_cast()
    agent_writes(cast, "mode", "quick")
    return cast


def agent_writes(cast: Cast, key: str, value: object) -> None:
    change_board(cast.session.pk, lambda b: b.set(key, f"About {key}", value), actor=Actor.client("agent"))


def edit_url(cast: Cast) -> str:
    return reverse("entry-edit", args=[cast.session.pk])


def delete_url(cast: Cast) -> str:
    return reverse("entry-delete", args=[cast.session.pk])


def form(**fields: object) -> dict[str, object]:
    defaults = {"key": "mode", "description": "How to work", "value": "detailed", "format": "text"}
    return defaults | {"priority": "high", "show_in_ui": "1", "version": 1} | fields


def test_the_form_shows_the_entry_as_it_is(cast: Cast) -> None:
    page = signed_in(cast.operator).get(edit_url(cast), {"key": "mode"}).content.decode()
    assert "About mode" in page
    assert "quick" in page


def test_a_value_that_is_not_text_is_shown_as_json(cast: Cast) -> None:
    agent_writes(cast, "limits", {"b": 1.0, "a": [2]})
    response = signed_in(cast.operator).get(edit_url(cast), {"key": "limits"})
    assert response.context["values"].value == '{\n  "b": 1.0,\n  "a": [\n    2\n  ]\n}'
    assert response.context["values"].format == "json"


def test_an_edit_is_stored_under_the_name_of_the_person(cast: Cast) -> None:
    response = signed_in(cast.operator).post(edit_url(cast), form())
    assert response.status_code == 303
    entry = open_board(cast.session).entry("mode")
    assert entry
    assert (entry.value, entry.description, entry.priority, entry.show_in_ui) == (
        "detailed",
        "How to work",
        "high",
        True,
    )
    assert EntryRevision.objects.latest("revision").user == cast.operator


def test_json_is_stored_with_its_types(cast: Cast) -> None:
    signed_in(cast.operator).post(
        edit_url(cast), form(format="json", value='{"n": 1.0, "list": [true, null]}')
    )
    assert open_board(cast.session).get("mode") == {"n": 1.0, "list": [True, None]}


def test_an_unchecked_box_hides_the_entry(cast: Cast) -> None:
    fields = form()
    del fields["show_in_ui"]
    signed_in(cast.operator).post(edit_url(cast), fields)
    entry = open_board(cast.session).entry("mode")
    assert entry
    assert entry.show_in_ui is False


def test_a_new_entry_is_created(cast: Cast) -> None:
    client = signed_in(cast.operator)
    assert client.get(edit_url(cast)).status_code == 200
    client.post(edit_url(cast), form(key="note", version=0))
    assert open_board(cast.session).get("note") == "detailed"


def test_line_ends_of_browsers_are_stored_as_newlines(cast: Cast) -> None:
    signed_in(cast.operator).post(edit_url(cast), form(value="a\r\nb"))
    assert open_board(cast.session).get("mode") == "a\nb"


def test_a_change_made_meanwhile_shows_both_values_and_saves_nothing(cast: Cast) -> None:
    agent_writes(cast, "mode", "slow")
    response = signed_in(cast.operator).post(edit_url(cast), form())
    assert response.status_code == 409
    page = response.content.decode()
    assert "slow" in page
    assert "detailed" in page
    assert open_board(cast.session).get("mode") == "slow"
    kept = signed_in(cast.operator).post(edit_url(cast), form(version=2))
    assert kept.status_code == 303
    assert open_board(cast.session).get("mode") == "detailed"


def test_a_new_entry_under_a_key_that_is_taken_says_so_and_keeps_what_was_typed(cast: Cast) -> None:
    client = signed_in(cast.operator)
    response = client.post(edit_url(cast), form(version=0))
    assert response.status_code == 409
    page = response.content.decode()
    assert "There is already an entry “mode”." in page
    assert "while you were editing" not in page
    assert "detailed" in page
    answer = client.post(edit_url(cast), form(version=0), headers=JSON)
    assert answer.json()["error"] == "There is already an entry 'mode'."


def test_json_that_cannot_be_read_is_told_once(cast: Cast) -> None:
    answer = signed_in(cast.operator).post(edit_url(cast), form(value="{", format="json"), headers=JSON)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("Not valid JSON (")
    assert answer.json()["error"].endswith("; send one JSON value.")


def test_a_script_gets_the_current_value_of_a_conflict(cast: Cast) -> None:
    agent_writes(cast, "mode", "slow")
    response = signed_in(cast.operator).post(edit_url(cast), form(), headers=JSON)
    assert response.status_code == 409
    assert (response.json()["current"]["value"], response.json()["current"]["version"]) == ("slow", 2)


def test_an_edit_of_an_entry_that_is_gone_can_still_be_kept(cast: Cast) -> None:
    change_board(
        cast.session.pk,
        lambda b: b.delete("mode"),
        actor=Actor.client("agent"),
        action=EntryRevision.Action.DELETE,
    )
    client = signed_in(cast.operator)
    response = client.post(edit_url(cast), form())
    assert response.status_code == 409
    assert response.context["conflict"]["version"] == 0
    assert client.post(edit_url(cast), form(version=0)).status_code == 303


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"key": "k" * 200}, "128"),
        ({"key": "two\nlines"}, "one plain line"),
        ({"key": ""}, "key"),
        ({"description": ""}, "description"),
        ({"priority": "urgent"}, "critical"),
        ({"format": "json", "value": "{oops"}, "JSON"),
        ({"format": "json", "value": "NaN"}, "NaN"),
        ({"format": "json", "value": "[" * 10_000}, "Nested"),
        ({"format": "yaml"}, "format"),
        ({"value": "nul\x00"}, "NUL"),
        ({"value": "word " * 60_000}, "token"),
        ({"version": "abc"}, "version"),
    ],
)
def test_bad_input_is_refused_with_the_remedy_and_nothing_changes(
    cast: Cast, fields: dict[str, object], says: str
) -> None:
    if "key" in fields:
        fields = fields | {"version": 0}
    response = signed_in(cast.operator).post(edit_url(cast), form(**fields), headers=JSON)
    assert response.status_code == 400, response.content
    assert says in response.json()["error"]
    assert open_board(cast.session).get("mode") == "quick"
    assert len(open_board(cast.session).entries()) == 1
    page = signed_in(cast.operator).post(edit_url(cast), form(**fields))
    assert page.status_code == 400


def test_deleting_needs_a_look_first(cast: Cast) -> None:
    client = signed_in(cast.operator)
    asked = client.post(delete_url(cast), {"key": "mode"})
    assert asked.status_code == 200
    assert "mode" in asked.content.decode()
    assert open_board(cast.session).has("mode")
    assert client.post(delete_url(cast), {"key": "mode", "version": "1"}).status_code == 303
    assert not open_board(cast.session).has("mode")
    assert EntryRevision.objects.latest("revision").action == "delete"


def test_deleting_another_version_is_asked_again(cast: Cast) -> None:
    agent_writes(cast, "mode", "slow")
    response = signed_in(cast.operator).post(delete_url(cast), {"key": "mode", "version": "1"})
    assert response.status_code == 409
    assert open_board(cast.session).get("mode") == "slow"
    answer = signed_in(cast.operator).post(delete_url(cast), {"key": "mode", "version": "1"}, headers=JSON)
    assert answer.json()["version"] == 2


def test_a_missing_entry_is_not_found(cast: Cast) -> None:
    client = signed_in(cast.operator)
    assert client.get(edit_url(cast), {"key": "nothing"}).status_code == 404
    assert client.post(delete_url(cast), {"key": "nothing"}).status_code == 404


def test_only_operators_and_staff_may_edit_and_delete(cast: Cast) -> None:
    for address in (edit_url(cast), delete_url(cast)):
        assert signed_in(cast.stranger).get(address, {"key": "mode"}).status_code == 404
        assert signed_in(cast.member).get(address, {"key": "mode"}).status_code == 403
        assert signed_in(cast.staff).get(address, {"key": "mode"}).status_code == 200
    assert signed_in(cast.member).post(edit_url(cast), form()).status_code == 403
    assert open_board(cast.session).get("mode") == "quick"
