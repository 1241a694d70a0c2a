import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

BLOCKED = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"django", "celery", "channels", "redis", "daphne", "kombu"}:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Refuse())
"""

QUICK_SETUP = """
from agents import AgentContext

ctx = AgentContext.create(model="gpt-4.1", features={"inContextMemory": True})
plugin = ctx.get_plugin("in_context_memory")
plugin.set("state", "Current processing state", {"step": 1, "status": "active"})
ctx.add_user_message("Hello")
system = ctx.prepare().input[0]["content"][0]["text"]
assert "# Whiteboard" in system, system
assert "**state** (normal): Current processing state" in system, system
assert '"status": "active"' in system, system
"""


def run_blocked(script: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-c", BLOCKED + script]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    "module",
    [
        "agents",
        "agents.context",
        "agents.loop.turn",
        "agents.connectors.scripted",
        "agents.connectors.registry",
        "agents.connectors.pydantic_ai",
        "memory.plugins.whiteboard",
        "memory.plugins.notes",
        "memory.rendering.cards",
        "memory.debounce",
    ],
)
def test_a_pure_core_imports_without_any_web_framework(module: str) -> None:
    finished = run_blocked(f"import {module}")
    assert finished.returncode == 0, finished.stderr


def test_the_missions_quick_setup_runs_without_any_web_framework() -> None:
    finished = run_blocked(QUICK_SETUP)
    assert finished.returncode == 0, finished.stderr


def test_the_block_really_blocks() -> None:
    assert run_blocked("import django").returncode != 0
