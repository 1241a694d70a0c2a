"""Pictures in cards: from inside the value, or from an allowed host by way of our server."""

from urllib.parse import quote

from memory.rendering.fill import Draft
from memory.rendering.links import is_safe_url, web_host
from memory.rendering.pictures import PictureRefused, data_picture
from memory.rendering.sanitize import escape

_BEHAVIOUR = 'class="md-picture" loading="lazy" decoding="async" referrerpolicy="no-referrer"'
_PLACE = "/cards/picture/"


def picture_html(address: str, words: str, draft: Draft) -> str:
    """Return the image of an address that may be shown; an empty text for any other."""
    if address.startswith("data:image/"):
        return _inner_picture(draft.restore(address), words, draft)
    is_allowed = is_safe_url(address) and web_host(address) in draft.settings.image_hosts
    if not (is_allowed and address.startswith("https://")):
        return ""
    return f'<img src="{_PLACE}?url={quote(address, safe="")}" alt="{escape(words)}" {_BEHAVIOUR}>'


def _inner_picture(address: str, words: str, draft: Draft) -> str:
    try:
        picture = data_picture(address)
    except PictureRefused as refusal:
        return _not_shown(words, str(refusal))
    if picture.key not in draft.pictures and len(draft.pictures) >= draft.settings.max_pictures:
        return _not_shown(words, f"more than {draft.settings.max_pictures} pictures in one card")
    draft.pictures[picture.key] = picture
    return (
        f'<img src="{_PLACE}{picture.key}" alt="{escape(words)}" width="{picture.width}" '
        f'height="{picture.height}" {_BEHAVIOUR}>'
    )


def _not_shown(words: str, reason: str) -> str:
    label = f'<span class="md-image">[image: {escape(words)}]</span>'
    return f'{label} <span class="md-reason">{escape(reason)}</span>'
