"""Tools that need this installation: files of a session's own workspace, and HTTP to the allowed hosts."""

import shutil
from functools import cache
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import transaction

from agents.context import Tool
from agents.models import AgentSession
from agents.tools.allowed_hosts import AllowedHosts
from agents.tools.fetching import Fetcher
from agents.tools.fetching import http_fetch as fetch_tool
from agents.tools.workspace import Workspace


class WorkspaceTool:
    """Makes the tool of one action on the files of a session, as an entry of ``settings.AGENT_TOOLS``."""

    def __init__(self, action: str) -> None:
        self._action = action

    def __call__(self, session: AgentSession) -> Tool:
        """Return the tool; the folder is made with the first file."""
        return Workspace(workspace_folder(session.pk)).tool(self._action)


workspace_list = WorkspaceTool("list_files")
workspace_read = WorkspaceTool("read")
workspace_write = WorkspaceTool("write")
workspace_append = WorkspaceTool("append")
workspace_search = WorkspaceTool("search")
workspace_delete = WorkspaceTool("delete")


def workspace_folder(session_id: UUID) -> Path:
    """Return where the files of a session are."""
    return Path(settings.WORKSPACES_DIR) / str(session_id)


def forget_files(instance: AgentSession, **_: object) -> None:
    """Remove the workspace of a deleted session once the deletion is final."""
    folder = workspace_folder(instance.pk)
    transaction.on_commit(lambda: shutil.rmtree(folder, ignore_errors=True))


def http_fetch(session: AgentSession) -> Tool:
    """Return the tool that fetches from ``settings.HTTP_FETCH_HOSTS``; all sessions share it."""
    return _http_fetch(tuple(settings.HTTP_FETCH_HOSTS))


@cache
def _http_fetch(hosts: tuple[str, ...]) -> Tool:
    return fetch_tool(Fetcher(AllowedHosts(hosts)), ", ".join(hosts))
