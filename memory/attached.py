"""Images that people attach to messages, decoded in a process of their own."""

import atexit

from memory.rendering.child import RenderChild
from memory.rendering.pictures import MOST_ATTACHED_BYTES, MOST_ATTACHED_PIXELS, Picture, PictureRefused

LIMIT_S = 15.0

# Photographs take longer than cards, which must not wait for them.
_child = RenderChild(time_limit_s=LIMIT_S)
atexit.register(_child.close)


def attached_image(content: bytes) -> Picture:
    """Return `pictures.encoded_anew` of what a person attached; it may wait, so never in a transaction.

    Raises:
        ValueError: saying why it is not taken.
    """
    try:
        return _child.encoded_anew(content, most_bytes=MOST_ATTACHED_BYTES, most_pixels=MOST_ATTACHED_PIXELS)
    except PictureRefused as refusal:
        raise ValueError(str(refusal)) from refusal
