"""Tools of the tests of waiting turns; they note what they did."""

from datetime import UTC, datetime

from agents.context.errors import CallSuspended
from agents.context.tools import tool

done: list[str] = []
TIME = datetime(2100, 1, 1, 6, tzinfo=UTC)
PATHS = {name: f"tests.agents.waiting_tools.{name}" for name in ("plain", "beside", "risky", "deadly", "nap")}


class Killed(KeyboardInterrupt):
    """What a worker that is killed looks like from inside: nothing after it runs."""


def _do(what: str = "") -> str:
    """Do it."""
    done.append(what)
    return f"did {what}"


def _die(what: str = "") -> str:
    """Kill the worker after the deed."""
    done.append(what)
    raise Killed


def _nap() -> str:
    """Wait for the year 2100."""
    done.append("nap")
    raise CallSuspended(TIME)


plain = tool(name="plain")(_do)
beside = tool(name="beside", parallel=True)(_do)
risky = tool(name="risky", permission="ask", risk="high")(_do)
deadly = tool(name="deadly", permission="ask")(_die)
nap = tool(name="nap")(_nap)
