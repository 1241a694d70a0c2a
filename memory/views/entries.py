"""People edit, add and delete entries of a whiteboard; a change made meanwhile is never overwritten."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.timesince import timesince

from agents.access import operable_session
from agents.answers import done, refused, wants_json, whole_number
from agents.models import AgentSession
from agents.people import signed_in
from memory.actors import Actor
from memory.bindings import change_board, whiteboard_of
from memory.forms import PRIORITIES, EntryForm, InvalidForm
from memory.models import Entry, EntryRevision
from memory.plugins.errors import StoreError
from memory.unit_of_work import EntryConflict, VersionSeen


def edit_entry(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Show the form of an entry (or of a new one, without ``key``), or save what was posted."""
    session = operable_session(request.user, session_id)
    if request.method == "POST":
        return _save(request, session)
    key = request.GET.get("key", "")
    if not key:
        return _form(request, session, EntryForm())
    entry = _entry(session, key)
    return _form(request, session, EntryForm.of(entry), entry=entry)


def delete_entry(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Delete the posted ``key`` at the ``version`` the person saw; without a version, ask first."""
    session = operable_session(request.user, session_id)
    asked = request.POST or request.GET
    entry, version = _entry(session, asked.get("key", "")), whole_number(asked.get("version", ""))
    if request.method != "POST" or version is None:
        return _confirmation(request, session, entry)
    try:
        change_board(
            session.pk,
            lambda board: board.delete(entry.key),
            actor=Actor.person(signed_in(request)),
            action=EntryRevision.Action.DELETE,
            expect=VersionSeen(entry.key, version),
        )
    except EntryConflict as conflict:
        if conflict.current is None:
            return refused(request, session_id, f"{entry.key} is already gone.", status=409)
        return _confirmation(request, session, conflict.current, changed=True)
    return done(request, session_id, notice=f"{entry.key} deleted.")


def _save(request: HttpRequest, session: AgentSession) -> HttpResponse:
    form = EntryForm()
    try:
        form = EntryForm.posted(request.POST)
        value = form.parsed_value()
        change_board(
            session.pk,
            lambda board: board.set(form.key, form.description, value, form.priority, form.show_in_ui),
            actor=Actor.person(signed_in(request)),
            expect=VersionSeen(form.key, form.version),
        )
    except InvalidForm as fault:
        return _refuse(request, session, form, fault.field, str(fault))
    except StoreError as fault:
        return _refuse(request, session, form, "form", str(fault))
    except EntryConflict as conflict:
        return _conflict(request, session, form, conflict)
    return done(request, session.pk, notice=f"{form.key} saved.")


def _refuse(
    request: HttpRequest, session: AgentSession, form: EntryForm, field: str, error: str
) -> HttpResponse:
    if wants_json(request):
        return JsonResponse({"error": error, "field": field}, status=400)
    entry = _find(session, form.key) if form.version else None
    return _form(request, session, form, entry=entry, errors={field: error}, status=400)


def _conflict(
    request: HttpRequest, session: AgentSession, form: EntryForm, conflict: EntryConflict
) -> HttpResponse:
    """Show both values; the form then carries the version of the current one, so saving again is a choice."""
    current = conflict.current
    theirs: dict[str, Any] = {"gone": "deleted", "version": 0}
    if current is not None:
        changed_at = datetime.fromtimestamp(current.updated_at / 1000, tz=UTC)
        theirs = asdict(EntryForm.of(current)) | {
            "gone": "",
            "changed_by": current.changed_by,
            "age": f"{timesince(changed_at)} ago",
            "is_new": form.version == 0,
        }
    if wants_json(request):
        error = f"There is already an entry {form.key!r}." if theirs.get("is_new") else str(conflict)
        return JsonResponse({"error": error, "current": theirs}, status=409)
    return _form(request, session, form, entry=current, conflict=theirs, status=409)


def _form(
    request: HttpRequest, session: AgentSession, form: EntryForm, *, status: int = 200, **extra: Any
) -> HttpResponse:
    context = {"entry": None, "errors": {}, "conflict": None} | extra
    context |= {"session": session, "values": form, "priorities": PRIORITIES}
    return render(request, "memory/entry_edit.html", context, status=status)


def _confirmation(
    request: HttpRequest, session: AgentSession, entry: Entry, *, changed: bool = False
) -> HttpResponse:
    if wants_json(request):
        error = f"{entry.key} changed: look at version {entry.version}, then delete that one."
        return JsonResponse({"error": error, "version": entry.version}, status=409)
    context = {"session": session, "entry": entry, "changed": changed}
    return render(request, "memory/entry_delete.html", context, status=409 if changed else 200)


def _entry(session: AgentSession, key: str) -> Entry:
    entry = _find(session, key)
    if entry is None:
        raise Http404("No such entry.")
    return entry


def _find(session: AgentSession, key: str) -> Entry | None:
    return Entry.objects.filter(store=whiteboard_of(session.pk), key=key).first()
