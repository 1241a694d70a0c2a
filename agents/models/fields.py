"""A column that keeps JSON as compact text, so that key order and number types survive on every database."""

from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.expressions import Combinable, Expression

from agents.context import json_values

if TYPE_CHECKING:
    TextField = models.TextField[Any, Any]
else:
    TextField = models.TextField


class JSONTextField(TextField):
    """A JSON value stored as compact text (``jsonb`` reorders keys and changes numbers).

    Raises:
        agents.context.json_values.InvalidJSON: a value that JSON cannot carry is saved.
    """

    if TYPE_CHECKING:
        # What assignments and lookups accept: any JSON value, not text.
        _pyi_private_set_type: Any
        _pyi_private_get_type: Any
        _pyi_lookup_exact_type: Any

    def from_db_value(
        self, value: str | None, expression: Expression | Combinable, connection: BaseDatabaseWrapper
    ) -> Any:
        """Return the stored value parsed."""
        return None if value is None else json_values.decode(value)

    def to_python(self, value: Any) -> Any:
        """Return text parsed, as forms and fixtures give it; other values as they are."""
        return json_values.decode(value) if isinstance(value, str) else value

    def get_prep_value(self, value: Any) -> str | None:
        """Return the compact text."""
        return None if value is None else json_values.encode(value)

    def value_to_string(self, obj: models.Model) -> str:
        """Return the compact text, for serializers."""
        return self.get_prep_value(self.value_from_object(obj)) or ""
