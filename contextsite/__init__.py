"""The Django project that composes agents and memory into one product."""

from contextsite.celery import app as celery_app

__all__ = ["celery_app"]
