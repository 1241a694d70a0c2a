"""The Celery application; its settings are the CELERY_ names of Django's settings."""

import os
from importlib import import_module

from celery import Celery
from celery.signals import worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "contextsite.settings")

app = Celery("contextsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["agents"])
app.set_default()


@worker_ready.connect
def _begin(**_: object) -> None:
    # Rows can only be imported once the applications are ready.
    import_module("agents.sessions").wake_orphaned_turns()
    import_module("agents.connecting").warm_up()
