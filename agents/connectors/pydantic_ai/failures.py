"""What went wrong at a provider, said so that people know what to do; and whether asking again may help."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import httpx2
from pydantic_ai import exceptions as faults

from agents.connectors.access import Access
from agents.connectors.base import ConnectorError
from agents.connectors.validate import InvalidBody
from agents.context.errors import words_of

Fault = faults.AgentRunError | faults.UserError | httpx2.TransportError | InvalidBody
FAULTS = (faults.AgentRunError, faults.UserError, httpx2.TransportError, InvalidBody)
"""Everything that asking a provider may raise; anything else is a bug of ours."""

_MOST_SAID = 400
_TEMPORARY_STATUSES = frozenset({408, 409, 425, 500, 502, 503, 504, 529})
_CONTENT_TOO_LARGE = 413
# A longer wait is a mistake of the provider, or too long to be counted in seconds.
_LONGEST_NAMED_S = 86_400.0
_DROPS = (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError)
_BROKEN_OFF = "The answer of {provider} broke off before its end. Nothing was carried out; retry the turn."
_UNREADABLE = "{provider} sent an answer that cannot be read. Retry the turn."
_TOO_LONG = (
    "The prompt is longer than {model} accepts. "
    "Lower the agent's limit of context tokens, or compact the conversation."
)
_TOO_LARGE = (
    "The request is larger than {provider} accepts. "
    "Compact the conversation, or send fewer and smaller images and files."
)
_DROPPED = (
    "{provider} was reached, but the connection broke off before an answer{tried}. Retry the turn {when}."
)
_OTHER = "{provider} failed{tried}: {said} Check the address and the model, then retry the turn."
# The first kind that fits gives the text.
_TEXTS: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str], ...] = (
    (
        faults.ModelAuthenticationError,
        "{provider} refused the key. Check {key}, and that it may use {model}.",
    ),
    (
        faults.ModelNotFoundError,
        "{provider} knows no model {model!r}. Choose another model for this agent.",
    ),
    (faults.ModelContextWindowExceededError, _TOO_LONG),
    (
        faults.ModelQuotaExceededError,
        "The quota or credit at {provider} is used up. Check the plan of the account behind {key}.",
    ),
    (
        faults.ModelRateLimitError,
        "{provider} limits the rate of requests{tried}. Retry the turn {when}, or use another model.",
    ),
    (
        (faults.ModelUnavailableError, faults.ModelServerError),
        "{provider} is overloaded or out of service{tried}. Retry the turn {when}.",
    ),
    (
        (faults.ModelTimeoutError, faults.ModelRequestTimeout, httpx2.TimeoutException),
        "{provider} gave no answer in time{tried}. Retry the turn.",
    ),
    (
        (faults.ModelConnectionError, httpx2.TransportError),
        "{provider} could not be reached at {host}{tried}. Check the network and the address.",
    ),
    (
        faults.ModelRequestRejectedError,
        "{provider} refused the request: {said} Check the model and its settings, then retry the turn.",
    ),
    (faults.UnexpectedModelBehavior, _UNREADABLE),
)
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


@dataclass(frozen=True)
class Asked:
    """What was asked, for the text of a failure.

    Attributes:
        attempts: how often.
        has_begun: whether a part of the answer arrived.
    """

    access: Access
    model: str
    attempts: int
    has_begun: bool


def is_temporary(fault: Fault) -> bool:
    """Tell whether the same request may succeed a little later."""
    if invalid_body(fault) is not None or isinstance(fault, faults.ModelQuotaExceededError):
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


def invalid_body(fault: BaseException) -> InvalidBody | None:
    """Return the fault that our own check found in the request, which clients wrap in errors of their own."""
    return next((cause for cause in _causes(fault) if isinstance(cause, InvalidBody)), None)


def explained(fault: Fault, asked: Asked) -> ProviderFailure:
    """Return the error for people: what happened and what to do, without any secret."""
    text = _without_secrets(_text(fault, asked), asked.access.key)
    status = fault.status_code if isinstance(fault, faults.ModelHTTPError) else None
    return ProviderFailure(
        text, provider=asked.access.provider, status=status, retry_after_s=retry_after(fault)
    )


def broken_off(asked: Asked) -> ProviderFailure:
    """Return the error for an answer that ended without its end."""
    return ProviderFailure(_BROKEN_OFF.format(provider=asked.access.provider), provider=asked.access.provider)


def unreadable(asked: Asked) -> ProviderFailure:
    """Return the error for an answer whose JSON has another shape than the provider's own format."""
    return ProviderFailure(_UNREADABLE.format(provider=asked.access.provider), provider=asked.access.provider)


def _text(fault: Fault, asked: Asked) -> str:
    invalid = invalid_body(fault)
    if invalid is not None:
        return f"{invalid} Nothing was sent. This is a fault of this program; please report it."
    return _template(fault, has_begun=asked.has_begun).format(
        provider=asked.access.provider,
        model=asked.model,
        key=asked.access.key_variable,
        host=asked.access.host,
        tried=f", after {asked.attempts} attempts" if asked.attempts > 1 else "",
        when=_when(retry_after(fault)),
        said=_sentence(_said(fault)),
    )


def _when(wait_s: float | None) -> str:
    if not wait_s:
        return "in a while"
    return f"in {wait_s:.0f} s" if wait_s <= _LONGEST_NAMED_S else "later"


def _template(fault: Fault, *, has_begun: bool) -> str:
    if has_begun and _is_cut(fault):
        return _BROKEN_OFF
    if isinstance(fault.__cause__, ValueError):
        return _UNREADABLE
    if isinstance(fault, faults.ModelRequestRejectedError) and "too long" in _said(fault).lower():
        return _TOO_LONG
    if isinstance(fault, faults.ModelHTTPError) and fault.status_code == _CONTENT_TOO_LARGE:
        return _TOO_LARGE
    if _is_dropped(fault):
        return _DROPPED
    return next((text for kinds, text in _TEXTS if isinstance(fault, kinds)), _OTHER)


def _is_cut(fault: Fault) -> bool:
    """Tell whether the answer just ended, in disorder or in order."""
    if isinstance(fault, faults.ModelConnectionError | httpx2.TransportError):
        return True
    return type(fault) is faults.ModelAPIError and fault.body is None and fault.__cause__ is None


def _is_dropped(fault: Fault) -> bool:
    """Tell whether the provider took the request and then closed the connection."""
    if isinstance(fault, faults.ModelTimeoutError | httpx2.TimeoutException):
        return False
    if isinstance(fault, faults.ModelConnectionError):
        return fault.phase in {"write", "read"} or any(isinstance(each, _DROPS) for each in _causes(fault))
    return isinstance(fault, _DROPS)


def _said(fault: BaseException) -> str:
    """Return the provider's own words, which it wraps in one or two objects."""
    body: object = getattr(fault, "body", None)
    while isinstance(body, dict):
        body = body.get("error") or body.get("message")
    said = body if isinstance(body, str) and body else getattr(fault, "message", "") or words_of(fault)
    return said if len(said) <= _MOST_SAID else f"{said[:_MOST_SAID]}…"


def _sentence(said: str) -> str:
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."


def _without_secrets(text: str, key: str) -> str:
    hidden = text.replace(key, "…") if key else text
    return _SECRET.sub("…", hidden)


def _causes(fault: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = fault
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__
