"""Going on with another provider than the one whose encrypted items the history holds (DECISIONS E7)."""

from django.contrib.auth.models import User
from django.db import transaction

from agents.models import AgentSession, ProviderTransfer, Turn
from agents.sessions import NothingToDo, retry_turn


def confirm_transfer(session: AgentSession, person: User, to: str) -> Turn:
    """Return the failed turn, queued again: what ``to`` cannot read is left out of its prompts from now on.

    ``to`` is the provider and account that the person was asked about.

    Raises:
        NothingToDo: the last turn did not fail because of that.
    """
    with transaction.atomic():
        locked = AgentSession.objects.select_for_update().get(pk=session.pk)
        turn = locked.turns.order_by("-index").first()
        if turn is None or turn.status != Turn.Status.FAILED or turn.transfer.get("to") != to:
            raise NothingToDo("Nothing waits for this confirmation any more. Load the page again.")
        ProviderTransfer.objects.create(
            session=locked,
            confirmed_by=person,
            to=to,
            found=turn.transfer["found"],
            count=turn.transfer["count"],
            after_sequence=locked.message_count,
            revision=locked.revision + 1,
        )
        locked.settings["providerTransfer"] = to
        locked.save(update_fields=["settings"])
        return retry_turn(locked)
