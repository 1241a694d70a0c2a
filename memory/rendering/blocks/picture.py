"""Pictures in cards: from inside the value, from the session's workspace, or from an allowed host."""

from urllib.parse import quote

from memory.rendering.fill import Draft
from memory.rendering.links import is_safe_url, web_host, workspace_path
from memory.rendering.pictures import Picture, PictureRefused, PictureSlot, data_picture
from memory.rendering.sanitize import IMAGE_BEHAVIOUR, SafeHTML, escape, hidden_image_html

_PLACE = "/cards/picture/"


def picture_html(address: str, words: str, draft: Draft) -> str:
    """Return the image of an address, or a place for it; an empty text for what is never shown."""
    words = draft.restore(words)
    if address.startswith("data:image/"):
        return _inner_picture(draft.restore(address), words, draft)
    path = workspace_path(draft.restore(address))
    if path:
        return _place(words, draft, path=path)
    is_allowed = is_safe_url(address) and web_host(address) in draft.settings.image_hosts
    if not (is_allowed and address.startswith("https://")):
        return ""
    return f'<img src="{_PLACE}?url={quote(address, safe="")}" alt="{escape(words)}" {IMAGE_BEHAVIOUR}>'


def _inner_picture(address: str, words: str, draft: Draft) -> str:
    try:
        return _place(words, draft, made=data_picture(address))
    except PictureRefused as refusal:
        return hidden_image_html(words, str(refusal))


def _place(words: str, draft: Draft, *, made: Picture | None = None, path: str = "") -> str:
    shown = {slot.made.key if slot.made else slot.path for slot in draft.pictures}
    if (made.key if made else path) not in shown and len(shown) >= draft.settings.max_pictures:
        return hidden_image_html(words, f"more than {draft.settings.max_pictures} pictures in one card")
    mark = SafeHTML(f'<span data-picture="{draft.nonce}-{len(draft.pictures)}"></span>')
    draft.pictures.append(PictureSlot(mark, words, made, path))
    return draft.slot(mark)
