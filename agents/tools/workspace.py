"""Tools for files of one workspace folder: list, read, write, append, search and delete."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import Field

from agents.context.json_values import JSON
from agents.context.tools import Tool, tool
from agents.tools.folder import ConfinedFolder, Refused

MOST_CHARACTERS = 20_000
MOST_HITS = 100
SHOWN_LINE_CHARACTERS = 300

PathArgument = Annotated[
    str, Field(description="Path below the workspace with forward slashes, for example notes/today.md.")
]
Content = Annotated[str, Field(description="Text; it is stored as UTF-8.")]


class Workspace:
    """The files of one agent session, and the tools for them."""

    def __init__(self, root: Path) -> None:
        self._folder = ConfinedFolder(root)

    def list_files(
        self, prefix: Annotated[str, Field(description="Only paths that begin with this.")] = ""
    ) -> dict[str, JSON]:
        """List the files of your workspace with their sizes in bytes. It is yours alone and starts empty."""
        files = [each for each in self._folder.files() if each.path.startswith(prefix)]
        return {
            "files": [{"path": each.path, "bytes": each.size} for each in files],
            "totalBytes": sum(each.size for each in files),
        }

    def read(
        self,
        path: PathArgument,
        start: Annotated[int, Field(ge=0, description="First character, from 0.")] = 0,
    ) -> dict[str, JSON]:
        """Read a text file of your workspace, 20,000 characters at a time; `next` says where to read on."""
        text = self._text(path)
        end = start + MOST_CHARACTERS
        return {"text": text[start:end], "characters": len(text), "next": end if end < len(text) else None}

    def write(self, path: PathArgument, content: Content) -> dict[str, JSON]:
        """Write a text file of your workspace; what it held before is replaced. Folders are made."""
        return self._store(path, content)

    def append(self, path: PathArgument, content: Content) -> dict[str, JSON]:
        """Add text to the end of a file of your workspace; a missing file is made."""
        is_known = any(each.path == path for each in self._folder.files())
        return self._store(path, (self._text(path) if is_known else "") + content)

    def search(
        self,
        text: Annotated[str, Field(min_length=1, max_length=200, description="Plain text; case is ignored.")],
    ) -> dict[str, JSON]:
        """Find the lines of all files of your workspace that hold a text, the first 100 of them."""
        hits: list[JSON] = []
        for each in self._folder.files():
            try:
                lines = self._text(each.path).splitlines()
            except Refused:
                continue
            for number, line in enumerate(lines, start=1):
                if text.lower() in line.lower():
                    if len(hits) == MOST_HITS:
                        return {"hits": hits, "hasMore": True}
                    hits.append({"path": each.path, "line": number, "text": line[:SHOWN_LINE_CHARACTERS]})
        return {"hits": hits, "hasMore": False}

    def delete(self, path: PathArgument) -> dict[str, JSON]:
        """Delete a file of your workspace. It cannot be brought back."""
        self._folder.delete(path)
        return {"deleted": path}

    def tool(self, name: str) -> Tool:
        """Return the tool of one of this class's actions: list_files, read, write, append, search, delete."""
        action: Callable[..., object] = getattr(self, name)
        verb = name.partition("_")[0]
        made = tool(
            name=f"workspace_{verb}",
            parallel=name in {"list_files", "read", "search"},
            permission="ask" if name == "delete" else "always",
            risk="medium" if name == "delete" else "low",
        )(action)
        return replace(made, call_description=lambda given: f"{verb} {_subject(given)}".strip())

    def _store(self, path: str, content: str) -> dict[str, JSON]:
        stored = content.encode()
        self._folder.write(path, stored)
        return {"path": path, "bytes": len(stored)}

    def _text(self, path: str) -> str:
        try:
            return self._folder.read(path).decode()
        except UnicodeDecodeError:
            raise Refused(f"{path} is no text in UTF-8.") from None


def _subject(given: Mapping[str, JSON]) -> str:
    return str(given.get("path") or given.get("text") or "")[:100]
