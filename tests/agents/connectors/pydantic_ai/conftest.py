from collections.abc import Iterator
from typing import Any, Protocol

import pytest

from agents.connectors.pydantic_ai import ProviderConnector, RetryPolicy
from tests.agents.connectors.pydantic_ai.cast import access_to
from tests.providers.server import FakeProvider


class Connect(Protocol):
    def __call__(self, name: str, **more: Any) -> ProviderConnector: ...


class Pauses(list[float]):
    """Takes the place of waiting between attempts and remembers how long each would have been."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as running:
        yield running


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def connect(provider: FakeProvider, pauses: Pauses) -> Iterator[Connect]:
    """Yield a function that connects with the provider of the tests; it never waits between attempts."""
    made: list[ProviderConnector] = []

    def connect_as(name: str, **more: Any) -> ProviderConnector:
        policy = RetryPolicy(sleep=pauses, chance=lambda: 0.0)
        made.append(ProviderConnector(access_to(name, provider.url), **{"retries": policy, **more}))
        return made[-1]

    yield connect_as
    for connector in made:
        connector.close()
