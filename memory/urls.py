"""URLs of actions on a session's whiteboard."""

from django.urls import path

from memory.views import entries, pins, sources

urlpatterns = [
    path("sessions/<uuid:session_id>/pins/", pins.change_pin, name="pin"),
    path("sessions/<uuid:session_id>/entries/edit/", entries.edit_entry, name="entry-edit"),
    path("sessions/<uuid:session_id>/entries/delete/", entries.delete_entry, name="entry-delete"),
    path("sessions/<uuid:session_id>/entries/source/", sources.show_source, name="entry-source"),
]
