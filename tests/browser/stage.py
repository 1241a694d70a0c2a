"""Prepares and inspects rows in the environment of a product under test.

Started as ``python -m tests.browser.stage``, it reads one JSON object a line, {"do": name, ...arguments},
and answers each with one line of JSON. It is a process of its own: what it writes reaches pages from outside.
"""

import json
import sys
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any
from uuid import UUID

import django

django.setup()

from django.contrib.auth.models import AnonymousUser, User  # noqa: E402
from django.contrib.auth.tokens import default_token_generator  # noqa: E402
from django.db import connections  # noqa: E402
from django.db.models import Count  # noqa: E402
from django.template.loader import render_to_string  # noqa: E402
from django.test import Client, RequestFactory  # noqa: E402
from django.urls import reverse  # noqa: E402
from django.utils.encoding import force_bytes  # noqa: E402
from django.utils.http import urlsafe_base64_encode  # noqa: E402
from django.utils.text import slugify  # noqa: E402

from agents import queue  # noqa: E402
from agents.models import AgentProfile, AgentSession, CompactionRecord, ProviderKey, Turn  # noqa: E402
from agents.sessions import retry_turn, start_session, submit_turn  # noqa: E402
from benchmarks import rows  # noqa: E402
from memory.actors import Actor  # noqa: E402
from memory.bindings import change_board, whiteboard_of  # noqa: E402
from memory.models import EntryRevision, Pin  # noqa: E402
from tests.fleets import make_fleet  # noqa: E402

ROBOT = Actor.client("robot")
_numbers = count(1)


SURVEY_TOOLS = ("list_files", "read_file", "count_file", "count_files", "search_files")


def scene(model: str = "scripted:survey", tools: Sequence[str] = SURVEY_TOOLS) -> dict[str, Any]:
    """Return a new agent with an idle session, and people who are signed in and belong to nobody else."""
    number = next(_numbers)
    profile = AgentProfile.objects.create(
        slug=f"agent-{number}",
        name=f"Agent {number}",
        model=model,
        tools=list(tools),
    )
    people = {
        role: User.objects.create_user(f"{role}{number}") for role in ("operator", "member", "stranger")
    }
    profile.operators.add(people["operator"])
    profile.members.add(people["member"])
    return {
        "agent": profile.slug,
        "session": new_session(profile.slug),
        **{role: {"name": user.username, "cookie": _sign_in(user)} for role, user in people.items()},
    }


def new_session(agent: str, title: str = "Under test") -> str:
    """Return the id of another session of the agent."""
    return str(start_session(AgentProfile.objects.get(slug=agent), None, title).pk)


def fill_fleet(agent: str, count: int) -> None:
    """Store many sessions of the agent."""
    make_fleet([AgentProfile.objects.get(slug=agent)], count)


def fill_conversation(session: str, count: int) -> None:
    """Store many messages of the session."""
    rows.fill_conversation(AgentSession.objects.get(pk=session), count)


def new_agent(operator: str, name: str = "", model: str = "scripted:survey") -> str:
    """Return the slug of another agent of the operator."""
    name = name or f"Agent {next(_numbers)}"
    profile = AgentProfile.objects.create(slug=slugify(name), name=name, model=model)
    profile.operators.add(User.objects.get(username=operator))
    return profile.slug


def reach(provider: str, address: str) -> None:
    """Let a provider be reached at an address, without a key."""
    ProviderKey.objects.update_or_create(provider=provider, defaults={"base_url": address})


def sign_in(name: str) -> str:
    """Return the session cookie of another browser of that person."""
    return _sign_in(User.objects.get(username=name))


def staff() -> str:
    """Return the session cookie of somebody who sees and does everything."""
    number = next(_numbers)
    return _sign_in(User.objects.create_superuser(f"staff{number}"))


def reset_path(name: str) -> str:
    """Return where the person chooses a new password, as the mail says it."""
    user = User.objects.get(username=name)
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    return reverse("password_reset_confirm", args=[uid, default_token_generator.make_token(user)])


