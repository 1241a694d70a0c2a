"""An entry's value as it is stored: as text, or as JSON."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from agents.access import visible_session
from agents.context.json_values import pretty
from memory.bindings import whiteboard_of
from memory.models import Entry
from memory.rendering.cards import source_text


def show_source(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Show the value of ``key`` unrendered to whoever may see the session; ``as=json`` as indented JSON."""
    session = visible_session(request.user, session_id)
    key = request.GET.get("key", "")
    entry = Entry.objects.filter(store=whiteboard_of(session.pk), key=key).first()
    if entry is None:
        raise Http404("No such entry.")
    is_json = request.GET.get("as") == "json"
    source = pretty(entry.parsed_value()) if is_json else source_text(entry.value)
    context = {"session": session, "entry": entry, "source": source, "is_json": is_json}
    return render(request, "memory/entry_source.html", context)
