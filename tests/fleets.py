"""Makes fleets of many sessions quickly, for tests and benchmarks of pages that list them."""

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.utils import timezone

from agents.budget_view import context_use
from agents.models import AgentProfile, AgentSession, Turn

TITLES = (
    "Supplier ledger, third quarter",
    "Checkout latency on Friday",
    "Renewal terms of 41 contracts",
    "Card testing in the gift shop",
    "Peak week estimate for search",
    "Release notes of the last tag",
    "Night shift pick waves",
    "Dead links in the handbook",
)
DOING = ("store_set whiteboard/progress", "read_file notes.md", "search_files TODO", "waiting for the model")
WINDOW, RESERVE = 128_000, 4096


def make_fleet(
    profiles: Sequence[AgentProfile], count: int, *, running: int = 0, seed: int = 7
) -> Sequence[AgentSession]:
    """Store ``count`` sessions of the agents in turn, ``running`` of them at work, with a turn each."""
    chance = random.Random(seed)
    now = timezone.now()
    status = AgentSession.Status
    sessions = []
    for number in range(count):
        profile, budget = profiles[number % len(profiles)], make_budget(chance)
        doing = number < running
        session = AgentSession(
            profile=profile,
            title=f"{TITLES[number % len(TITLES)]}, part {number + 1}",
            status=status.RUNNING if doing else chance.choice([status.IDLE] * 9 + [status.FAILED]),
            doing=chance.choice(DOING) if doing else "",
            last_budget=budget,
            context_use=context_use(budget),
            entry_count=chance.randrange(20),
            message_tokens=chance.randrange(2_000_000),
        )
        session.freeze(profile.snapshot())
        sessions.append(session)
    AgentSession.objects.bulk_create(sessions)
    for session in sessions:
        session.changed_at = now - timedelta(seconds=chance.expovariate(1 / 4000))
    AgentSession.objects.bulk_update(sessions, ["changed_at"])
    Turn.objects.bulk_create(_turn(session) for session in sessions)
    return sessions


def make_budget(chance: random.Random) -> dict[str, Any]:
    contents = {"in_context_memory": chance.randrange(4000), "working_memory": 1100}
    parts = {
        "systemPrompt": 1840,
        "persistentInstructions": 0,
        "pluginInstructions": 1215,
        "tools": 7380,
        "conversation": int(min(112_000, chance.lognormvariate(10.6, 0.7))),
        "currentInput": chance.randrange(300),
    }
    used = sum(parts.values()) + sum(contents.values())
    return {
        "maxTokens": WINDOW,
        "responseReserve": RESERVE,
        "totalUsed": used,
        "available": WINDOW - RESERVE - used,
        "utilizationPercent": 100 * used / (WINDOW - RESERVE),
        "breakdown": {**parts, "pluginContents": contents},
    }


def _turn(session: AgentSession) -> Turn:
    status, failed = Turn.Status, session.status == AgentSession.Status.FAILED
    running = session.status == AgentSession.Status.RUNNING
    return Turn(
        session=session,
        index=1,
        input="Do it.",
        status=status.FAILED if failed else status.RUNNING if running else status.SUCCEEDED,
        error="The model did not answer within 300 seconds." if failed else "",
    )
