"""The table of known models: provider, context window and token encoding."""

import logging
from dataclasses import dataclass

logger = logging.getLogger(__name__)

UNKNOWN_WINDOW = 128_000


@dataclass(frozen=True)
class ModelInfo:
    """What the engine needs to know about one model."""

    provider: str
    """Who serves it, such as ``openai``; empty when unknown."""
    window: int
    """Tokens of one call, input and output together."""
    encoding: str
    """The tiktoken encoding that counts its text; ``o200k_base`` where the provider publishes none."""
    is_exact: bool
    """Whether the encoding is the model's own, so that counts of text are exact."""


def _openai(window: int, encoding: str = "o200k_base") -> ModelInfo:
    return ModelInfo("openai", window, encoding, is_exact=True)


def _other(provider: str, window: int) -> ModelInfo:
    return ModelInfo(provider, window, "o200k_base", is_exact=False)


# An entry also serves its dated and suffixed variants (`gpt-4.1` serves `gpt-4.1-mini-2025-04-14`); the
# longest fitting entry wins. Windows as published by the providers.
_MODELS = {
    "gpt-5": _openai(400_000),
    "gpt-5-chat": _openai(128_000),
    "gpt-5.1": _openai(400_000),
    "gpt-5.1-chat": _openai(128_000),
    "gpt-5.2": _openai(400_000),
    "gpt-5.2-chat": _openai(128_000),
    "gpt-4.1": _openai(1_047_576),
    "gpt-4o": _openai(128_000),
    "chatgpt-4o": _openai(128_000),
    "gpt-4-turbo": _openai(128_000, "cl100k_base"),
    "gpt-4": _openai(8_192, "cl100k_base"),
    "gpt-3.5-turbo": _openai(16_385, "cl100k_base"),
    "gpt-oss": _openai(131_072),
    "o1": _openai(200_000),
    "o1-mini": _openai(128_000),
    "o3": _openai(200_000),
    "o4-mini": _openai(200_000),
    "claude": _other("anthropic", 200_000),
    "gemini": _other("google", 1_048_576),
    "gemini-1.5-pro": _other("google", 2_097_152),
    "mistral": _other("mistral", 131_072),
    "codestral": _other("mistral", 256_000),
    "deepseek": _other("deepseek", 128_000),
    "grok-3": _other("xai", 131_072),
    "grok-4": _other("xai", 256_000),
}
# Providers without a model behind them: scripts, and recordings that are played again.
_SCRIPTED = {name: _other(name, UNKNOWN_WINDOW) for name in ("scripted", "replay")}

_warned: set[str] = set()


def model_info(model: str) -> ModelInfo:
    """Return what is known of ``openai:gpt-4.1`` or ``gpt-4.1``.

    An unknown model gets a window of 128,000 and an estimated encoding; the first question about it is
    logged as a warning.
    """
    provider, name = _split(model)
    if provider in _SCRIPTED:
        return _SCRIPTED[provider]
    known = _find(name)
    if known is not None:
        return known
    if model not in _warned:
        _warned.add(model)
        logger.warning(
            "The model %r is not in the table of models: assuming a window of %d tokens; "
            "pass max_context_tokens to set it.",
            model,
            UNKNOWN_WINDOW,
        )
    return _other(provider, UNKNOWN_WINDOW)


def split_model(model: str) -> tuple[str, str]:
    """Return provider and name; a known name without a provider gets its own, an unknown one gets ``""``.

    The first colon divides, so a name that holds a colon is written with its provider.
    """
    provider, name = _split(model)
    known = None if provider else _find(name)
    return (known.provider if known else provider), name


def _split(model: str) -> tuple[str, str]:
    provider, colon, name = model.partition(":")
    return (provider, name) if colon else ("", model)


def _find(name: str) -> ModelInfo | None:
    fitting = [known for known in _MODELS if name == known or name.startswith(f"{known}-")]
    return _MODELS[max(fitting, key=len)] if fitting else None
