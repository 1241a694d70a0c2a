"""Import a conversation in OpenAI chat format as a session that plays it through the engine."""

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from agents import runner
from agents.models import AgentProfile, AgentSession, Turn
from contextsite.conversations import Conversation, InvalidConversation, read_conversation
from contextsite.demo.accounts import replay_profile
from contextsite.replay import start_replay

# Between looks at a turn that a worker of another process took up.
WAIT_SECONDS = 0.1


class Command(BaseCommand):
    help = "Import a conversation in OpenAI chat format and play it through the engine."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="JSON file: a list of messages, or {messages: […]}")
        parser.add_argument("--live", action="store_true", help="leave the turns to the worker, paced")
        parser.add_argument("--agent", help="slug of the agent whose people may see it; default: replay")
        parser.add_argument("--title", help="title of the session; default: the file's name")
        parser.add_argument(
            "--pause-ms",
            type=int,
            default=settings.DEMO_PAUSE_MS,
            help="pause before each reply, with --live",
        )

    def handle(self, *args: object, **options: Any) -> None:
        path: Path = options["file"]
        if not 0 <= options["pause_ms"] <= 60_000:
            raise CommandError("--pause-ms must lie between 0 and 60000.")
        try:
            conversation = read_conversation(path)
        except InvalidConversation as fault:
            raise CommandError(f"{path.name}: {fault} Nothing was stored.") from None
        session = start_replay(
            conversation,
            _profile(options["agent"]),
            title=options["title"] or path.stem,
            source=path.name,
            pause_ms=options["pause_ms"] if options["live"] else 0,
        )
        self.stdout.write(_contents(path.name, conversation))
        if options["live"]:
            self.stdout.write(f"Session {session.pk}: {session.turns.count()} turns wait for the worker.")
            return
        _play(session)
        session.refresh_from_db()
        stored = f"{session.message_count} messages stored, {session.message_tokens:,} tokens"
        self.stdout.write(f"Session {session.pk}: {stored}.")


def _profile(slug: str | None) -> AgentProfile:
    if slug is None:
        return replay_profile()
    try:
        return AgentProfile.objects.get(slug=slug)
    except AgentProfile.DoesNotExist:
        known = ", ".join(AgentProfile.objects.values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"There is no agent {slug!r}. Known: {known}.") from None


def _contents(name: str, conversation: Conversation) -> str:
    roles = ", ".join(f"{number} {role}" for role, number in conversation.roles.items())
    text = f"{name}: {conversation.message_count} messages ({roles})."
    if conversation.replaced_parts:
        text += f" Parts that are no text and became a note: {conversation.replaced_parts}."
    return text


def _play(session: AgentSession) -> None:
    for turn in session.turns.order_by("index"):
        runner.run(turn.pk)
        turn.refresh_from_db()
        while turn.status in Turn.UNFINISHED:
            # A worker of another process holds the session; both play the same rows.
            time.sleep(WAIT_SECONDS)
            runner.run(turn.pk)
            turn.refresh_from_db()
        if turn.status == Turn.Status.FAILED:
            raise CommandError(f"Turn {turn.index} of session {session.pk} failed: {turn.error}")
