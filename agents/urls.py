"""URLs of actions on agent sessions."""

from django.urls import path

from agents.views import turns

urlpatterns = [
    path("sessions/<uuid:session_id>/messages/", turns.send_message, name="message-send"),
    path("sessions/<uuid:session_id>/stop/", turns.stop, name="turn-stop"),
    path("sessions/<uuid:session_id>/retry/", turns.retry, name="turn-retry"),
]
