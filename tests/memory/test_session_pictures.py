"""Pictures of a session: found in values and in its workspace alone, kept with it, dropped when unused."""

import base64
import io
import json
import os
from collections.abc import Hashable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.cache import cache
from django.utils import timezone
from PIL import Image

from agents import session_care
from agents.models import AgentSession
from agents.tools.folder import ConfinedFolder
from contextsite.operator_tools import workspace_folder
from memory import session_pictures
from memory.models import SessionPicture
from memory.render_process import pool
from memory.rendered import message_html, value_html
from memory.rendering.pictures import Picture
from memory.session_pictures import KEEP_UNUSED, drop_unused_pictures
from tests.memory.rendering import markup
from tests.rows import make_profile, make_session

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def workspaces(settings: Any, tmp_path: Path) -> Path:
    settings.WORKSPACES_DIR = tmp_path / "workspaces"
    return tmp_path / "workspaces"


@pytest.fixture
def session(workspaces: Path) -> AgentSession:
    return make_session()


def png(width: int = 3, height: int = 2) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (width, height)).save(made, "PNG")
    return made.getvalue()


def put(session: AgentSession, path: str, content: bytes) -> Path:
    ConfinedFolder(workspace_folder(session.pk)).write(path, content)
    return workspace_folder(session.pk) / path


def card(session_id: UUID, text: str) -> str:
    html = value_html(json.dumps(text), "card-1", session_id).html
    markup.check(html)
    return html


def sizes(html: str) -> list[str]:
    return [a["width"] for tag, a in markup.elements(html) if tag == "img"]


def test_cards_and_messages_show_pictures_of_the_workspace(session: AgentSession) -> None:
    put(session, "plots/a b.png", png(5))
    row_address = f"/sessions/{session.pk}/pictures/"
    text = "![a plot](<plots/a b.png>) ![again](plots/a%20b.png)"
    for html in (card(session.pk, text), message_html(text, "message-1", session.pk).html):
        assert sizes(html) == ["5", "5"]
        assert html.count(f'src="{row_address}') == 2
    row = SessionPicture.objects.get()
    with Image.open(io.BytesIO(row.content)) as image:
        assert (image.format, image.size) == ("WEBP", (5, 2))


def test_the_same_text_shows_each_session_its_own_files(workspaces: Path) -> None:
    mine, other, third = (make_session(make_profile(slug)) for slug in ("a", "b", "c"))
    put(mine, "a.png", png(5))
    put(other, "a.png", png(7))
    assert sizes(card(mine.pk, "![x](a.png)")) == ["5"]
    assert sizes(card(other.pk, "![x](a.png)")) == ["7"]
    assert "There is no file 'a.png' in the workspace" in markup.text(card(third.pk, "![x](a.png)"))


