"""The one place where a failure of host code (tool, plugin, hook, handler) is caught and contained."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Generic, NamedTuple, TypeVar, overload

from agents.context.background import Answer, call_bounded
from agents.context.errors import TurnAborted

logger = logging.getLogger(__name__)

T = TypeVar("T")


class Outcome(NamedTuple, Generic[T]):
    """What host code gave.

    Attributes:
        value: the result, None when it failed.
        failure: the exception, None when all went well.
    """

    value: T | None = None
    failure: Exception | None = None


@overload
def contain(what: str, call: Callable[[], Awaitable[T]], timeout_s: float | None = None) -> Outcome[T]: ...
@overload
def contain(what: str, call: Callable[[], Answer[T]], timeout_s: float | None = None) -> Outcome[T]: ...
def contain(what: str, call: Callable[[], Answer[T]], timeout_s: float | None = None) -> Outcome[T]:
    """Return the outcome of a call into host code, logging a failure with its stack.

    ``TurnAborted`` passes: with it the host says that the turn must not go on.
    """
    try:
        return Outcome(value=call_bounded(call, timeout_s))
    except TurnAborted:
        raise
    except Exception as failure:
        logger.exception("%s failed", what)
        return Outcome(failure=failure)
