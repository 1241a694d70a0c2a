"""URLs of actions on agent sessions."""

from django.urls import path

from agents.views import approvals, attachments, care, compaction, insight, transfers, turns

urlpatterns = [
    path("sessions/<uuid:session_id>/messages/", turns.send_message, name="message-send"),
    path(
        "sessions/<uuid:session_id>/messages/<uuid:message_id>/images/<int:place>/",
        attachments.show_image,
        name="message-image",
    ),
    path("sessions/<uuid:session_id>/stop/", turns.stop, name="turn-stop"),
    path("sessions/<uuid:session_id>/withdraw/", turns.withdraw, name="turn-withdraw"),
    path("sessions/<uuid:session_id>/retry/", turns.retry, name="turn-retry"),
    path("sessions/<uuid:session_id>/transfer/", transfers.confirm, name="transfer-confirm"),
    path("sessions/<uuid:session_id>/wake/", approvals.wake, name="turn-wake"),
    path(
        "sessions/<uuid:session_id>/approvals/<uuid:approval_id>/", approvals.decide, name="approval-decide"
    ),
    path("sessions/<uuid:session_id>/context/", insight.look_inside, name="context"),
    path("sessions/<uuid:session_id>/compaction/", compaction.compaction_page, name="compaction"),
    path("sessions/<uuid:session_id>/rollover/", compaction.roll_over, name="rollover"),
    path(
        "sessions/<uuid:session_id>/compaction/<uuid:record_id>/restore/",
        compaction.restore,
        name="compaction-restore",
    ),
    path("sessions/<uuid:session_id>/manage/", care.manage, name="session-manage"),
    path("sessions/<uuid:session_id>/manage/rename/", care.rename, name="session-rename"),
    path("sessions/<uuid:session_id>/manage/archive/", care.archive, name="session-archive"),
    path("sessions/<uuid:session_id>/manage/unarchive/", care.unarchive, name="session-unarchive"),
    path(
        "sessions/<uuid:session_id>/manage/apply-settings/",
        care.apply_settings,
        name="session-apply-settings",
    ),
    path("sessions/<uuid:session_id>/manage/delete/", care.delete, name="session-delete"),
]