def test_a_file_that_changes_is_shown_as_it_is_now(session: AgentSession) -> None:
    file = put(session, "a.png", png(5))
    assert sizes(card(session.pk, "![x](a.png)")) == ["5"]
    file.write_bytes(png(7))
    assert sizes(card(session.pk, "![x](a.png)")) == ["7"]
    file.unlink()
    assert "There is no file" in markup.text(card(session.pk, "![x](a.png)"))


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("../other.png", "'../other.png' is no path here"),
        ("..%2f..%2fother.png", "'../../other.png' is no path here"),
        ("a/../../other.png", "is no path here"),
        ("%2fetc/passwd", "'/etc/passwd' is no path here"),
        ("a%00b.png", "only characters that show"),
        ("link.png", "There is no file 'link.png'"),
        ("folder/other.png", "'folder' in folder/other.png is no folder"),
        ("pipe.png", "There is no file 'pipe.png'"),
        ("plots", "There is no file 'plots'"),
        ("notes.png", "it cannot be decoded"),
        ("cut.png", "it cannot be decoded"),
        ("bomb.png", "more than 16,000,000 pixels"),
        ("large.png", "large.png is larger than 2,097,152 bytes"),
        ("vector.svg", "it cannot be decoded"),
    ],
)
def test_what_is_no_picture_of_the_workspace_is_named_with_the_reason(
    session: AgentSession, workspaces: Path, address: str, reason: str
) -> None:
    put(session, "plots/a.png", png())
    put(session, "notes.png", b"<b>no picture")
    put(session, "cut.png", png()[:40])
    put(session, "bomb.png", png(20_000, 801))
    put(session, "vector.svg", b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
    (workspace_folder(session.pk) / "large.png").write_bytes(png() + b"x" * 2_097_152)
    (workspaces / "other.png").write_bytes(png())
    (workspace_folder(session.pk) / "link.png").symlink_to(workspaces / "other.png")
    (workspace_folder(session.pk) / "folder").symlink_to(workspaces)
    os.mkfifo(workspace_folder(session.pk) / "pipe.png")
    html = card(session.pk, f"![a <b>]({address}) after")
    assert "img" not in markup.tags(html)
    assert markup.text(html).startswith("[image: a <b>] ")
    assert reason in markup.text(html)
    assert not SessionPicture.objects.exists()


def test_one_bad_picture_leaves_the_others_alone(session: AgentSession) -> None:
    put(session, "a.png", png(5))
    data = f"data:image/png;base64,{base64.b64encode(png(7)).decode()}"
    html = card(session.pk, f"![a](a.png) ![b](b.png) ![c]({data})")
    assert sizes(html) == ["5", "7"]
    assert "[image: b] There is no file 'b.png'" in markup.text(html)


def test_a_picture_is_encoded_once_and_a_failure_not_tried_again_at_once(
    session: AgentSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bytes] = []
    encoded_anew = pool.encoded_anew

    def counted(content: bytes, owner: Hashable) -> Picture:
        asked.append(content)
        return encoded_anew(content, owner)

    monkeypatch.setattr(pool, "encoded_anew", counted)
    put(session, "a.png", png())
    put(session, "bad.png", b"bad")
    for _ in range(3):
        html = card(session.pk, "![a](a.png) ![b](bad.png)")
    assert "[image: b] it cannot be decoded" in markup.text(html)
    assert sorted(asked) == sorted([png(), b"bad"])


def age(row: SessionPicture, by: timedelta) -> None:
    SessionPicture.objects.filter(pk=row.pk).update(used_at=timezone.now() - by)


def test_pictures_that_nothing_shows_any_more_are_dropped(session: AgentSession) -> None:
    put(session, "a.png", png(5))
    put(session, "b.png", png(7))
    html = card(session.pk, "![a](a.png) ![b](b.png)")
    for row in SessionPicture.objects.all():
        age(row, KEEP_UNUSED + timedelta(minutes=1))
    assert sizes(card(session.pk, "![a](a.png)")) == ["5"]
    assert drop_unused_pictures() == 1
    assert [row.width for row in SessionPicture.objects.all()] == [5]
    assert drop_unused_pictures() == 0
    # What is needed again is made again.
    assert card(session.pk, "![a](a.png) ![b](b.png)") == html
    assert SessionPicture.objects.count() == 2


def test_a_session_keeps_the_pictures_that_it_used_last(
    session: AgentSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_pictures, "MOST_KEPT", 2)
    other = make_session(make_profile("other"))
    for each in (other, session):
        for width in range(3, 6):
            put(each, "a.png", png(width))
            card(each.pk, "![a](a.png)")
    kept = SessionPicture.objects.order_by("width").values_list("width", flat=True)
    assert [list(kept.filter(session=each)) for each in (session, other)] == [[4, 5], [4, 5]]


@pytest.mark.django_db(transaction=True)
def test_pictures_go_with_their_session(workspaces: Path) -> None:
    mine, other = make_session(), make_session(make_profile("other"))
    for each in (mine, other):
        put(each, "a.png", png())
        card(each.pk, "![a](a.png)")
    session_care.delete(mine)
    assert [row.session_id for row in SessionPicture.objects.all()] == [other.pk]


@pytest.mark.django_db(transaction=True)
def test_a_session_that_is_deleted_meanwhile_shows_no_picture(workspaces: Path) -> None:
    data = f"data:image/png;base64,{base64.b64encode(png()).decode()}"
    html = card(UUID(int=7), f"![a]({data})")
    assert markup.text(html) == "[image: a] the session has been deleted\n"
