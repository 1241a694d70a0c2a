"""Encrypt every stored provider key anew with the first of ENCRYPTION_KEYS."""

from django.core.management.base import BaseCommand, CommandError

from agents.encryption import CannotEncrypt
from agents.provider_keys import rotate_keys


class Command(BaseCommand):
    help = "Encrypt every stored provider key anew with the first of ENCRYPTION_KEYS."

    def handle(self, *args: object, **options: object) -> None:
        try:
            count, lost = rotate_keys()
        except CannotEncrypt as fault:
            raise CommandError(str(fault)) from None
        if lost:
            names = ", ".join(lost)
            raise CommandError(f"{count} rotated. No key of ENCRYPTION_KEYS fits these: {names}.")
        self.stdout.write(f"{count} rotated; older keys may leave ENCRYPTION_KEYS now.")
