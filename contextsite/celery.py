"""The Celery application; its settings are the CELERY_ names of Django's settings."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "contextsite.settings")

app = Celery("contextsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["agents"])
app.set_default()
