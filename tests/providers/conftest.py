from collections.abc import Iterator

import pytest

from tests.providers.server import FakeProvider


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as running:
        yield running
