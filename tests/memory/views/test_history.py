from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agents.models import CompactionRecord
from memory.bindings import whiteboard_of
from memory.models import EntryRevision
from tests.boards import remove, write
from tests.people import Cast, signed_in

pytestmark = pytest.mark.django_db

MOST_QUERIES = 30


def page(people: Cast, user: User | None = None, **asked: object) -> Any:
    client = signed_in(user or people.member)
    return client.get(reverse("history", args=[people.session.pk]), {k: str(v) for k, v in asked.items()})


def text(people: Cast, user: User | None = None, **asked: object) -> str:
    return str(page(people, user, **asked).content.decode())


def post(people: Cast, name: str, user: User | None = None, **fields: object) -> Any:
    client = signed_in(user or people.operator)
    return client.post(
        reverse(name, args=[people.session.pk]),
        {k: str(v) for k, v in fields.items()},
        headers={"accept": "application/json"},
    )


def value(people: Cast, key: str) -> object:
    return whiteboard_of(people.session.pk).entries.get(key=key).parsed_value()


def test_a_stranger_gets_404_everywhere(people: Cast) -> None:
    write(people.session, "note", "one")
    assert page(people, people.stranger).status_code == 404
    assert page(people, people.stranger, key="note").status_code == 404
    assert post(people, "entry-restore", people.stranger, key="note", version=1).status_code == 404
    assert post(people, "board-restore", people.stranger, revision=1).status_code == 404


def test_a_member_looks_and_does_not_restore(people: Cast) -> None:
    write(people.session, "note", "one")
    write(people.session, "note", "two")
    assert "Restore version" not in text(people, key="note", v=1)
    assert "Restore version 1" in text(people, people.operator, key="note", v=1)
    assert post(people, "entry-restore", people.member, key="note", version=1, seen=2).status_code == 403
    assert post(people, "board-restore", people.member, revision=1, seen=2).status_code == 403


def test_each_version_shows_its_value_author_and_difference(people: Cast) -> None:
    write(people.session, "note", "first words")
    write(people.session, "note", "second words", priority="high")
    shown = text(people, key="note", v=2)
    assert "second words" in shown
    assert "<del>first</del>" in shown
    assert "<ins>second</ins>" in shown
    assert "high, was normal" in shown
    assert "robot" in shown
    assert "first words" in text(people, key="note", v=1)


def test_a_version_is_compared_with_the_newest_one(people: Cast) -> None:
    for word in ("one", "two", "three"):
        write(people.session, "note", f"the word is {word}")
    shown = text(people, key="note", v=1, against="newest")
    assert "<ins>three</ins>" in shown
    assert "<del>one</del>" in shown


def test_a_value_is_shown_raw_as_json_and_with_blame(people: Cast) -> None:
    write(people.session, "note", "# Title\nold line")
    write(people.session, "note", "# Title\nnew line")
    assert "# Title\nnew line" in text(people, key="note", view="raw")
    assert "&quot;# Title\\nnew line&quot;" in text(people, key="note", view="json")
    blamed = text(people, key="note", view="blame")
    assert '<b>v1</b> robot</span><span class="diff__txt" role="cell"># Title' in blamed
    assert '<b>v2</b> robot</span><span class="diff__txt" role="cell">new line' in blamed


def test_numbers_out_of_range_give_the_nearest_version(people: Cast) -> None:
    write(people.session, "note", "one")
    write(people.session, "note", "two")
    assert "Version 2 of 2" in text(people, key="note", v=99)
    assert "Version 1 of 2" in text(people, key="note", v=0)
    assert "Version 2 of 2" in text(people, key="note", v="nonsense")


def test_a_deleted_key_keeps_its_history_and_comes_back(people: Cast) -> None:
    write(people.session, "note", "still here")
    remove(people.session, "note")
    assert "The entry ended here" in text(people, key="note")
    assert post(people, "entry-restore", key="note", version=1, seen=0).status_code == 200
    assert value(people, "note") == "still here"
    row = EntryRevision.objects.get(key="note", version=3)
    assert (row.action, row.actor_name, row.user) == ("restore", "olga", people.operator)


def test_an_end_is_not_restored(people: Cast) -> None:
    write(people.session, "note", "x")
    remove(people.session, "note")
    write(people.session, "note", "y")
    assert post(people, "entry-restore", key="note", version=2, seen=3).status_code == 400


