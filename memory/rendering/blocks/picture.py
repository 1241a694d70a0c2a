"""Pictures in cards: from inside the value, from the session's workspace, or from an allowed host."""

from urllib.parse import quote

from memory.rendering.fill import Draft
from memory.rendering.links import is_safe_url, web_host, workspace_path
from memory.rendering.pictures import PictureRefused, PictureSlot, data_picture
from memory.rendering.sanitize import IMAGE_BEHAVIOUR, SafeHTML, escape, hidden_image_html, title_attribute

_PLACE = "/cards/picture/"


def picture_html(address: str, words: str, title: str, draft: Draft) -> str:
    """Return the image of an address, or a place for it; an empty text for what is never shown."""
    words, title = draft.restore(words), draft.restore(title)
    path = workspace_path(draft.restore(address))
    if path or address.startswith("data:image/"):
        return _place(path or draft.restore(address), words, title, draft, is_file=bool(path))
    is_allowed = is_safe_url(address) and web_host(address) in draft.settings.image_hosts
    if not (is_allowed and address.startswith("https://")):
        return ""
    described = f'alt="{escape(words)}"{title_attribute(title)}'
    return f'<img src="{_PLACE}?url={quote(address, safe="")}" {described} {IMAGE_BEHAVIOUR}>'


def _place(source: str, words: str, title: str, draft: Draft, *, is_file: bool) -> str:
    """Return a place for a picture; one that comes again is not decoded and not counted again."""
    if source not in draft.sources:
        if len(draft.sources) >= draft.settings.max_pictures:
            reason = f"more than {draft.settings.max_pictures} pictures in one card"
            return hidden_image_html(words, reason, address=source if is_file else None, title=title)
        try:
            draft.sources[source] = None if is_file else data_picture(source)
        except PictureRefused as refusal:
            return hidden_image_html(words, str(refusal), title=title)
    mark = SafeHTML(f'<span data-picture="{draft.nonce}-{len(draft.pictures)}"></span>')
    path = source if is_file else ""
    draft.pictures.append(PictureSlot(mark, words, draft.sources[source], path, title))
    return draft.slot(mark)
