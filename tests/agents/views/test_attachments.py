"""Images attached to messages: posted, refused, kept, shown to those who may watch, sent to the model."""

import base64
import io
from typing import Any

import pytest
from django.conf import settings as product
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from PIL import Image

from agents import attachments, runner
from agents.connectors.scripted import say
from agents.conversation import conversation_page
from agents.models import Turn
from agents.sessions import start_session
from contextsite.exports import as_json, as_markdown
from tests.agents.scripts import say_next
from tests.images import picture, upload
from tests.people import Cast, make_cast, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("scripted")]

JSON = {"accept": "application/json"}


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def send(cast: Cast, *files: SimpleUploadedFile, text: str = "What is this?", **more: str) -> Any:
    data = {"message": text, "images": list(files), **more}
    return signed_in(cast.operator).post(reverse("message-send", args=[cast.session.pk]), data, headers=JSON)


def shown(cast: Cast) -> list[attachments.ImageView]:
    page = conversation_page(cast.session)
    return list([*page.messages, *page.waiting][0].images)


def test_images_are_encoded_anew_and_stand_before_the_text_in_the_input_of_the_turn(cast: Cast) -> None:
    hidden = picture("JPEG", 60, 20, comment=b"where I live")
    assert send(cast, upload(), upload(hidden, "photo.jpg")).json() == {"ok": True}
    first, second, text = Turn.objects.get().input
    assert text == {"type": "input_text", "text": "What is this?"}
    for block, size in ((first, (40, 30)), (second, (60, 20))):
        kind, _, data = block["image_url"]["url"].partition(",")
        assert kind == "data:image/webp;base64"
        content = base64.b64decode(data)
        assert b"where I live" not in content
        with Image.open(io.BytesIO(content)) as image:
            assert (image.format, image.size) == ("WEBP", size)


def test_an_image_needs_no_words(cast: Cast) -> None:
    assert send(cast, upload(), text=" ").json() == {"ok": True}
    assert [block["type"] for block in Turn.objects.get().input] == ["input_image_url"]


def test_a_repeated_post_with_one_key_makes_one_turn(cast: Cast) -> None:
    for _ in range(2):
        assert send(cast, upload(), idempotency_key="once").json() == {"ok": True}
    assert Turn.objects.count() == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "screen.png cannot be attached: it cannot be decoded. Attach a PNG, JPEG, GIF or WebP"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "it cannot be decoded"),
        (picture("BMP"), "it cannot be decoded"),
        (picture()[:60], "it cannot be decoded"),
        (picture("GIF", 10_000, 6_000), "more than 50,000,000 pixels"),
    ],
    ids=["empty", "vector", "other format", "cut", "huge"],
)
def test_a_bad_file_is_named_with_its_remedy_and_nothing_is_stored(
    cast: Cast, content: bytes, says: str
) -> None:
    answer = send(cast, upload(), SimpleUploadedFile("screen.png", content))
    assert answer.status_code == 400
    assert says in answer.json()["error"]
    assert "leave it out" in answer.json()["error"]
    assert not Turn.objects.exists()


