"""Every URL of the product."""

from django.contrib import admin
from django.urls import path

from contextsite.theme import choose_theme

urlpatterns = [
    path("theme/", choose_theme, name="theme"),
    path("admin/", admin.site.urls),
]
