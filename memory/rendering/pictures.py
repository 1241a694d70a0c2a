"""Pictures of cards: decoded under limits and encoded anew, and the places that wait for them."""

import base64
import binascii
import hashlib
import io
import re
from dataclasses import dataclass

from PIL import Image, ImageOps, UnidentifiedImageError

MOST_BYTES = 2 * 1024 * 1024
MOST_PIXELS = 16_000_000
# What people attach comes from cameras.
MOST_ATTACHED_BYTES = 20 * 1024 * 1024
MOST_ATTACHED_PIXELS = 50_000_000
LONGEST_SIDE = 1_600
FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
PICTURE_MARK = re.compile(r'<span data-picture="[0-9a-f]{16}-[0-9]{1,5}"></span>')
"""What stands in the place of a picture; nobody outside one render knows its first digits."""

DATA_ADDRESS = re.compile(r"data:image/(?:png|jpe?g|gif|webp);base64,([A-Za-z0-9+/]+={0,2})")


class PictureRefused(Exception):
    """Bytes are no picture that is shown; the text says why."""


@dataclass(frozen=True)
class Picture:
    """A picture as it is served.

    Attributes:
        key: SHA-256 of the content, in hexadecimal digits.
        content: WebP without the metadata of what it was made from.
        width: in pixels, as is the height.
    """

    key: str
    content: bytes
    width: int
    height: int


@dataclass(frozen=True)
class PictureSlot:
    """A place in a card for a picture, which is filled when a session shows the card.

    Attributes:
        mark: the HTML that stands there until then.
        words: what describes the picture.
        made: the picture that came inside the value; None for a file of the workspace.
        path: that file, as the card names it.
        title: what the card says about it besides.
    """

    mark: str
    words: str
    made: Picture | None = None
    path: str = ""
    title: str = ""


@dataclass(frozen=True)
class ShownPicture:
    """Where a session's picture is served; ``width`` and ``height`` are in pixels."""

    address: str
    width: int
    height: int


def data_picture(address: str) -> Picture:
    """Return the picture of a data address.

    Raises:
        PictureRefused: when it holds none, or one over a limit.
    """
    found = DATA_ADDRESS.fullmatch(address)
    if found is None:
        raise PictureRefused("no PNG, JPEG, GIF or WebP in base64")
    try:
        return encoded_anew(base64.b64decode(found[1], validate=True))
    except binascii.Error as error:
        raise PictureRefused("broken base64") from error


def encoded_anew(content: bytes, *, most_bytes: int = MOST_BYTES, most_pixels: int = MOST_PIXELS) -> Picture:
    """Return the first frame of a raster picture, upright and made small enough to be shown.

    Raises:
        PictureRefused: when it is none, or over a limit.
    """
    if len(content) > most_bytes:
        raise PictureRefused(f"larger than {most_bytes // 1024**2} MB")
    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as image:
            if image.width * image.height > most_pixels:
                raise PictureRefused(f"more than {most_pixels:,} pixels")
            # Decoders that can leave pixels out at once do so.
            image.draft(None, (LONGEST_SIDE, LONGEST_SIDE))
            has_alpha = image.mode in {"LA", "PA", "RGBA"} or "transparency" in image.info
            pixels = image.convert("RGBA" if has_alpha else "RGB")
    # Decoders meet hostile bytes with many kinds of error.
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, MemoryError) as error:
        raise PictureRefused("it cannot be decoded") from error
    except Image.DecompressionBombError as error:
        raise PictureRefused(f"more than {most_pixels:,} pixels") from error
    pixels.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    ImageOps.exif_transpose(pixels, in_place=True)
    made = io.BytesIO()
    pixels.save(made, "WEBP", quality=85, exif=b"")
    return Picture(hashlib.sha256(made.getvalue()).hexdigest(), made.getvalue(), *pixels.size)
