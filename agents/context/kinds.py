"""What options may be: each kind knows its values and the words for them, so that a refusal can say both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

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


def check_kinds(values: Mapping[str, object], kinds: Mapping[str, Kind]) -> None:
    """Do nothing when every value is of its kind; a name without a value is passed over.

    Raises:
        InvalidOption: naming the first that is not, what it may be, and what it is.
    """
    for name, kind in kinds.items():
        if name in values:
            check_kind(name, values[name], kind)


def check_kind(name: str, value: object, kind: Kind) -> None:
    """Do nothing when the value is of its kind.

    Raises:
        InvalidOption: naming it, what it may be, and what it is.
    """
    if not kind.fits(value):
        raise InvalidOption(f"{name} is {kind.words}, not {shown(value)}.")


def shown(value: object) -> str:
    """Return a short spelling of a value; its type, where it is more than a text, a number or a flag."""
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
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= least,
    )


def maybe(kind: Kind) -> Kind:
    """Return the kind of the same values and None."""
    return Kind(f"{kind.words}, or None", lambda value: value is None or kind.fits(value))


FLAG = Kind("True or False", lambda value: isinstance(value, bool))
TEXT = Kind("a text", lambda value: isinstance(value, str))
FUNCTION = Kind("a function", callable)
