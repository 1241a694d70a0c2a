"""Which images every provider takes: asked when one comes in, where it can still be mended."""

from __future__ import annotations

import base64
import binascii
import re

from agents.context.image_size import size_of_base64

_WEB = ("https://", "http://")
IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_DATA_URL = re.compile(r"data:(?P<type>[^;,]*)(?P<base64>;base64)?,(?P<data>.*)", re.DOTALL)
# Far more than any provider looks at; who sends more has sent nonsense, and the whole prompt is refused.
MOST_PIXELS = 50_000_000
DETAILS = ("auto", "low", "high")
# How an image is sent whose type nobody said.
UNKNOWN_TYPE = "image/png"


def fault_of_url(url: str) -> str | None:
    """Return what is wrong with the address of an image and how to mend it, None when nothing is."""
    if url.startswith(_WEB):
        return None
    found = _DATA_URL.fullmatch(url)
    if found is None or not found["base64"]:
        return "give an http(s) address, or the image itself as data:image/png;base64,…"
    return fault_of_data(found["data"], found["type"])


def fault_of_result(image: object) -> str | None:
    """Return what is wrong with an image of a tool result: ``{base64, mediaType}`` or ``{url}``."""
    if not isinstance(image, dict):
        return "an image is given as {base64, mediaType} or as {url}"
    data = image.get("base64")
    if isinstance(data, str) and data:
        return fault_of_data(data, str(image.get("mediaType") or UNKNOWN_TYPE))
    return fault_of_url(str(image.get("url")))


def fault_of_data(data: str, media_type: str) -> str | None:
    """Return what is wrong with an image in base64 and how to mend it, None when nothing is."""
    if media_type.lower() not in IMAGE_TYPES:
        return (
            f"images are of type {', '.join(IMAGE_TYPES)}; convert {media_type[:40] or 'it'} to one of them"
        )
    try:
        decoded = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return "the data is not base64; encode the bytes of the image again"
    if not decoded:
        return "there is no data; encode the bytes of the image"
    width, height = size_of_base64(data) or (0, 0)
    if width * height > MOST_PIXELS:
        return f"it says that it has {width:,} by {height:,} pixels; scale it down to {MOST_PIXELS:,} at most"
    return None
