"""Where the tokens of one prompt go; every figure adds up exactly to the total."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

WARNING_PERCENT = 70
CRITICAL_PERCENT = 90


@dataclass(frozen=True)
class Breakdown:
    """Tokens by part; the sum is the budget's ``total_used``.

    Attributes:
        system_prompt: with its title, the date line and what a provider adds around the message.
        plugin_instructions: how to use the stores and plugins.
        plugin_contents: plugin name to the tokens of its section.
    """

    system_prompt: int = 0
    persistent_instructions: int = 0
    plugin_instructions: int = 0
    plugin_contents: dict[str, int] = field(default_factory=dict)
    tools: int = 0
    conversation: int = 0
    current_input: int = 0

    @cached_property
    def system_message(self) -> int:
        """Tokens of everything that is neither tools nor messages."""
        fixed = self.system_prompt + self.persistent_instructions + self.plugin_instructions
        return fixed + sum(self.plugin_contents.values())

    @cached_property
    def total(self) -> int:
        """Tokens of the whole prompt with its tools."""
        return self.system_message + self.tools + self.conversation + self.current_input


@dataclass(frozen=True)
class Budget:
    """The count of one prompt against the window.

    Attributes:
        max_tokens: the window.
        response_reserve: tokens of the window kept free for the answer.
    """

    max_tokens: int
    response_reserve: int
    breakdown: Breakdown

    @property
    def system_message_tokens(self) -> int:
        """Tokens of the system message with all plugin sections."""
        return self.breakdown.system_message

    @property
    def tools_tokens(self) -> int:
        """Tokens of the tool definitions as sent."""
        return self.breakdown.tools

    @property
    def conversation_tokens(self) -> int:
        """Tokens of the history as sent."""
        return self.breakdown.conversation

    @property
    def current_input_tokens(self) -> int:
        """Tokens of the pending input as sent."""
        return self.breakdown.current_input

    @property
    def total_used(self) -> int:
        """Tokens of the whole prompt with its tools."""
        return self.breakdown.total

    @property
    def available(self) -> int:
        """Tokens still free beside the reserve; negative when the prompt is too large."""
        return self.max_tokens - self.response_reserve - self.total_used

    @property
    def utilization_percent(self) -> float:
        """Share of the window without the reserve; the 70 and 90 per cent events use it."""
        return self.total_used / (self.max_tokens - self.response_reserve) * 100

    @property
    def content_max(self) -> int:
        """Tokens that system message, conversation and input may use together."""
        return self.max_tokens - self.response_reserve - self.tools_tokens

    @property
    def content_used(self) -> int:
        """Tokens that they use."""
        return self.total_used - self.tools_tokens

    @property
    def content_utilization(self) -> float:
        """The gate's figure ``u`` (spec 6.1): content used over content possible, 1.0 is full."""
        return self.content_used / self.content_max if self.content_max > 0 else float("inf")

    def as_dict(self) -> dict[str, object]:
        """Return the budget with the wire's camelCase names."""
        parts = self.breakdown
        return {
            "maxTokens": self.max_tokens,
            "responseReserve": self.response_reserve,
            "systemMessageTokens": self.system_message_tokens,
            "toolsTokens": self.tools_tokens,
            "conversationTokens": self.conversation_tokens,
            "currentInputTokens": self.current_input_tokens,
            "totalUsed": self.total_used,
            "available": self.available,
            "utilizationPercent": self.utilization_percent,
            "breakdown": {
                "systemPrompt": parts.system_prompt,
                "persistentInstructions": parts.persistent_instructions,
                "pluginInstructions": parts.plugin_instructions,
                "pluginContents": dict(parts.plugin_contents),
                "tools": parts.tools,
                "conversation": parts.conversation,
                "currentInput": parts.current_input,
            },
        }