def test_there_are_limits_of_number_and_size(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    many = send(cast, *(upload() for _ in range(attachments.MOST_IMAGES + 1)))
    assert "has 9 images; at most 8 fit" in many.json()["error"]
    monkeypatch.setattr(attachments, "MOST_BYTES", 100)
    assert "MB together" in send(cast, upload(), upload()).json()["error"]
    assert not Turn.objects.exists()


def test_images_larger_than_a_form_of_texts_may_be_arrive(cast: Cast) -> None:
    large = picture("PNG", 1000, 1000, compress_level=0)
    assert len(large) * 2 > product.DATA_UPLOAD_MAX_MEMORY_SIZE
    assert send(cast, upload(large), upload(large)).status_code == 200


def test_without_a_script_a_refusal_keeps_what_was_typed(cast: Cast) -> None:
    data = {"message": "<b>Look</b> at this", "images": [upload(b"nothing", '<i>"x"</i>.png')]}
    client = signed_in(cast.operator)
    answer = client.post(reverse("message-send", args=[cast.session.pk]), data)
    page = answer.content.decode()
    assert answer.status_code == 400
    assert "&lt;b&gt;Look&lt;/b&gt; at this</textarea>" in page
    assert "cannot be attached" in page
    assert "<i>" not in page
    form = {"message": "Look", "images": [upload()]}
    assert client.post(reverse("message-send", args=[cast.session.pk]), form).status_code == 303


def test_the_page_shows_images_of_a_waiting_message_and_of_a_stored_one_alike(cast: Cast) -> None:
    send(cast, upload())
    waiting = shown(cast)
    assert [(each.width, each.height) for each in waiting] == [(40, 30)]
    say_next(say("A red field."))
    runner.run(Turn.objects.get().pk)
    assert Turn.objects.get().status == Turn.Status.SUCCEEDED
    assert shown(cast) == waiting
    answer = signed_in(cast.member).get(waiting[0].url)
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/webp")
    assert "sandbox" in answer["Content-Security-Policy"]
    with Image.open(io.BytesIO(answer.content)) as image:
        assert image.size == (40, 30)
    page = signed_in(cast.member).get(reverse("session", args=[cast.session.pk])).content.decode()
    assert f'<img src="{waiting[0].url}"' in page
    assert "data:image" not in page


def test_the_model_gets_the_image_and_it_is_counted(cast: Cast) -> None:
    send(cast, upload())
    connector = say_next(say("A red field."))
    runner.run(Turn.objects.get().pk)
    sent = connector.requests[0].input[-1]
    assert sent["content"] == Turn.objects.get().input
    # One tile and the base of spec 5.7, the words, the message itself.
    assert cast.session.messages.get(role="user").tokens == 85 + 170 + 4 + 4


def test_looking_inside_shows_that_there_is_an_image_and_not_its_bytes(cast: Cast) -> None:
    send(cast, upload(), text="")
    say_next(say("Red."))
    runner.run(Turn.objects.get().pk)
    for call in ("", "now"):
        address = reverse("context", args=[cast.session.pk])
        page = signed_in(cast.member).get(address, {"call": call}).content.decode()
        assert "[image" in page
        assert "base64" not in page


def test_only_those_who_may_watch_see_an_image(cast: Cast) -> None:
    send(cast, upload())
    url = shown(cast)[0].url
    assert signed_in(cast.stranger).get(url).status_code == 404
    assert Client().get(url)["Location"].startswith(reverse("login"))
    assert signed_in(cast.member).post(url).status_code == 405
    other = start_session(cast.profile, None, "Another")
    assert signed_in(cast.member).get(url.replace(str(cast.session.pk), str(other.pk))).status_code == 404


def test_what_is_no_image_of_the_message_is_not_there(cast: Cast) -> None:
    send(cast, upload())
    url = shown(cast)[0].url
    client = signed_in(cast.member)
    # The words, a place behind the end, and a message that has words alone.
    for place in ("1", "2"):
        assert client.get(url.replace("/images/0/", f"/images/{place}/")).status_code == 404
    Turn.objects.update(input="words")
    assert client.get(url).status_code == 404


def test_pictures_of_other_sites_stay_words(cast: Cast) -> None:
    send(cast)
    far = {"type": "input_image_url", "image_url": {"url": "https://example.org/a.png"}}
    Turn.objects.update(input=[far])
    (line,) = conversation_page(cast.session).waiting
    assert (line.images, "An image." in str(line.html)) == ([], True)


def test_a_first_message_can_have_images(cast: Cast) -> None:
    data = {"agent": cast.profile.slug, "title": "", "message": "See", "images": [upload()]}
    client = signed_in(cast.operator)
    assert client.post(reverse("session-new"), data).status_code == 302
    assert Turn.objects.get().input[0]["type"] == "input_image_url"
    refused = client.post(reverse("session-new"), data | {"images": [upload(b"no")]})
    assert refused.status_code == 400
    assert "cannot be attached" in refused.content.decode()


def test_exports_tell_of_images(cast: Cast) -> None:
    send(cast, upload())
    say_next(say("Red."))
    runner.run(Turn.objects.get().pk)
    assert "data:image/webp" in as_json(cast.session)
    assert "*An image.*" in as_markdown(cast.session)
    assert "data:image" not in as_markdown(cast.session)
