import json
import re
import time
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from agents import leases, runner
from agents.models import AgentProfile, AgentSession, Message, RecordedTurn, Recording, Turn
from contextsite.management.commands import import_conversation
from contextsite.replay import start_replay
from memory.bindings import open_board
from memory.models import Entry, Store
from tests.contextsite.test_conversations import SHARED
from tests.contextsite.test_replay import FLIGHT
from tests.rows import make_profile

pytestmark = pytest.mark.django_db

STORED: tuple[Any, ...] = (AgentSession, Turn, Message, Recording, RecordedTurn, Store, Entry)


def rows() -> list[list[dict[str, Any]]]:
    """Return every row that an import could write."""
    return [list(model.objects.order_by("pk").values()) for model in STORED]


def run_import(path: Path, **options: Any) -> str:
    out = StringIO()
    call_command("import_conversation", path, stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "flight.json"
    path.write_text(json.dumps({"messages": FLIGHT}))
    return path


def test_a_file_becomes_a_session_at_once(file: Path) -> None:
    run_import(file)
    session = AgentSession.objects.get()
    assert (session.title, session.status, session.message_count) == ("flight", "idle", 7)
    assert session.profile.slug == "replay"
    assert set(session.turns.values_list("status", flat=True)) == {"succeeded"}


def test_it_prints_message_counts_and_tokens(file: Path) -> None:
    text = run_import(file)
    session = AgentSession.objects.get()
    assert "flight.json: 9 messages (1 system, 2 user, 3 assistant, 3 tool)." in text
    assert f"Session {session.pk}: 7 messages stored, {session.message_tokens:,} tokens." in text
    assert session.message_tokens == sum(Message.objects.values_list("tokens", flat=True)) > 0


def test_parts_that_became_a_note_are_said(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"role": "user", "content": [{"type": "input_audio"}]}]))
    assert "became a note: 1." in run_import(path)


def test_live_leaves_the_turns_to_the_worker(file: Path) -> None:
    text = run_import(file, live=True, pause_ms=40)
    session = AgentSession.objects.get()
    assert f"Session {session.pk}: 2 turns wait for the worker." in text
    assert set(session.turns.values_list("status", flat=True)) == {"queued"}
    assert Recording.objects.get(session=session).pause_ms == 40
    assert session.status == "queued"


def test_at_once_never_pauses(file: Path) -> None:
    run_import(file, pause_ms=60_000)
    assert Recording.objects.get().pause_ms == 0


@pytest.mark.parametrize("pause_ms", [-1, 60_001])
def test_a_pause_out_of_bounds_is_refused(file: Path, pause_ms: int) -> None:
    with pytest.raises(CommandError, match="between 0 and 60000"):
        run_import(file, pause_ms=pause_ms)


def test_the_agent_and_the_title_can_be_chosen(file: Path) -> None:
    profile = make_profile("desk")
    run_import(file, agent="desk", title="Ticket 7")
    session = AgentSession.objects.get()
    assert (session.profile, session.title) == (profile, "Ticket 7")
    assert session.settings["model"] == "replay:recording"


def test_an_unknown_agent_is_refused_with_the_known_ones(file: Path) -> None:
    with pytest.raises(CommandError, match=r"no agent 'desk'\. Known: none yet"):
        run_import(file, agent="desk")
    make_profile("survey")
    with pytest.raises(CommandError, match="Known: survey"):
        run_import(file, agent="desk")
    assert not AgentSession.objects.exists()


def test_a_second_import_makes_a_second_session_and_leaves_the_first_untouched(file: Path) -> None:
    run_import(file)
    before = rows()
    first = AgentSession.objects.get()
    run_import(file)
    assert AgentSession.objects.count() == 2
    for old, new in zip(before, rows(), strict=True):
        assert [row for row in new if row in old] == old
    card: Any = open_board(first).get("replay")
    assert card["state"] == "finished"


