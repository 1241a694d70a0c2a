"""What went wrong at a provider, said so that people know what to do; and whether asking again may help."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import httpx2
from pydantic_ai import exceptions as faults

from agents.connectors.base import ConnectorError
from agents.connectors.pydantic_ai.remedies import (
    BROKEN_OFF,
    FOREIGN,
    UNREADABLE,
    Asked,
    Fault,
    all_said,
    invalid_body,
    names_of,
    status_of,
    tells_too_long,
    text_for,
)
from agents.connectors.pydantic_ai.words import is_page, sentences, wait_in_words

_TEMPORARY_STATUSES = frozenset({408, 409, 425, 500, 502, 503, 504, 529})
_SECRET = re.compile(r"\b(?:sk|pk|rk|key|AIza)[-_A-Za-z0-9*.]{12,}")


class ProviderFailure(ConnectorError):
    """A provider could not be reached, refused or broke off.

    Attributes:
        provider: its name.
        status: the HTTP status, None where there was none.
        retry_after_s: how long the provider asks to wait, None where it does not say.
    """

    def __init__(
        self, text: str, *, provider: str, status: int | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(text)
        self.provider = provider
        self.status = status
        self.retry_after_s = retry_after_s


def is_temporary(fault: Fault) -> bool:
    """Tell whether the same request may succeed a little later."""
    if invalid_body(fault) or isinstance(fault, faults.ModelQuotaExceededError) or tells_too_long(fault):
        return False
    if isinstance(fault, faults.ModelTimeoutError):
        # Minutes of silence would be minutes again.
        return fault.phase in {"pool", "connect"}
    if isinstance(
        fault,
        faults.ModelRateLimitError
        | faults.ModelUnavailableError
        | faults.ModelConnectionError
        | httpx2.TransportError,
    ):
        return True
    return isinstance(fault, faults.ModelHTTPError) and fault.status_code in _TEMPORARY_STATUSES


def retry_after(fault: Fault) -> float | None:
    """Return the seconds that the provider asks to wait, None where it does not say."""
    return fault.retry_after if isinstance(fault, faults.ModelAPIError) else None


def reason(fault: Fault) -> str:
    """Return in a few words why the provider is asked again."""
    if isinstance(fault, faults.ModelRateLimitError):
        return "rate limit"
    if isinstance(fault, faults.ModelTimeoutError):
        return "no answer in time"
    if isinstance(fault, faults.ModelConnectionError | httpx2.TransportError):
        return "connection lost"
    return "provider overloaded"


def explained(fault: Fault, asked: Asked) -> ProviderFailure:
    """Return the error for people: what happened and what to do, without any secret."""
    invalid = invalid_body(fault)
    if invalid is not None:
        text = f"{invalid} Nothing was sent. This is a fault of this program; please report it."
        return _failure(text, asked)
    wait_s = retry_after(fault)
    status = status_of(fault)
    text = text_for(fault, asked).format(
        **names_of(asked),
        status=f" (status {status})" if status else "",
        when=wait_in_words(wait_s, datetime.now(UTC)),
        said=_said(fault, asked.access.key),
    )
    return _failure(text, asked, status=status, retry_after_s=wait_s)


def broken_off(asked: Asked) -> ProviderFailure:
    """Return the error for an answer that ended without its end."""
    return _misread(BROKEN_OFF, asked)


def unreadable(asked: Asked) -> ProviderFailure:
    """Return the error for an answer that has another shape than the provider's own format."""
    return _misread(UNREADABLE, asked)


def _misread(text: str, asked: Asked) -> ProviderFailure:
    return _failure((text if asked.is_stream else FOREIGN).format(**names_of(asked)), asked)


def _failure(
    text: str, asked: Asked, *, status: int | None = None, retry_after_s: float | None = None
) -> ProviderFailure:
    hidden = _without_secrets(text, asked.access.key)
    return ProviderFailure(hidden, provider=asked.access.provider, status=status, retry_after_s=retry_after_s)


def _said(fault: Fault, key: str) -> str:
    """Return a colon and the provider's own words, else what is known of the answer, and a full stop."""
    words = _without_secrets(all_said(fault), key)
    status = status_of(fault)
    told = f" (status {status})." if status else "."
    if is_page(words):
        return f": a web page came back{told}"
    said = sentences(words)
    return f": {said}" if said else told


def _without_secrets(text: str, key: str) -> str:
    hidden = text.replace(key, "…") if key else text
    return _SECRET.sub("…", hidden)
