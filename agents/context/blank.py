"""Text that shows nothing, however long it is."""

import unicodedata

# Letters and symbols by their category, and yet without any ink.
_INKLESS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})


def is_blank(text: str) -> bool:
    """Return whether no character of the text can be seen: spaces, controls, zero widths, fillers."""
    return all(char in _INKLESS or unicodedata.category(char) in _INVISIBLE for char in text)
