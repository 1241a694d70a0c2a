"""Images that people attach to a message: checked, encoded anew, and kept in the turn's input."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.urls import reverse
from django.utils.module_loading import import_string

from agents.context import json_values
from agents.context.image_size import size_of_url
from agents.context.images import IMAGE_TYPES
from agents.context.messages import InputImage
from agents.models import AgentSession, Message
from agents.refusals import RefusedInput

MOST_IMAGES = 8
# Of all images of a message together, as they are sent to us.
MOST_BYTES = 20 * 1024 * 1024
_SHOWN_NAME_CHARACTERS = 60
_HELD = tuple(f"data:{kind};base64," for kind in IMAGE_TYPES)
_REMEDY = "Attach a PNG, JPEG, GIF or WebP of at most 50 megapixels and 20 MB, or leave it out."


@dataclass(frozen=True)
class ImageView:
    """An image as a template shows it; sizes are in pixels, None when unknown."""

    url: str
    width: int | None
    height: int | None


def image_blocks(files: Sequence[UploadedFile[Any]]) -> list[InputImage]:
    """Return the files as blocks of a message; it takes its time, so never call it in a transaction.

    Raises:
        RefusedInput: there are too many, or one of them is no picture, or too large.
    """
    if len(files) > MOST_IMAGES:
        raise RefusedInput(
            f"The message has {len(files)} images; at most {MOST_IMAGES} fit. "
            "Send some with a second message."
        )
    if sum(each.size or 0 for each in files) > MOST_BYTES:
        raise RefusedInput(
            f"The images are larger than {MOST_BYTES // 1024**2} MB together. "
            "Remove some, or make them smaller."
        )
    return [_block(each) for each in files]


def image_views(session: AgentSession, message_id: UUID, blocks: Sequence[Any]) -> list[ImageView]:
    """Return the images of a message that its page can show; pictures of other sites are not among them."""
    views = []
    for place, block in enumerate(blocks):
        if is_shown(block):
            width, height = size_of_url(block["image_url"]["url"]) or (None, None)
            url = reverse("message-image", args=[session.pk, message_id, place])
            views.append(ImageView(url, width, height))
    return views


def image_of(session: AgentSession, message_id: UUID, place: int) -> tuple[str, bytes] | None:
    """Return type and bytes of an image of a message, or of one that waits for its turn."""
    stored = Message.objects.filter(session=session, pk=message_id).values_list("blocks", flat=True).first()
    waiting = session.turns.filter(pk=message_id).values_list("input", flat=True)
    blocks = waiting.first() if stored is None else stored
    if not isinstance(blocks, list) or place >= len(blocks) or not is_shown(blocks[place]):
        return None
    head, _, data = blocks[place]["image_url"]["url"].partition(",")
    return head.removeprefix("data:").removesuffix(";base64"), base64.b64decode(data)


def is_shown(block: object) -> bool:
    """Tell whether the block of a message is an image that we hold ourselves."""
    if not isinstance(block, Mapping) or block.get("type") != "input_image_url":
        return False
    return str(block["image_url"]["url"]).startswith(_HELD)


def _block(file: UploadedFile[Any]) -> InputImage:
    encode = import_string(settings.IMAGE_ENCODER)
    try:
        content: bytes = encode(file.read()).content
    except ValueError as refusal:
        name = json_values.repair_text(file.name or "An image")
        shown = name if len(name) <= _SHOWN_NAME_CHARACTERS else f"{name[:_SHOWN_NAME_CHARACTERS]}…"
        raise RefusedInput(f"{shown} cannot be attached: {refusal}. {_REMEDY}") from refusal
    data = base64.b64encode(content).decode()
    return {"type": "input_image_url", "image_url": {"url": f"data:image/webp;base64,{data}"}}
