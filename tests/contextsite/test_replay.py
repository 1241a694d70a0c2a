import json
import time
from typing import Any

import pytest

from agents import runner, sessions
from agents.connectors.base import Done, ModelRequest
from agents.context.stores import STORE_TOOLS
from agents.models import AgentProfile, AgentSession, Message, RecordedTurn, Recording, Turn
from agents.refusals import RefusedInput
from contextsite.conversations import parse_conversation
from contextsite.replay import ReplayConnector, connector, start_replay, tools
from memory.bindings import open_board, whiteboard_of
from memory.models import EntryRevision
from tests.contextsite.test_conversations import assistant, tool, user
from tests.rows import make_person, make_profile, make_session

pytestmark = pytest.mark.django_db

FLIGHT = [
    {"role": "system", "content": "You book flights."},
    user("book a flight"),
    assistant("Let me look.", ("c1", "search", '{"to":"SFO"}'), ("c2", "search", '{"to":"SFO"}')),
    tool("c1", "flight 1"),
    tool("c2", "flight 2"),
    assistant("There are two."),
    user("take the first"),
    assistant(None, ("c1", "book", '{"id":1}')),
    tool("c1", "booked"),
]


@pytest.fixture
def profile() -> AgentProfile:
    return make_profile("replay", model="replay:recording")


def start(profile: AgentProfile, *messages: Any, pause_ms: int = 0) -> AgentSession:
    conversation = parse_conversation(list(messages))
    return start_replay(conversation, profile, title="A talk", source="talk.json", pause_ms=pause_ms)


def play(session: AgentSession, turns: int = 1000) -> AgentSession:
    for turn in session.turns.order_by("index")[:turns]:
        runner.run(turn.pk)
    session.refresh_from_db()
    return session


def card(session: AgentSession) -> Any:
    return open_board(session).get("replay")


def stored(session: AgentSession) -> list[tuple[str, list[Any]]]:
    """Return role and blocks in short of every stored message."""
    return [
        (
            message.role,
            [block.get("text") or block.get("content") or block["name"] for block in message.blocks],
        )
        for message in session.messages.order_by("sequence")
    ]


def statuses(session: AgentSession) -> list[str]:
    return list(session.turns.order_by("index").values_list("status", flat=True))


def test_a_recording_becomes_a_conversation_of_the_engine(profile: AgentProfile) -> None:
    session = play(start(profile, *FLIGHT))
    assert stored(session) == [
        ("user", ["book a flight"]),
        ("assistant", ["Let me look.", "search", "search"]),
        ("user", ["flight 1", "flight 2"]),
        ("assistant", ["There are two."]),
        ("user", ["take the first"]),
        ("assistant", ["book"]),
        ("user", ["booked"]),
    ]
    assert statuses(session) == ["succeeded", "succeeded"]
    assert session.settings["systemPrompt"] == "You book flights."


def test_nothing_is_played_before_a_worker_comes(profile: AgentProfile) -> None:
    session = start(profile, *FLIGHT)
    assert statuses(session) == ["queued", "queued"]
    assert not session.messages.exists()
    assert Recording.objects.get(session=session).tools == ["search", "book"]


def test_equal_calls_get_their_own_results_by_id(profile: AgentProfile) -> None:
    messages = [
        user(),
        assistant(None, ("b", "t", "{}"), ("a", "t", "{}")),
        tool("a", "of a"),
        tool("b", "of b"),
        assistant(None, ("b", "t", "{}")),
        tool("b", "of b again"),
        assistant("end"),
    ]
    session = play(start(profile, *messages))
    results = [
        (b["tool_use_id"], b["content"])
        for m in session.messages.all()
        for b in m.blocks
        if "tool_use_id" in b
    ]
    assert results == [("b", "of b"), ("a", "of a"), ("b-2", "of b again")]


def test_a_result_stays_the_text_it_was(profile: AgentProfile) -> None:
    result = '{"success": false, "n": 1.0}'
    session = play(
        start(profile, user(), assistant(None, ("c1", "t", "{}")), tool("c1", result), assistant("end"))
    )
    assert ("user", [result]) in stored(session)


def test_arguments_that_are_no_json_get_the_engines_error_and_the_replay_goes_on(
    profile: AgentProfile,
) -> None:
    messages = [
        user(),
        assistant(None, ("a", "t", "{broken"), ("b", "t", '{"n":1}'), ("c", "t", "[1]"), ("d", "t", "")),
        *(tool(call_id, f"of {call_id}") for call_id in "abcd"),
        assistant("end"),
    ]
    session = play(start(profile, *messages))
    results = stored(session)[2][1]
    assert "could not be read" in results[0]
    assert "could not be read" in results[2]
    assert (results[1], results[3]) == ("of b", "of d")
    assert stored(session)[-1] == ("assistant", ["end"])


def test_recorded_calls_of_the_whiteboard_write_the_real_one(profile: AgentProfile) -> None:
    arguments = {"store": "whiteboard", "key": "plan", "description": "the plan", "value": [1, 2]}
    call = ("c1", "store_set", json.dumps(arguments))
    session = play(start(profile, user(), assistant(None, call), tool("c1", "recorded"), assistant("end")))
    assert open_board(session).get("plan") == [1, 2]
    assert "recorded" not in str(stored(session))


@pytest.mark.parametrize(
    ("played", "expected"),
    [
        (1, {"position": 6, "turn": "1 of 2", "last_tool": "search", "state": "playing"}),
        (2, {"position": 9, "turn": "2 of 2", "last_tool": "book", "state": "finished"}),
    ],
)
def test_the_card_shows_position_last_tool_and_tokens(
    profile: AgentProfile, played: int, expected: dict[str, Any]
) -> None:
    session = play(start(profile, *FLIGHT), played)
    assert card(session) == {**expected, "total": 9, "tokens": session.message_tokens}


