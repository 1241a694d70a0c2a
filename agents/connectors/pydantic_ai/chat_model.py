"""OpenAI's chat model of pydantic-ai, for servers that give every call of an answer the same number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from openai.types.chat.chat_completion_chunk import Choice, ChoiceDeltaToolCall
from pydantic_ai.messages import ModelResponseStreamEvent
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIStreamedResponse


@dataclass
class _Stream(OpenAIStreamedResponse):
    """Numbers calls as they begin; under one number the pieces of two would become one call."""

    # By the server's number: the id of the call that it means now, and our number of that call.
    _current: dict[int, tuple[str | None, int]] = field(default_factory=dict, init=False)
    _begun: int = field(default=0, init=False)

    def _map_tool_call_delta(self, choice: Choice) -> Iterable[ModelResponseStreamEvent]:
        for piece in choice.delta.tool_calls or ():
            if piece.index is not None:
                piece.index = self._number(piece)
        return super()._map_tool_call_delta(choice)

    def _number(self, piece: ChoiceDeltaToolCall) -> int:
        """Return our number of the piece's call; a name together with another id begins a call."""
        known = self._current.get(piece.index)
        has_name = piece.function is not None and bool(piece.function.name)
        if known is None or (piece.id and has_name and piece.id != known[0]):
            known = self._current[piece.index] = (piece.id, self._begun)
            self._begun += 1
        return known[1]


class ChatModel(OpenAIChatModel):
    """Asks for chat completions."""

    @property
    def _streamed_response_cls(self) -> type[OpenAIStreamedResponse]:
        return _Stream
