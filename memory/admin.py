"""Admin pages of memory: stores and their history are only read, what people want to see is editable."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import URLPattern, path, reverse

from agents.admin import ReadOnlyAdmin
from agents.admin_types import ModelAdmin
from agents.models import AgentSession
from agents.people import signed_in
from memory.actors import Actor
from memory.bindings import change_board, open_board
from memory.board_state import InvalidState, import_state, restore_revision, state_text
from memory.models import CardLayout, Entry, EntryRevision, Pin, Store
from memory.plugins.whiteboard import InContextMemory

# The text of a store names its owner, whichever of the three it is.
_OWNERS = ("store__session", "store__profile", "store__user")


@admin.register(Store)
class StoreAdmin(ReadOnlyAdmin):
    """Stores and their owners."""

    list_display = ("kind", "session", "profile", "user", "revision")
    list_filter = ("kind",)
    list_select_related = ("session", "profile", "user")
    search_fields = ("session__title", "profile__name", "user__username", "=id")
    actions = ("clear",)
    change_form_template = "admin/memory/store/change_form.html"

    @admin.action(description="Clear the whiteboard", permissions=["operate"])
    def clear(self, request: HttpRequest, queryset: QuerySet[Store]) -> None:
        """Remove every entry of the chosen whiteboards, as a revision of its own."""
        boards = [(store, store.session_id) for store in queryset if store.kind == Store.Kind.WHITEBOARD]
        done = 0
        for store, session_id in boards:
            if session_id is None:
                continue
            done += 1
            change_board(
                session_id,
                InContextMemory.clear,
                actor=_actor(request),
                action=EntryRevision.Action.CLEAR,
            )
            self.log_change(request, store, "Cleared the whiteboard.")
        self.message_user(request, f"Cleared: {done}.")
        if done < len(queryset):
            self.message_user(request, "Only whiteboards of sessions can be cleared.", messages.WARNING)

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Return whether the person may change stores, which the actions need."""
        return request.user.has_perm("memory.change_store")

    def get_urls(self) -> list[URLPattern]:
        """Return the pages of a store, with the one about its state."""
        state = path(
            "<uuid:store_id>/state/", self.admin_site.admin_view(self.state), name="memory_store_state"
        )
        return [state, *super().get_urls()]

    def state(self, request: HttpRequest, store_id: Any) -> HttpResponse:
        """Show a whiteboard's state to take away; take one that is posted, or go back to a revision."""
        store = Store.objects.select_related("session").filter(pk=store_id).first()
        if store is None or store.kind != Store.Kind.WHITEBOARD or store.session is None:
            raise Http404("No such whiteboard.")
        if not self.has_operate_permission(request):
            raise PermissionDenied
        if "download" in request.GET:
            response = HttpResponse(state_text(open_board(store.session)), content_type="application/json")
            response["Content-Disposition"] = f'attachment; filename="whiteboard-{store.revision}.json"'
            return response
        if request.method == "POST":
            return self._change_state(request, store, store.session)
        context = {**self.admin_site.each_context(request), "store": store, "title": f"State of {store}"}
        return render(request, "admin/memory/store/state.html", context)

    def _change_state(self, request: HttpRequest, store: Store, session: AgentSession) -> HttpResponse:
        try:
            if "revision" in request.POST:
                done = restore_revision(session, request.POST["revision"], _actor(request))
            else:
                done = import_state(session, request.POST.get("state", ""), _actor(request))
        except InvalidState as fault:
            self.message_user(request, str(fault), messages.ERROR)
        else:
            self.log_change(request, store, done)
            self.message_user(request, done)
        return HttpResponseRedirect(reverse("admin:memory_store_state", args=[store.pk]))


def _actor(request: HttpRequest) -> Actor:
    return Actor.person(signed_in(request))


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    """Entries as they are now; they change through the unit of work alone."""

    list_display = ("key", "store", "description", "tokens", "version", "revision", "changed_by")
    list_filter = ("store__kind", "changed_by")
    list_select_related = _OWNERS
    search_fields = ("key", "description", "store__session__title", "=store__session__id")
    pretty_columns = ("value", "attributes", "usage")


@admin.register(EntryRevision)
class EntryRevisionAdmin(ReadOnlyAdmin):
    """The history, which nobody rewrites."""

    list_display = ("store", "revision", "key", "action", "actor_kind", "actor_name", "version", "created_at")
    list_filter = ("action", "actor_kind", "store__kind")
    list_select_related = _OWNERS
    search_fields = ("key", "actor_name", "store__session__title", "=store__session__id")
    pretty_columns = ("value", "attributes", "usage")


@admin.register(Pin)
class PinAdmin(ModelAdmin):
    """Who pinned what."""

    list_display = ("key", "profile", "user", "created_at")
    list_filter = ("profile",)
    list_select_related = ("profile", "user")
    search_fields = ("key", "profile__name", "user__username")
    raw_id_fields = ("user", "profile")


@admin.register(CardLayout)
class CardLayoutAdmin(ModelAdmin):
    """Who arranged what how."""

    list_display = ("key", "profile", "user", "position", "size", "collapsed")
    list_filter = ("profile", "collapsed")
    list_select_related = ("profile", "user")
    search_fields = ("key", "profile__name", "user__username")
    raw_id_fields = ("user", "profile")
