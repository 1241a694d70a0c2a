"""What a turn without an answer says, by what the model's last reply shows of the reason."""

from agents.connectors.base import Done

SILENT = "The model answered nothing, also when it was asked again. Retry the turn, or say it in other words."
WITHHELD = (
    "The provider's filter withheld the answer, or the model refused to give one. "
    "Say it in other words, or use another model."
)
UNREADABLE_CALL = (
    "The model asked for a tool in a form that cannot be read: without a name, or in an old form of calls. "
    "Retry the turn, or use another model or server."
)
ONLY_THOUGHT = (
    "The model thought and then said nothing, also when it was asked again. "
    "Retry the turn, or say it in other words."
)


def reason_of(reply: Done) -> str:
    """Return the text for people about a reply that has neither text nor calls."""
    if reply.finish_reason == "content_filter":
        return WITHHELD
    if reply.finish_reason == "tool_call":
        return UNREADABLE_CALL
    has_thought = any(block["type"] == "thinking" for item in reply.output for block in item["content"])
    return ONLY_THOUGHT if has_thought else SILENT
