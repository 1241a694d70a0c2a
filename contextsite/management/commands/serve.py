"""`manage.py serve`: everything in one process, for one machine."""

import os
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, CommandParser, call_command

from agents.sessions import wake_all_turns
from contextsite import env
from contextsite.asgi import application
from contextsite.celery import app
from contextsite.server import Address, EmbeddedServer, EmbeddedWorker


class Command(BaseCommand):
    help = "Migrate the database, then serve pages and run turns in this process until a signal ends it."

    def add_arguments(self, parser: CommandParser) -> None:
        port = env.integer("PORT", 8000, minimum=0, maximum=65_535)
        add = parser.add_argument
        add("--host", default="127.0.0.1", help="address to listen on; the default is this machine only")
        add("--port", type=int, default=port, help="default: PORT, else 8000; 0 lets the system choose")
        add("--no-worker", action="store_true", help="run no turns here: workers of their own do it")
        add("--grace", type=float, default=10.0, help="seconds that running turns get at the end")

    def handle(self, *args: Any, host: str, port: int, no_worker: bool, grace: float, **options: Any) -> None:
        if no_worker and settings.BROKER_URL.startswith("memory"):
            raise CommandError("--no-worker needs a broker for other processes: set BROKER_URL or REDIS_URL.")
        call_command("migrate", verbosity=0, interactive=False)
        server = EmbeddedServer(
            application,
            application.hub,
            Address(host, port),
            worker=None if no_worker else EmbeddedWorker(app, settings.WORKER_THREADS),
            grace_seconds=grace,
            say=self._say,
        )
        # The rows are the queue: the broker of this process forgot whatever it held.
        wake_all_turns()
        drained = server.run()
        if not server.has_listened:
            raise CommandError(
                f"Cannot listen on port {port} of {host}. Is it taken? Then choose another with --port."
            )
        self._say("Stopped" if drained else "Stopped; turns that still ran are taken up at the next start")
        self.stdout.flush()
        if not drained:
            # Their threads would keep the interpreter.
            os._exit(0)

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