def test_the_card_is_shown_and_written_by_a_client_of_its_own(profile: AgentProfile) -> None:
    session = play(start(profile, *FLIGHT))
    [entry] = open_board(session).entries()
    assert (entry.show_in_ui, entry.priority, entry.description) == (True, "high", "Replay of talk.json")
    history = EntryRevision.objects.filter(store=whiteboard_of(session.pk))
    assert set(history.values_list("actor_kind", "actor_name")) == {("client", "replay")}
    positions = [
        json.loads(str(value))["position"]
        for value in history.order_by("revision").values_list("value", flat=True)
    ]
    assert positions == sorted(positions) == [3, 6, 8, 9]


def test_before_the_first_call_there_is_no_last_tool(profile: AgentProfile) -> None:
    session = play(start(profile, user(), assistant("hello")))
    assert card(session)["last_tool"] is None


def test_somebody_who_deletes_the_card_sees_it_again_at_the_next_reply(profile: AgentProfile) -> None:
    session = play(start(profile, *FLIGHT), 1)
    whiteboard_of(session.pk).entries.all().delete()
    assert card(play(session))["state"] == "finished"


def test_a_worker_that_comes_back_goes_on_where_the_rows_end(profile: AgentProfile) -> None:
    session = start(profile, *FLIGHT)
    turn = session.turns.get(index=1)
    runner.run(turn.pk)
    # As if the worker had died right after the results of the first reply were stored.
    Message.objects.filter(turn=turn).order_by("-sequence")[:1].get().delete()
    AgentSession.objects.filter(pk=session.pk).update(message_count=3)
    Turn.objects.filter(pk=turn.pk).update(status=Turn.Status.RUNNING)
    assert stored(play(session))[3] == ("assistant", ["There are two."])


def test_calls_that_had_not_begun_when_the_worker_died_are_played_by_the_next(profile: AgentProfile) -> None:
    session = start(profile, *FLIGHT)
    turn = session.turns.get(index=1)
    runner.run(turn.pk)
    Message.objects.filter(turn=turn, sequence__gt=2).delete()
    AgentSession.objects.filter(pk=session.pk).update(message_count=2)
    Turn.objects.filter(pk=turn.pk).update(status=Turn.Status.RUNNING)
    play(session)
    assert stored(session)[2] == ("user", ["flight 1", "flight 2"])
    assert stored(session)[3] == ("assistant", ["There are two."])


def test_a_message_after_the_end_gets_an_answer(profile: AgentProfile) -> None:
    session = play(start(profile, *FLIGHT))
    turn = sessions.submit_turn(session, "are you there?", make_person("olga"))
    runner.run(turn.pk)
    assert "This is a recording and it is over" in stored(session)[-1][1][0]
    assert card(session)["state"] == "finished"


def test_two_replays_of_one_file_share_nothing(profile: AgentProfile) -> None:
    first = play(start(profile, *FLIGHT))
    before = list(first.messages.values()), list(first.turns.values())
    second = play(start(profile, *FLIGHT))
    assert stored(first) == stored(second)
    assert (list(first.messages.values()), list(first.turns.values())) == before


def test_a_recording_larger_than_a_usual_window_is_played_whole(profile: AgentProfile) -> None:
    word = "lorem ipsum " * 15_000
    exchanges = [message for _ in range(5) for message in (user(word), assistant(word))]
    session = play(start(profile, *exchanges))
    assert session.message_tokens > 130_000
    assert statuses(session) == ["succeeded"] * 5


def test_other_settings_of_the_agent_are_kept(profile: AgentProfile) -> None:
    profile.whiteboard_max_entries = 7
    profile.tools = ["list_files"]
    settings = start(profile, *FLIGHT).settings
    assert settings["whiteboard"]["maxEntries"] == 7
    assert (settings["model"], settings["tools"]) == ("replay:recording", [])


def test_nothing_is_stored_when_a_turn_is_refused(
    profile: AgentProfile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MAX_INPUT_CHARACTERS", 13)
    with pytest.raises(RefusedInput):
        start(profile, *FLIGHT)
    assert not AgentSession.objects.exists()
    assert not RecordedTurn.objects.exists()


def test_it_pauses_before_each_reply_as_recorded(
    profile: AgentProfile, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    play(start(profile, user(), assistant("hello"), pause_ms=250))
    assert slept == [0.25]


def test_a_session_without_recording_has_no_tools_and_an_answer() -> None:
    session = make_session()
    turn = sessions.submit_turn(session, "hi", None)
    Turn.objects.filter(pk=turn.pk).update(status=Turn.Status.RUNNING)
    assert tools(session) == []
    events = list(connector("recording", session).stream(ModelRequest([], [], "recording")))
    assert "it is over" in str(events[-1])


def test_a_turn_that_the_recording_left_without_answer_ends_empty(profile: AgentProfile) -> None:
    session = start(profile, user("anybody?"))
    Turn.objects.filter(session=session).update(status=Turn.Status.RUNNING)
    events = list(ReplayConnector(session, lambda: None).stream(ModelRequest([], [], "recording")))
    assert events[-1] == Done([], is_final=True)
    assert card(session)["state"] == "finished"


def test_a_result_that_was_not_recorded_is_an_error_for_the_loop(profile: AgentProfile) -> None:
    session = play(start(profile, *FLIGHT), 1)
    Turn.objects.filter(session=session, index=1).update(status=Turn.Status.RUNNING)
    [search, book] = tools(session)
    with pytest.raises(LookupError, match="no further result of book"):
        book()
    assert search.parameters == {"type": "object"}
    assert not {search.name, book.name} & set(STORE_TOOLS)
