"""What is live, put together: the parts of a session's feed, the fleet's feed, and the hub of a process."""

from dataclasses import dataclass

from agents.approvals import wake_sleepers
from agents.conversation_feed import ConversationPart, HeadPart
from agents.draft_feed import DraftPart
from agents.feed import Part
from agents.hub import Hub
from agents.maintenance import wake_waiting_requests
from agents.parts import drop_given_up
from agents.retention import Hourly, drop_old_bodies
from agents.sessions import wake_stalled_turns
from contextsite.doorman import check_again
from contextsite.fleet_feed import FleetFeed
from memory.board_feed import BoardPart
from memory.pictures import drop_old_pictures
from memory.receipt_feed import ReceiptPart
from memory.session_pictures import drop_unused_pictures

PARTS: tuple[Part, ...] = (BoardPart(), ConversationPart(), DraftPart(), ReceiptPart(), HeadPart())


@dataclass(frozen=True)
class Live:
    """The live side of one web process."""

    hub: Hub
    fleet: FleetFeed


def new_live() -> Live:
    """Return a hub that shows session pages and the fleet; it also wakes what waits for a worker."""
    fleet = FleetFeed()
    hourly = (Hourly(work).do for work in (drop_old_bodies, drop_old_pictures, drop_unused_pictures))
    chores = (wake_stalled_turns, wake_sleepers, wake_waiting_requests, drop_given_up, *hourly)
    return Live(Hub(PARTS, check_again, chores, [fleet]), fleet)