def error_page(template: str) -> str:
    """Return what people see instead of Django's own page once ``DEBUG`` is off."""
    request = RequestFactory().get("/nowhere/")
    request.user = AnonymousUser()
    return render_to_string(template, {}, request if template != "500.html" else None)


def write(session: str, key: str, value: Any, shown: bool = True, priority: str = "normal") -> int:
    """Set a key and return its version."""
    change_board(
        UUID(session),
        lambda board: board.set(key, f"About {key}", value, priority, shown),
        actor=ROBOT,
    )
    return int(whiteboard_of(UUID(session)).entries.get(key=key).version)


def compact(session: str, trigger: str) -> None:
    """Note that the conversation was compacted or rolled over."""
    plan: dict[str, list[str]] = {"items": [], "plugins": [], "notes": []}
    CompactionRecord.objects.create(
        session_id=UUID(session), trigger=trigger, plan=plan, tokens_before=98_000, tokens_after=51_000
    )


def fill_board(session: str, count: int) -> None:
    """Set so many keys, entry-0 the first, one by one."""
    for number in range(count):
        write(session, f"entry-{number}", number)


def remove(session: str, key: str) -> None:
    """Delete a key."""
    change_board(
        UUID(session),
        lambda board: board.delete(key),
        actor=ROBOT,
        action=EntryRevision.Action.DELETE,
    )


def entries(session: str) -> dict[str, Any]:
    """Return the values on the session's whiteboard."""
    return {row.key: row.parsed_value() for row in whiteboard_of(UUID(session)).entries.all()}


def pins(name: str) -> list[str]:
    """Return the keys the person pinned, of any agent."""
    return list(Pin.objects.filter(user__username=name).order_by("key").values_list("key", flat=True))


def queue_turns(agent: str, count: int) -> list[str]:
    """Return the ids of new sessions whose first turn is queued, unknown to any worker yet."""
    made = [new_session(agent, f"Session {number}") for number in range(count)]
    for session in made:
        Turn.objects.create(session_id=UUID(session), index=1, input="Go on.")
        AgentSession.objects.filter(pk=session).update(status=AgentSession.Status.QUEUED)
    return made


def poke_turns() -> int:
    """Tell the workers about every queued turn; return how many there are."""
    queued = list(Turn.objects.filter(status=Turn.Status.QUEUED).values_list("pk", flat=True))
    for turn_id in queued:
        queue.poke_turn(turn_id)
    return len(queued)


def submit(session: str, text: str) -> str:
    """Return the id of the turn of a new message."""
    return str(submit_turn(AgentSession.objects.get(pk=session), text, None).pk)


def retry(session: str) -> str:
    """Return the id of the last turn, which is queued again."""
    return str(retry_turn(AgentSession.objects.get(pk=session)).pk)


def turn_counts() -> dict[str, int]:
    """Return how many turns there are of each status."""
    return dict(Turn.objects.values_list("status").annotate(count=Count("pk")).order_by())


def turns(session: str) -> list[str]:
    """Return the statuses of the session's turns, the first one first."""
    return list(Turn.objects.filter(session=UUID(session)).order_by("index").values_list("status", flat=True))


def _sign_in(user: User) -> str:
    browser = Client()
    browser.force_login(user)
    return browser.cookies["sessionid"].value


COMMANDS: dict[str, Callable[..., Any]] = {
    command.__name__: command
    for command in (
        scene,
        new_session,
        fill_fleet,
        fill_conversation,
        new_agent,
        reach,
        sign_in,
        staff,
        reset_path,
        error_page,
        compact,
        write,
        fill_board,
        remove,
        entries,
        pins,
        queue_turns,
        poke_turns,
        turn_counts,
        submit,
        retry,
        turns,
    )
}


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        answer = COMMANDS[request.pop("do")](**request)
        # The next command finds a new one, in case the server was started again meanwhile.
        connections.close_all()
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
