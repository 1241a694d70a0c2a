"""The stage of the tests of waiting turns: a session whose tools wait, and who acts on it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents import approvals, runner, sessions
from agents.connectors.scripted import ScriptedConnector, call
from agents.models import AgentSession, ToolApproval, Turn
from tests.agents import waiting_tools
from tests.agents.scripts import say_next
from tests.people import Cast, make_cast


def calling(*calls: tuple[str, str]) -> list[Any]:
    """Return a reply that calls tools: (id, name)."""
    arguments = [(id_, name, "{}" if name == "nap" else f'{{"what":"{id_}"}}') for id_, name in calls]
    return call(*arguments)


@dataclass
class Stage:
    cast: Cast

    @classmethod
    def open(cls) -> "Stage":
        waiting_tools.done.clear()
        stage = cls(make_cast())
        stage.configure(tools=list(waiting_tools.PATHS))
        return stage

    def configure(self, **settings: Any) -> None:
        """Change what the session has frozen."""
        frozen = self.session.settings | settings
        AgentSession.objects.filter(pk=self.session.pk).update(settings=frozen)

    @property
    def session(self) -> AgentSession:
        self.cast.session.refresh_from_db()
        return self.cast.session

    @property
    def turn(self) -> Turn:
        return self.session.turns.latest("index")

    @property
    def open_approvals(self) -> Sequence[ToolApproval]:
        return list(self.turn.approvals.filter(status="pending").order_by("place"))

    @property
    def results(self) -> list[str]:
        """The results of the turn's calls, in the order of the conversation."""
        rows = self.turn.messages.filter(role="user").order_by("sequence")
        blocks = [block for row in rows for block in row.blocks if block["type"] == "tool_result"]
        return [block["content"] for block in blocks]

    def say_next(self, *replies: Any) -> ScriptedConnector:
        return say_next(*replies)

    def begin(self, *replies: Any) -> Turn:
        """Send a message and run its turn as far as it goes."""
        self.say_next(*replies)
        turn = sessions.submit_turn(self.session, "go", self.cast.operator)
        runner.run(turn.pk)
        return self.turn

    def go_on(self, *replies: Any) -> Turn:
        """Run the turn as a worker would that heard of it."""
        self.say_next(*replies)
        runner.run(self.turn.pk)
        return self.turn

    def decide(
        self, approval: ToolApproval, *, is_approved: bool = True, digest: str = "", reason: str = ""
    ) -> ToolApproval:
        return approvals.decide(
            self.session,
            approval.pk,
            self.cast.operator,
            is_approved=is_approved,
            digest=digest or approval.digest,
            reason=reason,
        )

    def expire_lease(self) -> None:
        AgentSession.objects.filter(pk=self.session.pk).update(lease_until="2000-01-01T00:00Z")


def unanswered(connector: ScriptedConnector) -> set[str]:
    """Return the calls of the last prompt that have no result, and results without a call."""
    blocks = [block for item in connector.requests[-1].input for block in item["content"]]
    calls = {block["id"] for block in blocks if block["type"] == "tool_use"}
    return calls ^ {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}


def shown(connector: ScriptedConnector) -> str:
    return json.dumps(connector.requests[-1].input)
