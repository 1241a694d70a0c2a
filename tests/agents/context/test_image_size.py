import base64
import struct

import pytest

from agents.context.image_size import size_of_base64, size_of_url


def encoded(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def png(width: int, height: int) -> bytes:
    return (
        b"\x89PNG\r\n\x1a\n"
        + b"\x00\x00\x00\rIHDR"
        + struct.pack(">II", width, height)
        + b"\x08\x02\x00\x00\x00"
    )


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x00\x00"


def jpeg(width: int, height: int, before: bytes = b"") -> bytes:
    frame = b"\xff\xc0\x00\x11\x08" + struct.pack(">HH", height, width) + b"\x03" + b"\x00" * 9
    return b"\xff\xd8\xff\xe0\x00\x04AB" + before + frame


def webp_lossy(width: int, height: int) -> bytes:
    return b"RIFF\x00\x00\x00\x00WEBPVP8 \x00\x00\x00\x00\x30\x01\x00\x9d\x01\x2a" + struct.pack(
        "<HH", width, height
    )


def webp_lossless(width: int, height: int) -> bytes:
    bits = (width - 1) | (height - 1) << 14
    return b"RIFF\x00\x00\x00\x00WEBPVP8L\x00\x00\x00\x00\x2f" + struct.pack("<I", bits) + b"\x00" * 5


def webp_extended(width: int, height: int) -> bytes:
    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x10\x00\x00\x00" + size


@pytest.mark.parametrize("make", [png, gif, jpeg, webp_lossy, webp_lossless, webp_extended])
def test_the_size_stands_in_the_first_bytes(make: object) -> None:
    assert callable(make)
    assert size_of_base64(encoded(make(640, 480))) == (640, 480)


def test_a_table_before_the_frame_of_a_jpeg_is_passed_over() -> None:
    table = b"\xff\xc4\x00\x06\x01\x02\x03\x04"
    assert size_of_base64(encoded(jpeg(3, 2, table))) == (3, 2)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"plain text",
        png(1, 1)[:20],
        gif(1, 1)[:8],
        webp_lossy(1, 1)[:28],
        webp_lossy(1, 1).replace(b"\x9d", b"\x00"),
        webp_lossless(1, 1).replace(b"\x2f", b"\x00"),
        webp_extended(1, 1).replace(b"VP8X", b"ANIM"),
        b"\xff\xd8",
        b"\xff\xd8\xff\xe0\x00\x04AB",
        b"\xff\xd8AAAAAAAAAAAA",
    ],
)
def test_what_cannot_be_read_has_no_size(raw: bytes) -> None:
    assert size_of_base64(encoded(raw)) is None


@pytest.mark.parametrize("data", ["****", "ä" * 8])
def test_what_is_no_base64_has_no_size(data: str) -> None:
    assert size_of_base64(data) is None


def test_only_the_beginning_of_a_large_image_is_read() -> None:
    assert size_of_base64(encoded(png(1920, 1080) + b"\x00" * 1_000_000)) == (1920, 1080)


def test_a_data_url_has_a_size_and_other_addresses_have_none() -> None:
    data = encoded(png(256, 256))
    assert size_of_url(f"data:image/png;base64,{data}") == (256, 256)
    for url in (
        "https://example.org/a.png",
        "data:image/png;base64",
        "data:text/plain,hello",
        f"http:;base64,{data}",
    ):
        assert size_of_url(url) is None
