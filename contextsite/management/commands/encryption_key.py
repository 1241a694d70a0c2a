"""Print a new key for ENCRYPTION_KEYS."""

from cryptography.fernet import Fernet
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Print a new key for ENCRYPTION_KEYS."
    # It is needed before anything is set up.
    requires_system_checks: list[str] = []

    def handle(self, *args: object, **options: object) -> None:
        self.stdout.write(Fernet.generate_key().decode())
