import subprocess
import sys
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from agents import leases
from agents.heartbeat import Heartbeat
from agents.leases import LeaseLost
from agents.models import AgentSession
from tests.rows import make_session

pytestmark = pytest.mark.django_db


@pytest.fixture
def session() -> AgentSession:
    return make_session()


def expire(session: AgentSession) -> None:
    AgentSession.objects.filter(pk=session.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_a_free_session_is_claimed_once(session: AgentSession) -> None:
    assert leases.claim(session.pk, "one") == 1
    assert leases.claim(session.pk, "two") is None


def test_an_expired_lease_goes_to_the_next_with_a_higher_fence(session: AgentSession) -> None:
    leases.claim(session.pk, "one")
    expire(session)
    assert leases.claim(session.pk, "two") == 2


def test_a_released_session_is_free(session: AgentSession) -> None:
    fence = leases.claim(session.pk, "one")
    assert fence
    leases.release(session.pk, fence)
    assert leases.claim(session.pk, "two") == 2


def test_the_former_holder_cannot_release_or_renew(session: AgentSession) -> None:
    leases.claim(session.pk, "one")
    expire(session)
    leases.claim(session.pk, "two")
    leases.release(session.pk, 1)
    assert not leases.renew(session.pk, 1)
    session.refresh_from_db()
    assert session.lease_owner == "two"


def test_renewing_moves_the_end(session: AgentSession) -> None:
    leases.claim(session.pk, "one")
    expire(session)
    assert leases.renew(session.pk, 1)
    session.refresh_from_db()
    assert session.lease_until
    assert session.lease_until > timezone.now()


def test_check_passes_only_the_holder(session: AgentSession) -> None:
    leases.claim(session.pk, "one")
    session.refresh_from_db()
    leases.check(session, 1)
    with pytest.raises(LeaseLost) as caught:
        leases.check(session, 2)
    assert caught.value.fence == 2


def test_check_refuses_a_lease_that_an_admin_took_away(session: AgentSession) -> None:
    leases.claim(session.pk, "one")
    AgentSession.objects.filter(pk=session.pk).update(lease_owner="")
    session.refresh_from_db()
    with pytest.raises(LeaseLost):
        leases.check(session, 1)


def test_the_heartbeat_renews_what_it_holds_and_no_more(session: AgentSession) -> None:
    heartbeat = Heartbeat()
    fence = leases.claim(session.pk, "one")
    assert fence
    with heartbeat.holding(session.pk, fence):
        expire(session)
        heartbeat.renew_all()
        session.refresh_from_db()
        assert session.lease_until
        assert session.lease_until > timezone.now()
    expire(session)
    heartbeat.renew_all()
    session.refresh_from_db()
    assert session.lease_until < timezone.now()


def test_a_lease_that_cannot_be_renewed_stops_no_other(
    session: AgentSession, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    renewed: list[UUID] = []

    def renew(session_id: UUID, fence: int) -> None:
        if fence == 1:
            raise RuntimeError("no connection")
        renewed.append(session_id)

    monkeypatch.setattr(leases, "renew", renew)
    heartbeat, other = Heartbeat(), uuid4()
    with heartbeat.holding(session.pk, 1), heartbeat.holding(other, 2):
        heartbeat.renew_all()
    assert renewed == [other]
    assert f"Could not renew the lease of session {session.pk}" in caplog.text


def ended_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_session_of_a_dead_process_of_this_machine_is_freed_at_once(session: AgentSession) -> None:
    host, _, thread = leases.owner_name().split(":")
    leases.claim(session.pk, f"{host}:{ended_process()}:{thread}")
    assert leases.release_dead() == [session.pk]
    assert leases.claim(session.pk, "next") == 2


@pytest.mark.parametrize(
    "owner", [leases.owner_name(), f"elsewhere:{2**22}:1", "somebody"], ids=["this", "elsewhere", "unnamed"]
)
def test_a_session_of_a_living_or_unknown_process_is_kept(session: AgentSession, owner: str) -> None:
    leases.claim(session.pk, owner)
    assert leases.release_dead() == []
    assert leases.claim(session.pk, "next") is None


def test_a_process_of_another_user_is_alive(session: AgentSession, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: int) -> None:
        raise PermissionError

    leases.claim(session.pk, leases.owner_name())
    monkeypatch.setattr("os.kill", refuse)
    assert leases.release_dead() == []