BROKEN = {
    "empty": ("", "The file is empty"),
    "truncated": ('[{"role": "user", "content": "cu', "no complete JSON"),
    "no conversation": ('{"choices": []}', "list of messages"),
    "orphan": ('[{"role": "tool", "tool_call_id": "x", "content": "y"}]', "Message 1 answers the call 'x'"),
    "no result": (
        '[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"x","function":{"name":"t"}}]}]',
        "Message 2 makes the call 'x'",
    ),
    "role": ('[{"role": "robot", "content": "a"}]', "Message 1 has the unknown role 'robot'"),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("live", [False, True])
def test_a_broken_file_is_named_with_fault_and_remedy_and_stores_nothing(
    tmp_path: Path, name: str, live: bool
) -> None:
    content, problem = BROKEN[name]
    path = tmp_path / "chat.json"
    path.write_text(content)
    before = rows()
    with pytest.raises(CommandError, match=re.escape(problem)) as caught:
        run_import(path, live=live)
    assert str(caught.value).startswith("chat.json: ")
    assert str(caught.value).endswith("Nothing was stored.")
    assert rows() == before
    assert not AgentProfile.objects.exists()


def test_a_file_of_100_mb_stores_nothing(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    with pytest.raises(CommandError, match="at most 50 MB fit"):
        run_import(path)
    assert not AgentSession.objects.exists()


def test_arguments_that_are_no_json_do_not_stop_the_import(tmp_path: Path) -> None:
    call = {"id": "x", "type": "function", "function": {"name": "t", "arguments": "{oops"}}
    messages = [
        {"role": "user", "content": "a\x00b"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "x", "content": "ok"},
        {"role": "assistant", "content": "done"},
    ]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(messages))
    run_import(path)
    assert Message.objects.get(sequence=1).blocks[0]["text"] == "a\ufffdb"
    assert "could not be read" in Message.objects.get(sequence=3).blocks[0]["content"]
    assert Turn.objects.get().status == Turn.Status.SUCCEEDED


def test_a_turn_that_fails_is_reported(file: Path, settings: Settings) -> None:
    settings.AGENT_CONNECTORS = {}
    with pytest.raises(
        CommandError, match=r"Turn 1 of session .* failed: No connector is set up for 'replay'"
    ):
        run_import(file)


def test_it_waits_for_a_worker_that_took_the_session_first(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    holding: dict[str, Any] = {}

    def let_go(seconds: float) -> None:
        waited.append(seconds)
        leases.release(holding["session"], holding["fence"])

    def start_while_held(*args: Any, **options: Any) -> AgentSession:
        session = start_replay(*args, **options)
        holding.update(session=session.pk, fence=leases.claim(session.pk, "another worker"))
        return session

    monkeypatch.setattr(import_conversation, "start_replay", start_while_held)
    monkeypatch.setattr(time, "sleep", let_go)
    run_import(file)
    assert waited == [import_conversation.WAIT_SECONDS]
    assert set(Turn.objects.values_list("status", flat=True)) == {"succeeded"}


def test_turns_left_by_live_are_played_by_any_worker(file: Path) -> None:
    run_import(file, live=True, pause_ms=0)
    for turn in Turn.objects.order_by("index"):
        runner.run(turn.pk)
    assert AgentSession.objects.get().message_count == 7


@pytest.mark.timeout(400)
@pytest.mark.skipif(
    not SHARED.is_dir(), reason="the folder of recorded conversations is not beside the project"
)
def test_the_twenty_recorded_conversations_import_and_again_without_touching_the_first() -> None:
    files = sorted(SHARED.glob("*.json"))
    assert len(files) == 20
    for path in files:
        messages = json.loads(path.read_text())
        assert f"{path.name}: {len(messages)} messages" in run_import(path)
        session = AgentSession.objects.get(title=path.stem)
        assert session.message_count == len(messages) - 1
        card: Any = open_board(session).get("replay")
        assert (card["position"], card["tokens"]) == (len(messages), session.message_tokens)
    before = rows()
    for path in files[:3]:
        run_import(path)
        first, second = AgentSession.objects.filter(title=path.stem).order_by("created_at")
        assert (first.message_count, first.message_tokens) == (second.message_count, second.message_tokens)
    assert AgentSession.objects.count() == 23
    for old, new in zip(before, rows(), strict=True):
        assert [row for row in new if row in old] == old
