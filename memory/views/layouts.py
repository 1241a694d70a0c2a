"""Arrange the cards of a board for the person who asks."""

from collections.abc import Mapping
from uuid import UUID

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from agents.access import visible_session
from agents.answers import done, refused
from agents.models import AgentSession
from agents.people import signed_in
from memory import layouts
from memory.board import shown_keys

STEPS = {"up": -1, "down": 1}
FOLDS = {"collapse": True, "expand": False}


@require_POST
def change_layout(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Change the layout; the button's name says how and its value names the key.

    Names: ``size-`` with a height, ``collapse``, ``expand``, ``up``, ``down``, ``collapse-all``,
    ``expand-all``, ``forget``; or ``order`` once for each key, in the wanted order.
    """
    session, person, posted = visible_session(request.user, session_id), signed_in(request), request.POST
    profile = session.profile
    try:
        if "order" in posted:
            layouts.arrange(person, profile, posted.getlist("order"))
        elif "forget" in posted:
            layouts.forget(person, profile)
        elif posted.keys() & {"collapse-all", "expand-all"}:
            keys = shown_keys(session, person)
            layouts.fold(person, profile, keys, collapsed="collapse-all" in posted)
        else:
            _change_card(session, person, *_one(posted))
    except layouts.InvalidLayout as reason:
        return refused(request, session_id, str(reason), field="key")
    return done(request, session_id)


def _one(posted: Mapping[str, str]) -> tuple[str, str]:
    wishes = {*STEPS, *FOLDS, *(f"size-{size}" for size in ("auto", *layouts.SIZES))}
    asked = [(name, posted[name]) for name in posted if name in wishes]
    if len(asked) != 1:
        raise layouts.InvalidLayout(
            f"Send exactly one of {', '.join(sorted(wishes))} with the key as its value."
        )
    return asked[0]


def _change_card(session: AgentSession, person: User, name: str, key: str) -> None:
    if name in STEPS:
        layouts.move(person, session.profile, shown_keys(session, person), key, STEPS[name])
    elif name in FOLDS:
        layouts.fold(person, session.profile, [key], collapsed=FOLDS[name])
    else:
        size = name.removeprefix("size-")
        layouts.resize(person, session.profile, key, "" if size == "auto" else size)
