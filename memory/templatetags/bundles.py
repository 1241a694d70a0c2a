"""What a page needs of the bundles, where they were built."""

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memory.bundles import KINDS, bundle_url

register = template.Library()


@register.simple_tag
def math_font() -> SafeString | str:
    """Return the link to the font of formulas."""
    url = bundle_url("math.css")
    return format_html('<link rel="stylesheet" href="{}">', url) if url else ""


@register.simple_tag
def frames_address() -> str:
    """Return where a page finds the frames that draw; empty where there are none."""
    if not all(bundle_url(f"{kind}.js") for kind in KINDS):
        return ""
    return reverse("frame", args=[KINDS[0]]).removesuffix(f"{KINDS[0]}/")
