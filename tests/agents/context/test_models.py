import logging

import pytest

from agents.context import models
from agents.context.models import model_info, split_model


@pytest.fixture(autouse=True)
def nothing_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "_warned", set())


@pytest.mark.parametrize(
    ("model", "window", "encoding"),
    [
        ("gpt-4.1", 1_047_576, "o200k_base"),
        ("openai:gpt-4.1", 1_047_576, "o200k_base"),
        ("gpt-4.1-mini-2025-04-14", 1_047_576, "o200k_base"),
        ("gpt-4", 8_192, "cl100k_base"),
        ("gpt-4-turbo-2024-04-09", 128_000, "cl100k_base"),
        ("gpt-4o-mini", 128_000, "o200k_base"),
        ("gpt-5-chat-latest", 128_000, "o200k_base"),
        ("gpt-5-mini", 400_000, "o200k_base"),
    ],
)
def test_openai_models_are_counted_exactly(model: str, window: int, encoding: str) -> None:
    info = model_info(model)

    assert (info.provider, info.window, info.encoding) == ("openai", window, encoding)
    assert info.is_exact


@pytest.mark.parametrize(
    ("model", "provider", "window"),
    [
        ("anthropic:claude-sonnet-4-5", "anthropic", 200_000),
        ("google:gemini-2.5-pro", "google", 1_048_576),
        ("scripted:demo", "scripted", 128_000),
    ],
)
def test_other_providers_are_estimated_with_the_largest_vocabulary(
    model: str, provider: str, window: int, caplog: pytest.LogCaptureFixture
) -> None:
    info = model_info(model)

    assert (info.provider, info.window, info.encoding) == (provider, window, "o200k_base")
    assert not info.is_exact
    assert not caplog.records


def test_an_unknown_model_gets_a_window_of_128_000_and_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        first = model_info("acme:brain-1")
        second = model_info("acme:brain-1")

    assert first == second
    assert (first.provider, first.window, first.is_exact) == ("acme", 128_000, False)
    assert [record.getMessage() for record in caplog.records] == [
        "The model 'acme:brain-1' is not in the table of models: assuming a window of 128000 tokens; "
        "pass max_context_tokens to set it."
    ]


def test_a_longer_name_of_another_family_is_not_mistaken_for_a_variant(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert model_info("gpt-4.5-preview").window == 128_000
    assert "gpt-4.5-preview" in caplog.text


@pytest.mark.parametrize(
    ("model", "parts"),
    [
        ("openai:gpt-4.1", ("openai", "gpt-4.1")),
        ("gpt-4.1", ("openai", "gpt-4.1")),
        ("claude-opus-4-1", ("anthropic", "claude-opus-4-1")),
        ("scripted:demo", ("scripted", "demo")),
        ("ollama:llama3:8b", ("ollama", "llama3:8b")),
        ("brain-1", ("", "brain-1")),
    ],
)
def test_a_model_splits_into_provider_and_name(model: str, parts: tuple[str, str]) -> None:
    assert split_model(model) == parts
