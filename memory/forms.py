"""What people type into a whiteboard entry, turned into a value or a reason why not."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.utils.text import capfirst

from agents.answers import whole_number
from agents.context import json_values
from agents.context.json_values import JSON, InvalidJSON
from memory.models import Entry

PRIORITIES = ("low", "normal", "high", "critical")


class InvalidForm(Exception):
    """A field cannot be taken.

    Attributes:
        field: the form field at fault.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field


@dataclass(frozen=True)
class EntryForm:
    """An entry as a person edits it.

    Attributes:
        value: text of the value: the string itself, or JSON.
        format: text or json: how ``value`` is to be read.
        version: the version the person saw; 0 for a new entry.
    """

    key: str = ""
    description: str = ""
    value: str = ""
    format: str = "text"
    priority: str = "normal"
    show_in_ui: bool = True
    version: int = 0

    @classmethod
    def of(cls, entry: Entry) -> "EntryForm":
        """Return the form that shows an entry as it is now."""
        value = entry.parsed_value()
        is_text = isinstance(value, str)
        return cls(
            key=entry.key,
            description=entry.description,
            value=value if is_text else json_values.pretty(value),
            format="text" if is_text else "json",
            priority=str(entry.attributes["priority"]),
            show_in_ui=bool(entry.attributes["showInUI"]),
            version=entry.version,
        )

    @classmethod
    def posted(cls, data: Mapping[str, str]) -> "EntryForm":
        """Return what a person sent, line ends as they are stored; nothing is checked yet but the version.

        Raises:
            InvalidForm: the version is not a number.
        """
        form = cls(
            key=data.get("key", ""),
            description=data.get("description", ""),
            value=data.get("value", "").replace("\r\n", "\n"),
            format=data.get("format", "text"),
            priority=data.get("priority", "normal"),
            show_in_ui="show_in_ui" in data,
        )
        version = whole_number(data.get("version", "") or "0")
        if version is None:
            raise InvalidForm("version", "The version is not a number. Open the entry again.")
        return replace(form, version=version)

    def parsed_value(self) -> JSON:
        """Return the value to store.

        Raises:
            InvalidForm: it is not JSON although the format says so, or the format is unknown.
        """
        if self.format == "text":
            return self.value
        if self.format != "json":
            raise InvalidForm("format", "Choose text or JSON as the format.")
        try:
            return json_values.decode(self.value)
        except InvalidJSON as fault:
            raise InvalidForm("value", f"{capfirst(str(fault).removeprefix('value: '))}.") from None
