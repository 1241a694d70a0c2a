"""Pages: a fleet of 50 and of 1,000 sessions, and a session of 100 and of 10,000 messages, as served."""

from collections.abc import Callable
from functools import partial

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.models import AgentProfile
from agents.sessions import start_session
from benchmarks.rows import fill_conversation, own_database
from benchmarks.timing import medians_ms, print_table, timed
from memory.actors import Actor
from memory.bindings import change_board
from memory.plugins.whiteboard import InContextMemory, SetResult
from tests.fleets import make_fleet

ROUNDS = 30
FLEETS = (50, 1_000)
RUNNING = 50
LENGTHS = (100, 10_000)
CARDS = 20
WRITER = Actor.client("benchmark")


def main() -> None:
    with own_database():
        fleets = {f"fleet of {count:,} sessions": _fleet(count) for count in FLEETS}
        sessions = {f"session of {count:,} messages": _session(count) for count in LENGTHS}
        pages = fleets | sessions
        times = medians_ms(
            {name: timed(lambda: None, _opening(*page)) for name, page in pages.items()}, ROUNDS
        )
        print(f"Pages: {connection.vendor}, medians of {ROUNDS} requests in ms")
        first = {name: times[next(iter(group))] for group in (fleets, sessions) for name in group}
        print_table(
            ["page", "ms", "times the first", "queries"],
            [(name, times[name], times[name] / first[name], _queries(*page)) for name, page in pages.items()],
        )


def _fleet(count: int) -> tuple[Client, str]:
    profiles = [
        AgentProfile.objects.create(
            slug=f"of-{count}-{number}", name=f"Agent {number}", model="openai:gpt-4.1"
        )
        for number in range(5)
    ]
    make_fleet(profiles, count, running=min(RUNNING, count))
    return _member(*profiles), "/"


def _session(messages: int) -> tuple[Client, str]:
    name = f"talks-{messages}"
    profile = AgentProfile.objects.create(slug=name, name=name, model="openai:gpt-4.1")
    session = start_session(profile, None, name)
    for number in range(CARDS):
        change_board(session.pk, partial(_write, number), actor=WRITER)
    fill_conversation(session, messages)
    return _member(profile), f"/sessions/{session.pk}/"


def _write(number: int, board: InContextMemory) -> SetResult:
    return board.set(f"card_{number}", "A card", {"step": number, "note": "Half done. " * 10}, None, True)


def _member(*profiles: AgentProfile) -> Client:
    user = User.objects.create_user(f"member-of-{profiles[0].slug}")
    for profile in profiles:
        profile.members.add(user)
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    return client


def _opening(client: Client, path: str) -> Callable[[None], None]:
    def open_page(_: None) -> None:
        if client.get(path).status_code != 200:
            raise RuntimeError(f"{path} did not open.")

    return open_page


def _queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        client.get(path)
    return len(captured)
