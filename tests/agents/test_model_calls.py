import json
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User

from agents import model_calls, runner, sessions
from agents.connectors.scripted import ScriptedConnector, call, say
from agents.models import AgentSession, ModelCall, Part, Turn
from agents.parts import DamagedBody
from tests.agents import scripts
from tests.boards import write
from tests.rows import make_profile, make_session

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("scripted")]


@pytest.fixture
def session() -> AgentSession:
    return make_session(make_profile(system_prompt="You are careful."))


def ask(session: AgentSession, ana: User, text: str, *replies: Any) -> Turn:
    scripts.current["test"] = ScriptedConnector(*(replies or (say("Fine."),)))
    turn = sessions.submit_turn(session, text, ana)
    runner.run(turn.pk)
    return turn


def test_the_request_is_the_one_that_left(session: AgentSession, ana: User) -> None:
    script = ScriptedConnector(say("Hi."))
    scripts.current["test"] = script
    turn = sessions.submit_turn(session, 'Say "hi", Jürgen.', ana)
    runner.run(turn.pk)
    request = json.loads(model_calls.request_text(turn.calls.get()) or "")
    (asked,) = script.requests
    assert request["input"] == json.loads(json.dumps(asked.input))
    assert request["tools"] == json.loads(json.dumps(asked.tools))


def test_the_parts_of_a_request_add_up_to_its_tokens(session: AgentSession, ana: User) -> None:
    write(session, "progress", {"steps": 1})
    ask(session, ana, "one")
    row = ask(session, ana, "two").calls.get()
    assert sum(each.span.tokens for each in model_calls.spans(row)) == row.estimated_tokens


def test_each_part_of_a_request_shows_what_it_says(session: AgentSession, ana: User) -> None:
    write(session, "progress", {"steps": 1})
    ask(session, ana, "first question")
    row = ask(session, ana, "second question").calls.get()
    found = {each.span.name: each for each in model_calls.spans(row)}
    assert found["system_prompt"].text == "# System Prompt\n\nYou are careful."
    assert "progress" in found["in_context_memory"].text
    assert any('"store_set"' in item for item in found["tools"].items)
    assert [json.loads(item)["role"] for item in found["conversation"].items] == ["user", "assistant"]
    assert [json.loads(item)["content"][0]["text"] for item in found["current_input"].items] == [
        "second question"
    ]


def test_results_of_tools_are_the_current_input_of_the_next_call(session: AgentSession, ana: User) -> None:
    arguments = {"store": "whiteboard", "key": "a", "description": "d", "value": 1}
    turn = ask(session, ana, "go", call(("c1", "store_set", json.dumps(arguments))), say("Done"))
    row = turn.calls.get(ordinal=2)
    found = {each.span.name: each for each in model_calls.spans(row)}
    assert ['"tool_result"' in item for item in found["current_input"].items] == [True]
    assert len(found["conversation"].items) == 2


def test_calls_are_listed_newest_first_and_page_by_page(session: AgentSession, ana: User) -> None:
    turns = [ask(session, ana, f"question {number}") for number in range(3)]
    ids = [turn.calls.get().pk for turn in turns]
    first = model_calls.calls_page(session, limit=2)
    assert [each.pk for each in first] == [ids[2], ids[1]]
    assert [each.pk for each in model_calls.calls_page(session, before=ids[1])] == [ids[0]]
    assert [each.title() for each in first] == ["Turn 3, call 1", "Turn 2, call 1"]


def test_the_call_before_is_found(session: AgentSession, ana: User) -> None:
    first = ask(session, ana, "one").calls.get()
    second = ask(session, ana, "two").calls.get()
    assert model_calls.previous_call(second) == first
    assert model_calls.previous_call(first) is None


def test_the_shared_prefix_ends_where_the_prompt_changed(session: AgentSession, ana: User) -> None:
    write(session, "progress", "a")
    first = ask(session, ana, "one").calls.get()
    write(session, "progress", "b")
    second = ask(session, ana, "two").calls.get()
    shared = model_calls.shared_prefix(second, first)
    assert shared is not None
    assert shared.ends_in is not None
    assert shared.ends_in.name == "in_context_memory"
    tools = next(each["tokens"] for each in second.spans if each["kind"] == "tools")
    assert tools < shared.tokens < second.estimated_tokens


def test_a_request_shares_all_of_itself(session: AgentSession, ana: User) -> None:
    row = ask(session, ana, "one").calls.get()
    shared = model_calls.shared_prefix(row, row)
    assert shared is not None
    assert (shared.tokens, shared.ends_in) == (row.estimated_tokens, None)


def test_after_its_time_a_request_keeps_its_figures_alone(session: AgentSession, ana: User) -> None:
    row = ask(session, ana, "one").calls.get()
    ModelCall.objects.update(body_parts=b"")
    row.refresh_from_db()
    assert model_calls.request_text(row) is None
    assert model_calls.shared_prefix(row, row) is None
    found = model_calls.spans(row)
    assert sum(each.span.tokens for each in found) == row.estimated_tokens
    assert not any(each.text or each.items for each in found)


def test_a_damaged_request_is_refused(session: AgentSession, ana: User) -> None:
    row = ask(session, ana, "one").calls.get()
    Part.objects.all().delete()
    with pytest.raises(DamagedBody):
        model_calls.request_text(row)


def test_totals_add_up_per_turn_session_and_agent(session: AgentSession, ana: User) -> None:
    turns = [ask(session, ana, "one"), ask(session, ana, "two")]
    other = make_session(session.profile)
    turns.append(ask(other, ana, "three"))
    for turn in turns:
        turn.calls.update(input_tokens=100, output_tokens=10, cached_tokens=50, cost=Decimal("0.01"))
    turns[0].calls.update(cost=None)
    assert model_calls.usage_totals(turns[1]).input_tokens == 100
    totals = model_calls.usage_totals(session)
    assert (totals.calls, totals.output_tokens, totals.cached_tokens) == (2, 20, 100)
    assert (totals.cost, totals.unpriced) == (Decimal("0.01"), 1)
    assert model_calls.usage_totals(session.profile).calls == 3


def test_what_has_no_known_price_costs_nothing_that_could_be_shown(session: AgentSession, ana: User) -> None:
    turn = ask(session, ana, "one")
    assert model_calls.usage_totals(turn).cost is None
    assert model_calls.usage_totals(turn).unpriced == 0
