"""Every URL of the product."""

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path

from contextsite import health, views
from contextsite.preferences import choose_look

urlpatterns = [
    path("", views.fleet, name="fleet"),
    path("sessions/new/", views.new_session, name="session-new"),
    path("sessions/<uuid:session_id>/", views.session_page, name="session"),
    path("", include("agents.urls")),
    path("", include("memory.urls")),
    path("accounts/login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("theme/", choose_look, name="theme"),
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("admin/", admin.site.urls),
]
