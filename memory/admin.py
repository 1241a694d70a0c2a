"""Admin pages of memory: stores and their history are only read, what people want to see is editable."""

from django.contrib import admin

from agents.admin import ReadOnlyAdmin
from agents.admin_types import ModelAdmin
from memory.models import CardLayout, Entry, EntryRevision, Pin, Store

# The text of a store names its owner, whichever of the three it is.
_OWNERS = ("store__session", "store__profile", "store__user")


@admin.register(Store)
class StoreAdmin(ReadOnlyAdmin):
    """Stores and their owners."""

    list_display = ("kind", "session", "profile", "user", "revision")
    list_filter = ("kind",)
    list_select_related = ("session", "profile", "user")
    search_fields = ("session__title", "profile__name", "user__username", "=id")


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
