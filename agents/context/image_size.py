"""The size of an image in pixels, read from the first bytes of its data."""

from __future__ import annotations

import base64
import binascii
import struct

# Enough for the headers below; a JPEG with a large preview in front stays unknown.
_HEAD_CHARACTERS = 64 * 1024
_PNG = b"\x89PNG\r\n\x1a\n"
_GIF = (b"GIF87a", b"GIF89a")
# Start-of-frame markers of JPEG: C0 to CF without the tables C4, C8, CC.
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}

Size = tuple[int, int]


def size_of_url(url: str) -> Size | None:
    """Return width and height of the image in a data URL, None for other addresses and unknown formats."""
    head, comma, data = url[:_HEAD_CHARACTERS].partition(",")
    if not comma or not head.startswith("data:") or not head.endswith(";base64"):
        return None
    return size_of_base64(data)


def size_of_base64(data: str) -> Size | None:
    """Return width and height of a PNG, GIF, JPEG or WebP in base64, None when they cannot be read."""
    usable = data[: min(len(data), _HEAD_CHARACTERS) // 4 * 4]
    try:
        raw = base64.b64decode(usable, validate=True)
    except (binascii.Error, ValueError):
        return None
    if raw.startswith(_PNG) and len(raw) >= 24:
        width, height = struct.unpack(">II", raw[16:24])
        return width, height
    if raw.startswith(_GIF) and len(raw) >= 10:
        width, height = struct.unpack("<HH", raw[6:10])
        return width, height
    if raw.startswith(b"RIFF") and raw[8:12] == b"WEBP" and len(raw) >= 30:
        return _size_of_webp(raw)
    return _size_of_jpeg(raw) if raw.startswith(b"\xff\xd8") else None


def _size_of_jpeg(raw: bytes) -> Size | None:
    place = 2
    while place + 9 <= len(raw) and raw[place] == 0xFF:
        if raw[place + 1] in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", raw[place + 5 : place + 9])
            return width, height
        place += 2 + int.from_bytes(raw[place + 2 : place + 4], "big")
    return None


def _size_of_webp(raw: bytes) -> Size | None:
    match raw[12:16]:
        case b"VP8 " if raw[23:26] == b"\x9d\x01\x2a":
            width, height = struct.unpack("<HH", raw[26:30])
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L" if raw[20] == 0x2F:
            (bits,) = struct.unpack("<I", raw[21:25])
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            return int.from_bytes(raw[24:27], "little") + 1, int.from_bytes(raw[27:30], "little") + 1
    return None
