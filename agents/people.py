"""The person behind a request."""

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest


def signed_in(request: HttpRequest) -> User:
    """Return who is signed in; every page but the login page has somebody.

    Raises:
        PermissionDenied: nobody is.
    """
    if not isinstance(request.user, User):
        raise PermissionDenied("Sign in first.")
    return request.user


def name_of(person: User) -> str:
    """Return the full name of a person, or the name they sign in with."""
    return person.get_full_name() or person.get_username()
