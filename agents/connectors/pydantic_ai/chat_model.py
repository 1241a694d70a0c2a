"""OpenAI's chat model of pydantic-ai, for the ways in which compatible servers number calls and think."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from openai.types.chat.chat_completion_chunk import Choice, ChoiceDeltaToolCall
from pydantic_ai.messages import ModelResponseStreamEvent
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIStreamedResponse

from agents.connectors.pydantic_ai.thinking_tags import ThinkingTags
from agents.context.offload import parse_arguments


@dataclass
class _Call:
    """A call that is on its way under one of the server's numbers, with our number."""

    number: int
    id: str | None
    arguments: str = ""


@dataclass
class _Stream(OpenAIStreamedResponse):
    """Numbers calls as they begin; under one number the pieces of two would become one call."""

    _current: dict[int, _Call] = field(default_factory=dict, init=False)
    _begun: int = field(default=0, init=False)
    _tags: ThinkingTags = field(default_factory=ThinkingTags, init=False)

    def _map_text_delta(self, choice: Choice) -> Iterable[ModelResponseStreamEvent]:
        content = choice.delta.content
        if content is None or isinstance(content, str):
            is_last = bool(choice.finish_reason or choice.delta.tool_calls)
            for piece in self._tags.pieces(content or "", is_last=is_last):
                choice.delta.content = piece
                yield from super()._map_text_delta(choice)
        else:
            # A list of parts, against the declared type.
            yield from super()._map_text_delta(choice)

    def _map_tool_call_delta(self, choice: Choice) -> Iterable[ModelResponseStreamEvent]:
        for piece in choice.delta.tool_calls or ():
            if piece.index is not None:
                piece.index = self._number(piece)
        return super()._map_tool_call_delta(choice)

    def _number(self, piece: ChoiceDeltaToolCall) -> int:
        known = self._current.get(piece.index)
        if known is None or _begins_another(piece, known):
            known = self._current[piece.index] = _Call(self._begun, piece.id)
            self._begun += 1
        if piece.function and piece.function.arguments:
            known.arguments += piece.function.arguments
        return known.number


def _begins_another(piece: ChoiceDeltaToolCall, known: _Call) -> bool:
    """Tell whether the piece has a name, and another id or, without ids, follows a call that is complete."""
    if not (piece.function and piece.function.name):
        return False
    if piece.id or known.id:
        return bool(piece.id) and piece.id != known.id
    return bool(parse_arguments(known.arguments)) or known.arguments.strip() == "{}"


class ChatModel(OpenAIChatModel):
    """Asks for chat completions."""

    @property
    def _streamed_response_cls(self) -> type[OpenAIStreamedResponse]:
        return _Stream
