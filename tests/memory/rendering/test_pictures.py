"""Pictures of values and of the workspace wait in their places; bytes are decoded under limits."""

import base64
import io

import pytest
from PIL import Image

from memory.rendering import pictures
from memory.rendering.cards import CardHTML, render_markdown, with_pictures
from memory.rendering.guard import RenderSettings
from memory.rendering.pictures import PictureRefused, ShownPicture, data_picture, encoded_anew
from tests.memory.rendering import markup


def png(width: int = 3, height: int = 2, mode: str = "RGB", **more: object) -> bytes:
    made = io.BytesIO()
    Image.new(mode, (width, height)).save(made, "PNG", **more)
    return made.getvalue()


def address(content: bytes, kind: str = "png") -> str:
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def card(text: str, settings: RenderSettings | None = None) -> CardHTML:
    made = render_markdown(text, "card", settings or RenderSettings())
    markup.check_card(made)
    assert made.error is None
    return made


def test_a_picture_is_shown_by_what_it_is() -> None:
    made = card(f"![a <b>]({address(png())})")
    (slot,) = made.pictures
    assert slot.made is not None
    assert markup.with_pictures(made).html == (
        f'<p><img src="{markup.SESSION_PICTURE}" alt="a &lt;b&gt;" width="3" height="2" '
        'class="md-picture" loading="lazy" decoding="async" referrerpolicy="no-referrer"></p>\n'
    )
    with Image.open(io.BytesIO(slot.made.content)) as image:
        assert (image.format, image.size) == ("WEBP", (3, 2))


def test_files_of_the_workspace_wait_for_the_session() -> None:
    made = card('![a <b>](plots/a%20b.png "title") and ![c](./c.png)')
    assert [(slot.words, slot.path, slot.made) for slot in made.pictures] == [
        ("a <b>", "plots/a b.png", None),
        ("c", "c.png", None),
    ]
    shown = markup.with_pictures(made)
    assert shown.pictures == ()
    assert markup.text(shown.html) == " and [image: c] There is no file 'c.png'.\n"
    assert [attributes.get("title") for tag, attributes in markup.elements(shown.html) if tag == "img"] == [
        "title"
    ]


def test_a_picture_that_is_missing_keeps_its_title() -> None:
    shown = markup.with_pictures(card('![a](a.png) ![b](b.png "the <title>")'))
    assert markup.text(shown.html) == " [image: b] (\"the <title>\") There is no file 'b.png'.\n"


def test_a_place_cannot_be_forged() -> None:
    made = card("![a](a.png)")
    text = f"{made.pictures[0].mark} &lt;span data-picture=x&gt; ![{made.pictures[0].mark}](b.png)"
    again = markup.with_pictures(card(text))
    assert markup.tags(again.html).count("img") == 1
    assert markup.text(again.html).count("data-picture") == 2
    assert 'alt="&lt;span data-picture=' in again.html


def test_a_picture_is_only_shown_from_a_session() -> None:
    made = card("![a](a.png)")
    foreign = ShownPicture("https://evil.example/a.png", 1, 1)
    with pytest.raises(ValueError, match="No picture of a session"):
        with_pictures(made, {made.pictures[0].mark: foreign})


def test_what_was_hidden_in_a_picture_is_gone() -> None:
    made = encoded_anew(png() + b"<script>alert(1)</script>")
    assert b"script" not in made.content


def test_a_large_picture_is_made_smaller() -> None:
    made = encoded_anew(png(2_000, 10))
    assert (made.width, made.height) == (1_600, 8)


def test_a_photograph_stands_upright_whichever_way_the_camera_was_held() -> None:
    held = Image.Exif()
    held[0x0112] = 6
    made = io.BytesIO()
    Image.new("RGB", (40, 20)).save(made, "JPEG", exif=held)
    upright = encoded_anew(made.getvalue())
    assert (upright.width, upright.height) == (20, 40)
    with Image.open(io.BytesIO(upright.content)) as image:
        assert not image.getexif()


def test_what_people_attach_may_be_larger() -> None:
    with pytest.raises(PictureRefused, match="more than 5 pixels"):
        encoded_anew(png(), most_pixels=5)
    with pytest.raises(PictureRefused, match="larger than"):
        encoded_anew(png(), most_bytes=5)
    assert encoded_anew(png(4_100, 4_000), most_pixels=50_000_000).width == 1_600


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA"])
def test_every_kind_of_pixel_is_taken(mode: str) -> None:
    assert encoded_anew(png(mode=mode)).width == 3


def test_a_picture_longer_than_a_text_may_be_is_still_a_picture() -> None:
    noise = Image.effect_noise((300, 300), 90)
    made = io.BytesIO()
    noise.save(made, "PNG")
    assert len(address(made.getvalue())) > 64_000
    assert len(card(f"![noise]({address(made.getvalue())})").pictures) == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "cannot be decoded"),
        (b"<svg onload=alert(1)>", "cannot be decoded"),
        (png()[:40], "cannot be decoded"),
        (b"GIF89a" + b"\xff" * 99, "cannot be decoded"),
        (b"x" * (pictures.MOST_BYTES + 1), "larger than 2 MB"),
        (png(20_000, 801, "1"), "more than 16,000,000 pixels"),
    ],
)
def test_bytes_that_are_no_picture_are_refused(content: bytes, reason: str) -> None:
    with pytest.raises(PictureRefused, match=reason):
        encoded_anew(content)


def test_a_picture_that_is_refused_says_so_in_its_place() -> None:
    made = card(f"![x]({address(b'no picture')}) after")
    assert markup.text(made.html) == "[image: x] it cannot be decoded after\n"


@pytest.mark.parametrize(
    "text",
    [
        "data:image/svg+xml;base64,AAAA",
        "data:text/html;base64,AAAA",
        "data:image/png,AAAA",
        "data:image/png;base64,A",
    ],
)
def test_other_data_addresses_are_none(text: str) -> None:
    with pytest.raises(PictureRefused):
        data_picture(text)


@pytest.mark.parametrize("kind", ["data", "file"])
def test_the_number_of_pictures_in_a_card_is_limited_and_one_twice_counts_once(kind: str) -> None:
    settings = RenderSettings(max_pictures=1)
    one, two = (address(png()), address(png(4, 4))) if kind == "data" else ("a.png", "b.png")
    made = card(f"![a]({one}) ![a]({one}) ![b]({two})", settings)
    assert [slot.words for slot in made.pictures] == ["a", "a"]
    named = "" if kind == "data" else " (b.png)"
    assert f"[image: b]{named} more than 1 pictures in one card" in markup.text(made.html)


@pytest.mark.parametrize("form", ["```\n![x]({})\n```", "`![x]({})`", "    ![x]({})", "[x]({})"])
def test_an_address_that_is_no_picture_stays_whole(form: str) -> None:
    data = address(png())
    made = card(form.format(data))
    assert data in markup.text(made.html)
    assert made.pictures == ()


def test_pictures_of_an_allowed_host_come_by_way_of_our_server() -> None:
    settings = RenderSettings(image_hosts=("images.example",))
    made = card("![x](https://images.example/a.png?b=c&d=%20)", settings)
    assert 'src="/cards/picture/?url=https%3A%2F%2Fimages.example%2Fa.png%3Fb%3Dc%26d%3D%2520"' in made.html


@pytest.mark.parametrize(
    "url",
    ["http://images.example/a.png", "https://other.example/a.png", "https://images.example@evil.example/"],
)
def test_pictures_of_other_hosts_stay_links(url: str) -> None:
    assert "<img" not in card(f"![x]({url})", RenderSettings(image_hosts=("images.example",))).html
