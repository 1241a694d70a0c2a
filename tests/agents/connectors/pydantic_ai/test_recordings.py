"""Twenty recorded conversations with tools, sent to every provider."""

from pathlib import Path

import pytest

from agents.connectors.wire import from_chat
from tests.agents.connectors.pydantic_ai.cast import ACCESSES, done, request_for
from tests.agents.connectors.pydantic_ai.conftest import Connect
from tests.agents.connectors.test_wire_recorded import FILES, recorded
from tests.providers.answers import Answer
from tests.providers.server import FakeProvider

pytestmark = pytest.mark.skipif(not FILES, reason="the recorded conversations are not beside the repository")


@pytest.mark.parametrize("name", ACCESSES)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_recording_can_go_on_with_any_provider(
    provider: FakeProvider, connect: Connect, path: Path, name: str
) -> None:
    provider.script(Answer(("Go on.",)))
    assert done(connect(name).stream(request_for(name, *from_chat(recorded(path))))).output