def test_an_older_version_is_restored_as_a_new_one(people: Cast) -> None:
    write(people.session, "note", {"a": 1.50, "b": 10**15}, priority="high", shown=False)
    write(people.session, "note", "changed")
    assert post(people, "entry-restore", key="note", version=1, seen=2).status_code == 200
    entry = whiteboard_of(people.session.pk).entries.get(key="note")
    assert entry.value == '{"a":1.5,"b":1000000000000000}'
    assert entry.version == 3
    assert entry.attributes["priority"] == "high"
    assert entry.attributes["showInUI"] is False


def test_a_restore_never_overwrites_what_somebody_wrote_meanwhile(people: Cast) -> None:
    for word in ("one", "two", "three"):
        write(people.session, "note", word)
    refused = post(people, "entry-restore", key="note", version=1, seen=2)
    assert refused.status_code == 409
    assert value(people, "note") == "three"


def test_a_key_or_version_that_never_was_gives_404(people: Cast) -> None:
    assert page(people, key="none").status_code == 404
    write(people.session, "note", "x")
    assert page(people, key="none").status_code == 404
    assert post(people, "entry-restore", key="note", version=7, seen=1).status_code == 404
    assert post(people, "entry-restore", key="note", version="x", seen=1).status_code == 404
    assert post(people, "board-restore", revision=7, seen=1).status_code == 404


def test_the_whole_board_is_shown_at_any_revision(people: Cast) -> None:
    assert "Nothing was ever on this board" in text(people)
    write(people.session, "first", "1")
    write(people.session, "second", "2")
    remove(people.session, "first")
    assert "second" not in text(people, v=1).split("entries-title", 1)[1]
    both = text(people, v=2).split("entries-title", 1)[1]
    assert "first" in both
    assert "Created" in both
    assert "Deleted" in text(people).split("entries-title", 1)[1]


def test_the_whole_board_is_restored(people: Cast) -> None:
    write(people.session, "first", "1")
    write(people.session, "second", "2")
    remove(people.session, "first")
    assert post(people, "board-restore", revision=1, seen=2).status_code == 409
    assert post(people, "board-restore", revision=1, seen=3).status_code == 200
    store = whiteboard_of(people.session.pk)
    assert list(store.entries.values_list("key", flat=True)) == ["first"]
    assert store.revision == 4


def test_a_restored_board_that_no_longer_fits_names_what_was_evicted(people: Cast) -> None:
    write(people.session, "low", "x", priority="low")
    write(people.session, "high", "x", priority="high")
    people.session.settings["whiteboard"]["maxEntries"] = 1
    people.session.save(update_fields=["settings"])
    client = signed_in(people.operator)
    answer = client.post(
        reverse("board-restore", args=[people.session.pk]), {"revision": 2, "seen": 2}, follow=True
    )
    assert "Evicted to fit: low." in answer.content.decode()


def test_compactions_and_rollovers_stand_where_they_happened(people: Cast) -> None:
    def record(trigger: str, status: str = "done") -> None:
        CompactionRecord.objects.create(session=people.session, trigger=trigger, status=status)

    record("gate")
    for number in range(3):
        write(people.session, "note", number)
        if number == 1:
            record("rollover")
            record("manual", "failed")
    found = page(people, key="note").context["cuts"]
    assert [(cut.name, cut.x) for cut in found] == [("Rolled over", 75.0)]
    record("manual")
    asks: list[dict[str, Any]] = [{"key": "note"}, {}]
    for asked in asks:
        shown = page(people, **asked)
        assert [(cut.name, cut.x) for cut in shown.context["cuts"]][1:] == [("Compacted", 100.0)]
        assert shown.content.decode().count('class="cut"') == 2


def test_hostile_values_are_inert_in_every_view(people: Cast) -> None:
    attack = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    write(people.session, attack[:60], attack)
    write(people.session, attack[:60], attack + "2")
    for view in ("rendered", "raw", "json", "blame"):
        shown = text(people, key=attack[:60], view=view)
        assert "<script>alert" not in shown
        assert "<img" not in shown
    assert "<script>alert" not in text(people)


def test_a_long_history_takes_the_same_queries(people: Cast) -> None:
    write(people.session, "note", 0)

    def queries(**asked: Any) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert page(people, **asked).status_code == 200
        return len(captured)

    write(people.session, "note", 1)
    few = queries(key="note"), queries()
    for number in range(2, 130):
        write(people.session, "note", number)
    many = queries(key="note"), queries()
    assert many == few
    assert max(many) <= MOST_QUERIES
    assert "Version 3 of 130" in text(people, key="note", v=3)
    assert "Revision 3 of 130" in text(people, v=3)
