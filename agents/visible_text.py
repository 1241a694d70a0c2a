"""Words of a model as people read them: whatever it wrote, nothing of it can hide."""

from agents.context.blank import is_blank

NO_NAME = "(no name)"


def unhidden(text: str) -> str:
    """Return text in which nothing can hide: direction marks, zero widths and odd blanks become escapes."""
    if text.replace("\n", " ").isprintable():
        return text
    return "".join(each if each == "\n" or each.isprintable() else f"\\u{ord(each):04x}" for each in text)


def call_name(name: str) -> str:
    """Return what a call is named on pages: a model may ask for a tool without a name."""
    return NO_NAME if is_blank(name) else unhidden(name)
