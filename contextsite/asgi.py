"""The ASGI application: pages by Django, the live socket by Channels; runs on Daphne and on uvicorn."""

import os
from typing import TYPE_CHECKING, Any, cast

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "contextsite.settings")
# Loads the apps, which what follows needs.
pages = get_asgi_application()

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402
from django.urls import path  # noqa: E402

from contextsite.consumers import FleetConsumer, SessionConsumer  # noqa: E402
from contextsite.live import Live, new_live  # noqa: E402

if TYPE_CHECKING:
    from asgiref.typing import ASGIReceiveCallable, ASGISendCallable, Scope


class Application:
    """The product as one ASGI application with its own feeds.

    Attributes:
        hub: the feeds of this process; it starts with the first request, whoever serves the application.
    """

    def __init__(self, live: Live) -> None:
        self.hub = live.hub
        # Django's path() is typed for views; Channels takes the same for its consumers.
        session_socket = cast("Any", SessionConsumer.as_asgi(live=live))
        fleet_socket = cast("Any", FleetConsumer.as_asgi(live=live))
        routes: list[Any] = [
            path("ws/sessions/<uuid:session_id>/", session_socket),
            path("ws/fleet/", fleet_socket),
        ]
        self._router = ProtocolTypeRouter(
            {"http": pages, "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(routes)))}
        )

    async def __call__(
        self, scope: "Scope", receive: "ASGIReceiveCallable", send: "ASGISendCallable"
    ) -> None:
        """Serve one connection."""
        self.hub.ensure_running()
        await self._router(scope, receive, send)


application = Application(new_live())
