"""What options may be: each kind knows its values and the words for them, so that a refusal can say both."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TypeGuard

from agents.context.errors import InvalidOption

_SHOWN_CHARACTERS = 40


@dataclass(frozen=True)
class Kind:
    """One kind of value.

    Attributes:
        words: what such a value is, to follow ``is``.
        fits: whether a value is one.
    """

    words: str
    fits: Callable[[object], bool]


def fault_of_kinds(values: Mapping[str, object], kinds: Mapping[str, Kind]) -> str | None:
    """Return the first value that is not of its kind, what it may be, and what it is; None when all are.

    A name without a value is passed over.
    """
    for name, kind in kinds.items():
        if name in values and not kind.fits(values[name]):
            return f"{name} is {kind.words}, not {shown(values[name])}."
    return None


def check_kinds(values: Mapping[str, object], kinds: Mapping[str, Kind]) -> None:
    """Do nothing when every value is of its kind.

    Raises:
        InvalidOption: see ``fault_of_kinds``.
    """
    if fault := fault_of_kinds(values, kinds):
        raise InvalidOption(fault)


def check_kind(name: str, value: object, kind: Kind) -> None:
    """Do nothing when the value is of its kind.

    Raises:
        InvalidOption: naming it, what it may be, and what it is.
    """
    check_kinds({name: value}, {name: kind})


def shown(value: object) -> str:
    """Return a short spelling of a value; its type, where it is more than a text, a number or a flag."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    is_huge = isinstance(value, int) and value.bit_length() > _SHOWN_CHARACTERS
    if is_huge or (value is not None and not isinstance(value, str | int | float)):
        return f"a value of type {type(value).__name__}"
    # Cut first, as there are texts of any length; spelled in ASCII, as logs take no half characters.
    spelled = ascii(value[: _SHOWN_CHARACTERS + 1] if isinstance(value, str) else value)
    return spelled if len(spelled) <= _SHOWN_CHARACTERS else f"{spelled[:_SHOWN_CHARACTERS]}…"


def one_of(*choices: str) -> Kind:
    """Return the kind of these texts."""
    words = f"one of {', '.join(choices)}"
    return Kind(words, lambda value: isinstance(value, str) and value in choices)


def whole(least: int) -> Kind:
    """Return the kind of whole numbers from ``least``."""
    return Kind(
        f"a whole number of at least {least}",
        lambda value: _is_whole(value) and value >= least,
    )


def _is_number(value: object) -> TypeGuard[float]:
    """Tell whether the value is a number; a truth value is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: object) -> TypeGuard[int]:
    """Tell whether the value is a whole number; a truth value is none."""
    return isinstance(value, int) and not isinstance(value, bool)


def number(least: float, most: float) -> Kind:
    """Return the kind of numbers from ``least`` to ``most``."""
    return Kind(
        f"a number from {least} to {most}",
        lambda value: _is_number(value) and least <= value <= most,
    )


def some_of(*choices: str) -> Kind:
    """Return the kind of lists and sets of these texts."""
    each = one_of(*choices)
    return Kind(
        f"a list of {', '.join(choices)}",
        lambda value: (
            isinstance(value, Collection) and not isinstance(value, str) and all(map(each.fits, value))
        ),
    )


def list_of(kind: Kind) -> Kind:
    """Return the kind of lists, not empty, of such values."""
    return Kind(
        f"a list, each of it {kind.words}",
        lambda value: isinstance(value, list | tuple) and bool(value) and all(map(kind.fits, value)),
    )


def having(noun: str, *names: str) -> Kind:
    """Return the kind of objects, not classes, that have these attributes."""
    return Kind(
        f"{noun}, which has {', '.join(names)}",
        lambda value: not isinstance(value, type) and all(hasattr(value, name) for name in names),
    )


def maybe(kind: Kind) -> Kind:
    """Return the kind of the same values and None."""
    return Kind(f"{kind.words}, or None", lambda value: value is None or kind.fits(value))


FLAG = Kind("True or False", lambda value: isinstance(value, bool))
TEXT = Kind("a text", lambda value: isinstance(value, str))
WORD = Kind("a text that is not empty", lambda value: isinstance(value, str) and value != "")
FUNCTION = Kind("a function", callable)
WHOLE = Kind("a whole number", _is_whole)
MAPPING = Kind("a mapping", lambda value: isinstance(value, Mapping))
ESTIMATOR = having("an estimator", "estimate_tokens", "estimate_data_tokens", "estimate_image_tokens")
