"""Every URL of the product."""

from django.contrib import admin
from django.contrib.auth.views import (
    LoginView,
    LogoutView,
    PasswordResetCompleteView,
    PasswordResetConfirmView,
    PasswordResetDoneView,
    PasswordResetView,
)
from django.urls import include, path, register_converter

from contextsite import agent_views, health, views
from contextsite.csp_reports import csp_report
from contextsite.preferences import choose_look


class ExportForm:
    """The forms in which a session is exported."""

    regex = "md|json"

    def to_python(self, value: str) -> str:
        """Return the form as it stands in the address."""
        return value

    def to_url(self, value: str) -> str:
        """Return the form for an address."""
        return value


register_converter(ExportForm, "export_form")

urlpatterns = [
    path("", views.fleet, name="fleet"),
    path("sessions/new/", views.new_session, name="session-new"),
    path("sessions/<uuid:session_id>/", views.session_page, name="session"),
    path("sessions/<uuid:session_id>/export/<export_form:form>/", views.export, name="session-export"),
    path("wall/<uuid:session_id>/", views.wall, name="wall"),
    path("agents/", agent_views.agent_list, name="agents"),
    path("agents/new/", agent_views.new_agent, name="agent-new"),
    path("agents/<slug:slug>/", agent_views.agent, name="agent"),
    path("agents/<slug:slug>/pins/", agent_views.agent_pins, name="agent-pins"),
    path("", include("agents.urls")),
    path("", include("memory.urls")),
    path("accounts/login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("accounts/password-reset/", PasswordResetView.as_view(), name="password_reset"),
    path("accounts/password-reset/sent/", PasswordResetDoneView.as_view(), name="password_reset_done"),
    path(
        "accounts/password-reset/<uidb64>/<token>/",
        PasswordResetConfirmView.as_view(),
        name="password_reset_confirm",
    ),
    path(
        "accounts/password-reset/done/", PasswordResetCompleteView.as_view(), name="password_reset_complete"
    ),
    path("theme/", choose_look, name="theme"),
    path("csp-report/", csp_report, name="csp-report"),
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("admin/", admin.site.urls),
]
