"""The page about the library names everything public, and all its examples run."""

import re
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import agents
import agents.connectors.base
import agents.connectors.scripted
import agents.connectors.wire
import agents.context
import agents.loop
import memory.plugins
from agents import AgentContext
from agents.context.errors import RolloverFailed
from agents.context.events import EVENTS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "library.md").read_text()
SECTIONS = re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
MODULES = [
    agents,
    agents.context,
    agents.loop,
    memory.plugins,
    agents.connectors.wire,
    agents.connectors.base,
    agents.connectors.scripted,
]


def public_names(module: ModuleType) -> set[str]:
    """Return ``__all__``, or what a module without it defines itself."""
    if hasattr(module, "__all__"):
        return set(module.__all__)
    source = Path(str(module.__file__)).read_text()
    defined = re.findall(r"^(?:class |def )?([A-Za-z]\w*)(?=\(|:\n| = )", source, re.MULTILINE)
    return {name for name in defined if not name.isupper()}


def documented_names() -> set[str]:
    """Return the names that begin a line of a list, up to its colon."""
    heads = re.findall(r"^\* (`[^:]*):", PAGE, re.MULTILINE)
    return {name for head in heads for name in re.findall(r"`(\w+)`", head)}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.__name__))
def test_every_public_name_is_documented(module: ModuleType) -> None:
    assert public_names(module) - documented_names() == set()


def _note_keys(seen: dict[str, set[str]], event: str, payload: dict[str, object]) -> None:
    seen[event] = set(payload)


def test_every_event_is_in_the_table_with_its_keys() -> None:
    rows = re.findall(r"^\| (`[^|]*) \|[^|]*\| ([^|]*) \|$", PAGE, re.MULTILINE)
    keys = {event: told for events, told in rows for event in re.findall(r"`([a-z]+:\w+)`", events)}
    assert keys.keys() == EVENTS
    seen: dict[str, set[str]] = {}
    context = AgentContext.create(model="gpt-4.1", max_context_tokens=8_000, response_reserve=500)
    for event in EVENTS:
        context.on(event, partial(_note_keys, seen, event))
    for _ in range(20):
        context.add_user_message("and what about this? " * 60)
        context.add_assistant_response("That is a long story. " * 60)
    context.add_user_message("Go on.")
    context.prepare()
    with pytest.raises(RolloverFailed):
        context.rollover(preserve_recent_turns=1)
    context.rollover(preserve_recent_turns=1, summarize=lambda request: "They spoke of a story.")
    context.clear_conversation()
    assert len(seen) >= 7
    for event, told in seen.items():
        assert all(f"`{key}`" in keys[event] for key in told), event


def test_every_documented_name_exists() -> None:
    known = set().union(*map(public_names, MODULES))
    assert documented_names() - known == set()


@pytest.mark.parametrize(("title", "text"), SECTIONS, ids=[title for title, _ in SECTIONS])
def test_the_examples_of_a_section_run(title: str, text: str) -> None:
    namespace: dict[str, Any] = {"__name__": "library"}
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        exec(compile(block, f"docs/library.md, {title}", "exec"), namespace)


def test_sections_without_an_example_are_noticed() -> None:
    assert [title for title, text in SECTIONS if "```python" not in text] == []
