"""The tools that agents can be given: what they are, and how a session gets them."""

from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from agents.context import Tool
from agents.context.errors import ContextError
from agents.models import AgentSession

PERMISSIONS = ("always", "ask")


class UnknownTool(ContextError):
    """A profile names a tool that the settings do not offer."""

    def __init__(self, name: str) -> None:
        known = ", ".join(sorted(settings.AGENT_TOOLS)) or "none"
        super().__init__(f"The agent uses a tool {name!r} that is not set up. Known tools: {known}.")


@dataclass(frozen=True)
class OfferedTool:
    """A tool as a settings page shows it.

    Attributes:
        permission: ``ask`` when a person approves each call unless the agent's profile says otherwise.
        risk: low, medium or high.
    """

    name: str
    description: str
    permission: str
    risk: str


def offered_tools() -> list[OfferedTool]:
    """Return every tool that a profile may name, in the order of ``settings.AGENT_TOOLS``."""
    nobody = AgentSession(settings={})
    made = [(name, session_tool(name, nobody)) for name in settings.AGENT_TOOLS]
    return [OfferedTool(name, each.description, each.permission, each.risk) for name, each in made]


def session_tool(name: str, session: AgentSession) -> Tool:
    """Return the tool with the permission that the session's settings give it.

    An entry of ``settings.AGENT_TOOLS`` names a tool, or a function of the session that returns one.

    Raises:
        UnknownTool: there is no such entry.
    """
    path = settings.AGENT_TOOLS.get(name)
    if path is None:
        raise UnknownTool(name)
    found: Any = import_string(path)
    made: Tool = found if isinstance(found, Tool) else found(session)
    permission = session.settings.get("toolPermissions", {}).get(name)
    return replace(made, permission=permission) if permission in PERMISSIONS else made


def faults_of_choice(tools: Any, permissions: Any) -> list[str]:
    """Return what is wrong with a profile's ``tools`` and ``tool_permissions``, in words for people."""
    known = ", ".join(settings.AGENT_TOOLS)
    if not isinstance(tools, list) or not all(isinstance(name, str) for name in tools):
        return ['The tools are a list of names, for example ["calculator"].']
    if not isinstance(permissions, dict):
        return ['The permissions are an object, for example {"workspace_delete": "ask"}.']
    unknown = [name for name in [*tools, *permissions] if name not in settings.AGENT_TOOLS]
    faults = [f"There is no tool {name!r}. Choose from: {known}." for name in dict.fromkeys(unknown)]
    if len(set(tools)) < len(tools):
        faults.append("A tool is named twice.")
    faults += [
        f"The permission of {name} is ask or always, not {wish!r}."
        for name, wish in permissions.items()
        if wish not in PERMISSIONS
    ]
    return faults
