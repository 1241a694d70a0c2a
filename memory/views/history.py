"""The history of a whiteboard: look at any version of a key or of the whole board, and restore it."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_POST

from agents.access import may_act, operable_session, visible_session
from agents.answers import done, refused, whole_number
from agents.models import AgentSession
from agents.people import signed_in
from memory.actors import Actor
from memory.bindings import board_at, change_board
from memory.board import whiteboard_row
from memory.history import SHOWS, KeyHistory, Show, board_history, key_history
from memory.history_cuts import cuts
from memory.models import EntryRevision
from memory.pins import pinned_keys
from memory.plugins.errors import StoreError
from memory.plugins.whiteboard import InContextMemory, SetResult
from memory.unit_of_work import EntryConflict, VersionSeen

_NAMES = {"rendered": "Rendered", "raw": "Raw", "json": "JSON", "blame": "Blame"}
RESTORE = EntryRevision.Action.RESTORE


def history(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Show a version of the asked ``key``, or a revision of the whole board without one."""
    session = visible_session(request.user, session_id)
    person, asked = signed_in(request), request.GET
    context: dict[str, Any] = {
        "session": session,
        "may_act": may_act(person, session),
        "wanted": whole_number(asked.get("v", "")),
    }
    key = asked.get("key", "")
    if not key:
        return _board(request, session, context)
    store = whiteboard_row(session.pk)
    show: Show = next((each for each in SHOWS if each == asked.get("view")), "rendered")
    newest = asked.get("against") == "newest"
    found = key_history(store, key, context["wanted"], show, newest=newest) if store else None
    if found is None:
        raise Http404("No such key.")
    context |= {
        "history": found,
        "newest": newest,
        "cuts": cuts(session, found.steps),
        "pinned": key in pinned_keys(person.pk, session.profile_id),
    }
    return render(request, "memory/history_key.html", context | _addresses(found))


@require_POST
def restore(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Make the posted ``version`` of a ``key`` the newest one again; it must still be at version ``seen``."""
    session = operable_session(request.user, session_id)
    key, version = request.POST.get("key", ""), whole_number(request.POST.get("version", "")) or 0
    row = EntryRevision.objects.filter(store=whiteboard_row(session.pk), key=key, version=version).first()
    if row is None:
        raise Http404("No such version.")
    if row.value is None:
        return refused(
            request, session.pk, f"Version {version} of {key} is its end. Delete the entry instead."
        )
    try:
        change_board(
            session.pk,
            lambda board: _set_again(board, row),
            actor=Actor.person(signed_in(request)),
            action=RESTORE,
            expect=VersionSeen(key, whole_number(request.POST.get("seen", "")) or 0),
        )
    except StoreError as fault:
        return refused(request, session.pk, f"Not restored: {fault}")
    except EntryConflict:
        return refused(
            request, session.pk, f"{key} changed meanwhile. Look at its newest version first.", status=409
        )
    return done(request, session.pk, notice=f"{key} is again as in version {version}.")


@require_POST
def restore_board(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Make the board of the posted ``revision`` the newest one; what no longer fits is evicted and named."""
    session = operable_session(request.user, session_id)
    revision, store = whole_number(request.POST.get("revision", "")), whiteboard_row(session.pk)
    if store is None or revision is None or not 0 < revision <= store.revision:
        raise Http404("No such revision.")
    if request.POST.get("seen") != str(store.revision):
        return refused(
            request, session.pk, "The board changed meanwhile. Look at its newest revision first.", status=409
        )
    past = board_at(session, revision).get_state()

    def replace(board: InContextMemory) -> list[str]:
        board.restore_state(past)
        return list(board.last_evicted)

    change = change_board(session.pk, replace, actor=Actor.person(signed_in(request)), action=RESTORE)
    evicted = f" Evicted to fit: {', '.join(change.result)}." if change.result else ""
    return done(request, session.pk, notice=f"The board is again as in revision {revision}.{evicted}")


def _board(request: HttpRequest, session: AgentSession, context: dict[str, Any]) -> HttpResponse:
    store = whiteboard_row(session.pk)
    found = board_history(store, context["wanted"]) if store else None
    context |= {"history": found, "cuts": cuts(session, found.steps) if found else ()}
    return render(request, "memory/history_board.html", context)


def _set_again(board: InContextMemory, row: EntryRevision) -> SetResult:
    value, attributes = row.parsed_value(), row.attributes
    return board.set(row.key, row.description, value, attributes["priority"], attributes["showInUI"])


def _addresses(found: KeyHistory) -> dict[str, Any]:
    """Return where the links of the page lead: beginnings of addresses, and the slider's fields."""
    key = urlencode({"key": found.key})
    at = f"?{key}&v={found.step.number}"
    return {
        "base": f"?{key}&v=",
        "view_base": f"{at}&view=",
        "against_base": at,
        "hidden": [("key", found.key)],
        "shows": [(show, _NAMES[show], show == found.show) for show in SHOWS],
    }
