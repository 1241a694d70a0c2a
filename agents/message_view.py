"""One line of a conversation as a template shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol
from uuid import UUID

from agents.attachments import ImageView
from agents.calls import CallView

Role = Literal["user", "assistant", "error", "marker"]


class HTML(Protocol):
    """Finished HTML that templates print as it is."""

    def __html__(self) -> str:
        """Return the HTML."""
        ...


@dataclass(frozen=True)
class MessageView:
    """One line of the conversation as a template shows it; see templates/agents/_message.html.

    Attributes:
        html: rendered text; empty when the message has none.
        images: what a person attached.
        thinking: what the model thought before it said this.
        remark: what people should know of an answer that is not whole; empty when it is.
        is_replaced: the model was asked again and never sees it.
        waits: the message waits for its turn and can be withdrawn.
        place: among the waiting messages of the session, 1 being the next; 0 for others.
    """

    id: UUID
    role: Role
    who: str
    time: datetime
    tokens: int
    html: HTML | str
    images: Sequence[ImageView] = ()
    calls: Sequence[CallView] = ()
    thinking: str = ""
    remark: str = ""
    is_replaced: bool = False
    waits: bool = False
    place: int = 0
