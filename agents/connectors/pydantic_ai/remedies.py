"""Which text fits what went wrong at a provider: what happened, and what people can do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import httpx2
from pydantic_ai import exceptions as faults

from agents.connectors.access import Access, Dialect
from agents.connectors.pydantic_ai.words import is_page, is_too_long, words_in
from agents.connectors.validate import InvalidBody

Fault = faults.AgentRunError | faults.UserError | httpx2.TransportError | InvalidBody
FAULTS = (faults.AgentRunError, faults.UserError, httpx2.TransportError, InvalidBody)
"""Everything that asking a provider may raise; anything else is a bug of ours."""

_CONTENT_TOO_LARGE = 413
_FORBIDDEN = 403
_REDIRECTS = range(300, 400)
# What limits and keys say of lengths is about other things.
_NOT_OF_THE_PROMPT = (
    faults.ModelRateLimitError,
    faults.ModelQuotaExceededError,
    faults.ModelAuthenticationError,
    faults.ModelNotFoundError,
)
_STREAM = "text/event-stream"
_FORMATS: dict[Dialect, str] = {
    "chat": "OpenAI's Chat API",
    "responses": "OpenAI's Responses API",
    "anthropic": "Anthropic's API",
    "google": "the Gemini API",
}
_DROPS = (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError)
BROKEN_OFF = "The answer of {provider} broke off before its end. Nothing was carried out; retry the turn."
UNREADABLE = "{provider} sent an answer that cannot be read. Retry the turn."
FOREIGN = (
    "What answered at {host} does not stream answers in the format of {format}. Check {address_variable}."
)
_MOVED = (
    "The address {address} is wrong: what answers there refers to another one{status}. "
    "Check {address_variable}."
)
_NOT_ASKED = "{provider} could not be asked with these settings; the server's log says why. Check the model."
_PAGE = (
    "A web page came back from {host} instead of an answer{status}, most likely of a proxy or a firewall. "
    "Check the network and {address_variable}."
)
_NO_KEY = "{provider} wants a key, and none is set. Set {key}."
_UNKNOWN_MODEL = "{provider} knows no model {model!r}. Choose another model for this agent."
_NOTHING_THERE = (
    "{provider} found nothing at {address} for the model {model!r}: one of the two is wrong. "
    "Check {address_variable}{version} and the agent's model."
)
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
_OTHER = "{provider} failed{tried}{said} Check the address and the model, then retry the turn."
# The first kind that fits gives the text.
_TEXTS: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str], ...] = (
    (
        faults.ModelAuthenticationError,
        "{provider} refused the key. Check {key}, and that it may use {model}.",
    ),
    (
        faults.ModelQuotaExceededError,
        "The quota or credit at {provider} is used up. Check the plan of the account behind {key}.",
    ),
    (
        faults.ModelRateLimitError,
        "{provider} limits the rate of requests{tried}. Retry the turn {when}, or use another model.",
    ),
    (
        faults.ModelOverloadedError,
        "{provider} is overloaded or out of service{tried}. Retry the turn {when}.",
    ),
    (
        (faults.ModelUnavailableError, faults.ModelServerError),
        "{provider} is overloaded or out of service{tried}{said} Retry the turn {when}.",
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
        "{provider} refused the request{said} Check the model and its settings, then retry the turn.",
    ),
    (faults.UnexpectedModelBehavior, UNREADABLE),
    (faults.UserError, _NOT_ASKED),
)


@dataclass(frozen=True)
class Asked:
    """What was asked, for the text of a failure.

    Attributes:
        attempts: how often.
        has_begun: whether a part of the answer arrived.
        media_type: of what came back; None when nothing did.
    """

    access: Access
    model: str
    attempts: int
    has_begun: bool = False
    media_type: str | None = None

    @property
    def is_stream(self) -> bool:
        """Whether nothing speaks against what came back being an answer; few servers give it another type."""
        return self.has_begun or self.media_type in {None, _STREAM}


def invalid_body(fault: BaseException) -> InvalidBody | None:
    """Return the fault that our own check found in the request, which clients wrap in errors of their own."""
    return next((cause for cause in _causes(fault) if isinstance(cause, InvalidBody)), None)


def names_of(asked: Asked) -> dict[str, str]:
    """Return what was asked, for the text of a failure."""
    access = asked.access
    follows_openai = access.dialect in {"chat", "responses"}
    is_whole = not follows_openai or access.address.rstrip("/").endswith("/v1")
    return {
        "provider": access.provider,
        "model": asked.model,
        "key": access.key_variable,
        "host": access.host,
        "address": access.address,
        "address_variable": access.address_variable,
        "format": _FORMATS[access.dialect],
        "tried": f", after {asked.attempts} attempts" if asked.attempts > 1 else "",
        "version": "" if is_whole else ", which mostly ends in /v1,",
    }


def text_for(fault: Fault, asked: Asked) -> str:
    """Return the text for people; it wants ``names_of`` what was asked, and what is known of the answer."""
    return next(
        (text for fits, text in _CASES if fits(fault, asked)),
        next((text for kinds, text in _TEXTS if isinstance(fault, kinds)), _OTHER),
    )


def _is_moved(fault: Fault, _asked: Asked) -> bool:
    return status_of(fault) in _REDIRECTS


def _is_foreign(fault: Fault, asked: Asked) -> bool:
    """Tell whether something else than the provider answered: nothing in it was of an answer's format."""
    if asked.media_type == _STREAM:
        is_empty = isinstance(fault, faults.UnexpectedModelBehavior) and fault.__cause__ is None
        return is_empty and not asked.has_begun
    return not asked.is_stream and (_is_misread(fault, asked) or _is_plain(fault))


