"""The connector of every real provider: asks, streams, asks again, and says what went wrong."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast
from weakref import WeakKeyDictionary

import httpx2
from anthropic import AnthropicError
from openai import OpenAIError
from pydantic_ai import direct
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from agents.connectors.access import Access
from agents.connectors.base import ModelEvent, ModelRequest, RequestSent, Retrying
from agents.connectors.ownership import readable
from agents.connectors.pydantic_ai.endpoint import Endpoint, default_settings, open_endpoint
from agents.connectors.pydantic_ai.failures import (
    broken_off,
    explained,
    is_temporary,
    reason,
    retry_after,
    unreadable,
)
from agents.connectors.pydantic_ai.history import form_of, to_messages
from agents.connectors.pydantic_ai.remedies import FAULTS, Asked, Fault
from agents.connectors.pydantic_ai.reply import Reply, done, finish_reason_of
from agents.connectors.stream import BackgroundStream, Emit
from agents.connectors.transport import recording
from agents.context import background
from agents.context.messages import InputItem

# What reading an answer of another shape than the format's raises in the clients of providers and in ours.
_MISSHAPEN = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
    httpx2.RequestError,
    AnthropicError,
    OpenAIError,
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RetryPolicy:
    """When a provider that is overloaded, limits the rate or drops the connection is asked again.

    Attributes:
        attempts: how often it is asked in all.
        first_wait_s: the wait doubles from here, with up to as much again added by chance.
        longest_wait_s: a provider that wants a longer pause makes the request fail at once.
        sleep: waits on the event loop.
        chance: a number from 0 to 1.
    """

    attempts: int = 4
    first_wait_s: float = 0.5
    longest_wait_s: float = 60.0
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    chance: Callable[[], float] = random.random  # noqa: S311 (no secret)

    def wait_s(self, attempt: int, fault: Fault) -> float | None:
        """Return how long to wait after this attempt, None when asking again is no use."""
        if attempt >= self.attempts or not is_temporary(fault):
            return None
        wished = retry_after(fault)
        if wished is not None and wished > self.longest_wait_s:
            return None
        own: float = self.first_wait_s * 2 ** (attempt - 1) * (1 + self.chance())
        return min(max(own, wished or 0.0), self.longest_wait_s)


class ProviderConnector:
    """Asks one provider with one key; serves any number of turns at once.

    Requests run on the background loop and share its connections.
    """

    def __init__(
        self,
        access: Access,
        *,
        allow_provider_transfer: bool = False,
        retries: RetryPolicy | None = None,
        patience_s: float = 1.0,
    ) -> None:
        self.access = access
        self._allow_provider_transfer = allow_provider_transfer
        self._retries = retries or RetryPolicy()
        self._patience_s = patience_s
        self._endpoints: WeakKeyDictionary[asyncio.AbstractEventLoop, Endpoint] = WeakKeyDictionary()

    def stream(self, request: ModelRequest) -> BackgroundStream:
        """Return the events of the answer; nothing is sent before the first is asked for.

        Raises:
            ProviderMismatch: the history holds encrypted items of another provider or account.
        """
        items = self._readable(request)
        return BackgroundStream(lambda emit: self._answer(request, items, emit), patience_s=self._patience_s)

    def close(self) -> None:
        """Close idle connections of the background loop; the next request opens new ones."""
        endpoint = self._endpoints.pop(background.background_loop(), None)
        if endpoint is not None:
            background.settle(endpoint.client.aclose())

    def _readable(self, request: ModelRequest) -> list[InputItem]:
        items = cast("Sequence[InputItem]", request.input)
        return readable(items, self.access, drop_foreign=self._allow_provider_transfer)

    async def _answer(self, request: ModelRequest, items: list[InputItem], emit: Emit) -> None:
        """Ask until there is an answer or no hope; after the first piece of an answer, never again."""
        model = self._model(request.model)
        messages = to_messages(items, form_of(self.access.dialect, sends_reasoning=_reasons(model)))
        attempt = 0
        while True:
            attempt += 1
            progress = _Progress(emit, attempt)
            try:
                await self._ask(model, request, messages, progress)
            except FAULTS as fault:
                wait_s = None if progress.has_begun else self._retries.wait_s(attempt, fault)
                if wait_s is None:
                    if isinstance(fault, UserError):
                        logger.warning("%s could not be asked", self.access.provider, exc_info=fault)
                    raise explained(fault, self._asked(request, progress)) from None
                emit(Retrying(reason(fault), wait_s))
                await self._retries.sleep(wait_s)
            except _MISSHAPEN as fault:
                if progress.media_type is None:
                    raise
                logger.warning("An answer of %s cannot be read", self.access.provider, exc_info=fault)
                raise unreadable(self._asked(request, progress)) from None
            else:
                return

    async def _ask(
        self,
        model: Model[Any],
        request: ModelRequest,
        messages: list[ModelMessage],
        progress: _Progress,
    ) -> None:
        reply = Reply()
        opened = direct.model_request_stream(
            model,
            messages,
            model_settings=self._settings(request),
            model_request_parameters=_parameters(request),
            instrument=False,
        )
        with recording(progress.sent, progress.arrived):
            async with opened as stream:
                async for event in stream:
                    for each in reply.events(event):
                        progress.answer(each)
                response = stream.get()
        finish_reason = finish_reason_of(response)
        if finish_reason is None:
            raise broken_off(self._asked(request, progress))
        progress.answer(done(response, finish_reason, self.access))

    def _settings(self, request: ModelRequest) -> ModelSettings:
        settings: dict[str, Any] = {**default_settings(self.access.dialect), **request.settings}
        if not request.may_call_tools and request.tools:
            settings["tool_choice"] = "none"
        return cast("ModelSettings", settings)

    def _model(self, name: str) -> Model[Any]:
        loop = asyncio.get_running_loop()
        endpoint = self._endpoints.get(loop)
        if endpoint is None:
            endpoint = self._endpoints[loop] = open_endpoint(self.access)
        return endpoint.model(name)

    def _asked(self, request: ModelRequest, progress: _Progress) -> Asked:
        return Asked(self.access, request.model, progress.attempt, progress.has_begun, progress.media_type)


class _Progress:
    """How far one attempt came."""

    def __init__(self, emit: Emit, attempt: int) -> None:
        self.attempt = attempt
        self.has_begun = False
        self.media_type: str | None = None
        self._emit = emit

    def sent(self, body: bytes) -> None:
        self._emit(RequestSent(body, self.attempt))

    def arrived(self, media_type: str) -> None:
        self.media_type = media_type

    def answer(self, event: ModelEvent) -> None:
        self.has_begun = True
        self._emit(event)


def _parameters(request: ModelRequest) -> ModelRequestParameters:
    return ModelRequestParameters(
        function_tools=[
            ToolDefinition(
                name=tool["name"],
                description=tool["description"],
                parameters_json_schema=dict(tool["parameters"]),
                # The strict modes allow no open and no optional fields; the store tools have both.
                strict=False,
            )
            for tool in request.tools
        ]
    )


def _reasons(model: Model[Any]) -> bool:
    """Tell whether the model takes encrypted reasoning back, where its dialect leaves that to the model."""
    return bool(model.profile.get("openai_supports_encrypted_reasoning_content", True))
