"""What is live on a session page, put together: the parts of the feed and the hub of this process."""

from agents.conversation_feed import ConversationPart, HeadPart
from agents.feed import Part
from agents.hub import Hub
from agents.maintenance import wake_waiting_requests
from agents.sessions import wake_stalled_turns
from contextsite.doorman import check_again
from memory.board_feed import BoardPart

PARTS: tuple[Part, ...] = (BoardPart(), ConversationPart(), HeadPart())


def new_hub() -> Hub:
    """Return a hub that shows session pages; it also wakes what waits for a worker."""
    return Hub(PARTS, check_again, [wake_stalled_turns, wake_waiting_requests])
