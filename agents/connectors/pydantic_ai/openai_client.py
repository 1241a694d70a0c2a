"""OpenAI's client, sending messages and tools as they are."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from openai import AsyncOpenAI
from openai.resources.chat import AsyncChat
from openai.resources.chat.completions import AsyncCompletions
from openai.resources.responses import AsyncResponses

# Before it sends a list, the client compares each element with each type that it could have, 0.4 ms for a
# message; with a thousand of them the event loop, and with it all other answers, would stand still for
# half a second. What is given as ``extra_body`` takes the same place in the body and leaves untouched.
_LISTS = ("messages", "input", "tools")


class PlainOpenAI(AsyncOpenAI):
    """Sends the bodies that ``AsyncOpenAI`` sends; its lists must be made of what JSON knows."""

    @cached_property
    def chat(self) -> AsyncChat:
        """Return the resource whose completions are sent plainly."""
        return _Chat(self)

    @cached_property
    def responses(self) -> AsyncResponses:
        """Return the resource that sends plainly."""
        return _Responses(self)


class _Completions(AsyncCompletions):
    async def create(self, **params: Any) -> Any:
        return await super().create(**_plain(params))


class _Chat(AsyncChat):
    @cached_property
    def completions(self) -> AsyncCompletions:
        return _Completions(self._client)


class _Responses(AsyncResponses):
    async def create(self, **params: Any) -> Any:
        return await super().create(**_plain(params))


def _plain(params: dict[str, Any]) -> dict[str, Any]:
    lists = {name: params[name] for name in _LISTS if isinstance(params.get(name), list)}
    empty: dict[str, list[object]] = {name: [] for name in lists}
    return {**params, **empty, "extra_body": {**lists, **(params.get("extra_body") or {})}}
