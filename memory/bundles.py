"""The files that npm packages are bundled into at set-up; without Node there are none and all works."""

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import ManifestFilesMixin, staticfiles_storage
from django.templatetags.static import static

KINDS = ("mermaid", "vega-lite", "markmap")


def bundle_url(name: str) -> str:
    """Return the address of a bundled file, or an empty text when it was not built."""
    path = f"bundles/{name}"
    try:
        url = static(path)
    except ValueError:  # It is not among the collected files.
        return ""
    return url if isinstance(staticfiles_storage, ManifestFilesMixin) or finders.find(path) else ""
