"""Arguments that no store would keep must not stop a turn or a page."""

import json

import pytest
from django.urls import reverse

from agents import runner, sessions
from agents.connectors.scripted import ScriptedConnector, call, say
from agents.models import Turn
from tests.agents import scripts
from tests.people import Cast, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("scripted")]

DEEP = "[" * 400 + "]" * 400


@pytest.mark.parametrize(
    "arguments",
    [
        '{"order_id": 12345678901234567890}',
        '{"x": 1e999}',
        '{"x": -1e999, "y": [1e400]}',
        '{"store":"whiteboard","key":"k","description":"d","value":1e999}',
        '{"store":"whiteboard","key":"k","description":"d","value":9007199254740993}',
        f'{{"value": {DEEP}}}',
        '{"digits": ' + "9" * 5000 + "}",
        '{"text": "\\u0000 \\ud800"}',
        "NaN",
        "",
    ],
)
def test_odd_arguments_are_answered_and_the_page_shows_them(people: Cast, arguments: str) -> None:
    calls = call(("c1", "weather", arguments), ("c2", "store_set", arguments))
    scripts.current["test"] = ScriptedConnector(calls, say("done"))
    turn = sessions.submit_turn(people.session, "go", people.operator)
    runner.run(turn.pk)
    turn.refresh_from_db()
    assert turn.status == Turn.Status.SUCCEEDED, turn.error
    results = people.session.messages.get(sequence=3).blocks
    assert all(result.get("error") or json.loads(result["content"]).get("error") for result in results)
    page = signed_in(people.operator).get(reverse("session", args=[people.session.pk]))
    assert page.status_code == 200
    assert "store_set" in page.content.decode()
