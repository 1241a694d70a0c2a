"""Secrets in rows: encrypted with the first of ``settings.ENCRYPTION_KEYS``, read with any of them."""

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class CannotEncrypt(Exception):
    """``ENCRYPTION_KEYS`` is not set; the text says how to make a key."""

    def __init__(self) -> None:
        super().__init__(
            "Nothing secret can be stored: set ENCRYPTION_KEYS in the environment. A key is made by "
            "`python manage.py encryption_key`."
        )


class CannotDecrypt(Exception):
    """None of the keys fits, or the text was changed or belongs to another purpose."""


def encrypt(secret: str, purpose: str) -> str:
    """Return the secret as text for a row; it can be read only for the same purpose.

    Raises:
        CannotEncrypt: there is no key.
    """
    return _box().encrypt(f"{purpose}\n{secret}".encode()).decode()


def decrypt(stored: str, purpose: str) -> str:
    """Return the secret.

    Raises:
        CannotEncrypt: there is no key.
        CannotDecrypt: no key fits, or it was stored for another purpose.
    """
    try:
        found, _, secret = _box().decrypt(stored.encode()).decode().partition("\n")
    except (InvalidToken, UnicodeError):
        raise CannotDecrypt from None
    if found != purpose:
        raise CannotDecrypt
    return secret


def rotate(stored: str) -> str:
    """Return the same secret under the first key.

    Raises:
        CannotEncrypt: there is no key.
        CannotDecrypt: no key fits.
    """
    try:
        return _box().rotate(stored.encode()).decode()
    except InvalidToken:
        raise CannotDecrypt from None


def _box() -> MultiFernet:
    if not settings.ENCRYPTION_KEYS:
        raise CannotEncrypt
    return MultiFernet([Fernet(key) for key in settings.ENCRYPTION_KEYS])
