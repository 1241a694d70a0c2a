"""Every screen, served from rows in which all names, titles, keys, values and texts hold markup."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.models import AgentSession, CompactionRecord, Message, ToolApproval, Turn
from agents.sessions import start_session
from memory import pins
from memory.actors import Actor
from tests.boards import remove, write
from tests.people import signed_in
from tests.rows import make_profile
from tests.templates.markup import Element, tree

pytestmark = pytest.mark.django_db

# As far as people can write it: names are of one line, and keys have no end.
ATTACK = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7 }}{% now 'Y' %}"
ARGUMENTS = '{"path": "</pre><script>alert(1)</script>"}'

PAGES: Mapping[str, str] = {
    "fleet": "/",
    "fleet as tiles": "/?view=grid",
    "search": "/?q={attack}",
    "session": "/sessions/{session}/",
    "wallboard": "/wall/{session}/",
    "new session": "/sessions/new/",
    "agents": "/agents/",
    "agent": "/agents/hostile/",
    "new agent": "/agents/new/",
    "manage": "/sessions/{session}/manage/",
    "compaction": "/sessions/{session}/compaction/",
    "next call": "/sessions/{session}/context/?call=now",
    "search in a call": "/sessions/{session}/context/?call=now&q={attack}",
    "history of the board": "/sessions/{session}/history/",
    "history of a key": "/sessions/{session}/history/?key={attack}",
    "key, raw": "/sessions/{session}/history/?key={attack}&view=raw",
    "key, JSON": "/sessions/{session}/history/?key={attack}&view=json",
    "key, blame": "/sessions/{session}/history/?key={attack}&view=blame",
    "edit": "/sessions/{session}/entries/edit/?key={attack}",
    "source": "/sessions/{session}/entries/source/?key={attack}",
    "not found": "/sessions/{session}/history/?key=never",
}
# Screens that show nothing of what people or models wrote, apart from the person's own name.
OWN_NAME_ONLY = {"not found", "new agent"}


@pytest.fixture
def hostile() -> tuple[Client, AgentSession]:
    """Return somebody who may do everything, and a session of an agent that means harm."""
    person = User.objects.create_superuser("boss", first_name=ATTACK[:150])
    profile = make_profile("hostile", name=ATTACK[:100], system_prompt=ATTACK, model="scripted:survey")
    session = start_session(profile, person, ATTACK)
    written = f"# {ATTACK}\n\n`{ATTACK}`\n\n[a](javascript:{ATTACK})"
    for value in ("first", ATTACK, {ATTACK: [ATTACK]}, written):
        write(session, ATTACK, value, actor=Actor.client(ATTACK))
    write(session, f"{ATTACK} hidden", ATTACK, shown=False)
    pins.pin(person, profile, f"{ATTACK} gone")
    write(session, f"{ATTACK} gone", ATTACK)
    remove(session, f"{ATTACK} gone")
    _talk(session, person)
    return signed_in(person), session


def _talk(session: AgentSession, person: User) -> None:
    turn = Turn.objects.create(
        session=session, index=1, input=ATTACK, error=ATTACK, author=person, status=Turn.Status.WAITING
    )
    call = {"type": "tool_use", "id": "c1", "name": ATTACK, "arguments": ARGUMENTS}
    said: list[tuple[str, list[dict[str, Any]]]] = [
        ("user", [{"type": "input_text", "text": ATTACK}]),
        ("assistant", [{"type": "output_text", "text": ATTACK}, call]),
    ]
    for sequence, (role, blocks) in enumerate(said, start=1):
        message = Message.objects.create(
            session=session,
            turn=turn,
            sequence=sequence,
            item_id=f"m{sequence}",
            role=role,
            blocks=blocks,
            thinking=ATTACK,
            tokens=1,
            revision=1,
        )
    ToolApproval.objects.create(
        turn=turn, message=message, place=0, tool=ATTACK, risk=ATTACK[:10], arguments=ARGUMENTS
    )
    CompactionRecord.objects.create(session=session, trigger="manual", status="failed", error=ATTACK)
    AgentSession.objects.filter(pk=session.pk).update(doing=ATTACK[:200], status="waiting")


def test_nothing_that_people_or_models_wrote_becomes_an_element(hostile: tuple[Client, AgentSession]) -> None:
    client, session = hostile
    for name, path in PAGES.items():
        filled = path.split("?")[0].format(session=session.pk)
        query = dict(part.split("=") for part in path.partition("?")[2].split("&") if part)
        answer = client.get(filled, {key: value.format(attack=ATTACK) for key, value in query.items()})
        assert answer.status_code == (404 if name == "not found" else 200), name
        shown = tree(answer.content.decode())
        if name not in OWN_NAME_ONLY:
            everything = [shown.text, *(value for each in shown.all() for value in each.attributes.values())]
            assert any("<script>alert(1)</script>" in each for each in everything), f"{name} shows no attack"
        expect_inert(name, shown)


def expect_inert(name: str, shown: Element) -> None:
    assert [script.attributes for script in shown.all("script")] == [
        {"type": "module", "src": "/static/js/main.js"}
    ], name
    assert not list(shown.all("img")), name
    attributes = {attribute for each in shown.all() for attribute in each.attributes}
    assert not {each for each in attributes if each == "style" or each.startswith("on")}, name
    assert sorted(shown.ids()) == sorted(set(shown.ids())), name
    assert not [
        each
        for each in shown.all()
        for address in ("href", "src", "action", "formaction")
        if each.attributes.get(address, "").lower().startswith("javascript")
    ], name
    assert "{{ 7 }}" in shown.text or name in OWN_NAME_ONLY, name
