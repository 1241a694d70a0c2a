"""URLs of a session's whiteboard: its actions and its history."""

from django.urls import path

from memory.views import entries, frames, history, layouts, pictures, pins, sources

urlpatterns = [
    path("sessions/<uuid:session_id>/pins/", pins.change_pin, name="pin"),
    path("sessions/<uuid:session_id>/layout/", layouts.change_layout, name="layout"),
    path("sessions/<uuid:session_id>/entries/edit/", entries.edit_entry, name="entry-edit"),
    path("sessions/<uuid:session_id>/entries/delete/", entries.delete_entry, name="entry-delete"),
    path("sessions/<uuid:session_id>/entries/source/", sources.show_source, name="entry-source"),
    path("sessions/<uuid:session_id>/history/", history.history, name="history"),
    path("sessions/<uuid:session_id>/history/restore/", history.restore, name="entry-restore"),
    path("sessions/<uuid:session_id>/history/restore-board/", history.restore_board, name="board-restore"),
    path(
        "sessions/<uuid:session_id>/pictures/<slug:key>",
        pictures.show_session_picture,
        name="session-picture",
    ),
    path("cards/picture/", pictures.show_fetched_picture, name="fetched-picture"),
    path("cards/frame/<slug:kind>/", frames.show_frame, name="frame"),
]
