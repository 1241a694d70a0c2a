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
