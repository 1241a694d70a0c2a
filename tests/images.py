"""Small pictures for tests."""

import io

from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image


def picture(kind: str = "PNG", width: int = 40, height: int = 30, **more: object) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (width, height), (200, 30, 30)).save(made, kind, **more)
    return made.getvalue()


def upload(content: bytes | None = None, name: str = "screen.png") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, picture() if content is None else content)