def _is_misread(fault: Fault, _asked: Asked) -> bool:
    return isinstance(fault, faults.UnexpectedModelBehavior) or isinstance(fault.__cause__, ValueError)


def _is_cut(fault: Fault, asked: Asked) -> bool:
    """Tell whether the answer just ended, in disorder or in order."""
    if isinstance(fault, faults.ModelConnectionError | httpx2.TransportError):
        return asked.has_begun
    return _is_plain(fault) and fault.__cause__ is None


def _is_plain(fault: Fault) -> bool:
    """Tell whether the provider itself reports no error."""
    return type(fault) is faults.ModelAPIError and not fault.in_stream and fault.body is None


def _is_page(fault: Fault, _asked: Asked) -> bool:
    return status_of(fault) == _FORBIDDEN and is_page(all_said(fault))


def _is_keyless(fault: Fault, asked: Asked) -> bool:
    return isinstance(fault, faults.ModelAuthenticationError) and not asked.access.has_key


def _knows_no_model(fault: Fault, asked: Asked) -> bool:
    """Tell whether it is the model that was not found: the provider speaks of a model."""
    if not isinstance(fault, faults.ModelNotFoundError):
        return False
    said = f"{fault.provider_error_code} {all_said(fault)}"
    return not is_page(all_said(fault)) and ("model" in said.lower() or asked.model in said)


def _is_not_found(fault: Fault, _asked: Asked) -> bool:
    return isinstance(fault, faults.ModelNotFoundError)


def tells_too_long(fault: Fault, _asked: Asked | None = None) -> bool:
    """Tell whether the provider refuses the prompt because of its length."""
    if isinstance(fault, faults.ModelContextWindowExceededError):
        return True
    if not isinstance(fault, faults.ModelAPIError) or isinstance(fault, _NOT_OF_THE_PROMPT):
        return False
    kinds = {fault.provider_error_code or "", fault.provider_error_type or ""}
    return is_too_long(all_said(fault), kinds)


def _is_too_large(fault: Fault, _asked: Asked) -> bool:
    return status_of(fault) == _CONTENT_TOO_LARGE


def _is_dropped(fault: Fault, _asked: Asked) -> bool:
    """Tell whether the provider took the request and then closed the connection."""
    if isinstance(fault, faults.ModelTimeoutError | httpx2.TimeoutException):
        return False
    if isinstance(fault, faults.ModelConnectionError):
        return fault.phase in {"write", "read"} or any(isinstance(each, _DROPS) for each in _causes(fault))
    return isinstance(fault, _DROPS)


# Looked at before the kinds of ``_TEXTS``; the first that fits gives the text.
_CASES: tuple[tuple[Callable[[Fault, Asked], bool], str], ...] = (
    (_is_moved, _MOVED),
    (_is_foreign, FOREIGN),
    (_is_cut, BROKEN_OFF),
    (_is_misread, UNREADABLE),
    (_is_page, _PAGE),
    (_is_keyless, _NO_KEY),
    (_knows_no_model, _UNKNOWN_MODEL),
    (_is_not_found, _NOTHING_THERE),
    (tells_too_long, _TOO_LONG),
    (_is_too_large, _TOO_LARGE),
    (_is_dropped, _DROPPED),
)


def status_of(fault: BaseException) -> int | None:
    """Return the HTTP status, which for those that are no errors only the provider's client tells."""
    for each in (fault, fault.__cause__):
        found = getattr(each, "status_code", None) or getattr(each, "code", None)
        if isinstance(found, int) and found >= _REDIRECTS.start:
            return found
    return None


def all_said(fault: BaseException) -> str:
    """Return everything that the provider says; clients keep it as the error's body or as its text."""
    if isinstance(fault, faults.ModelAPIError) and fault.in_stream and fault.body is None:
        return words_in(fault.message)
    return words_in(getattr(fault, "body", None))


def _causes(fault: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = fault
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__
