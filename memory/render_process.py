"""The render process of this process: everything that decodes or parses what a model wrote happens there."""

import atexit
from dataclasses import replace

from django.conf import settings

from memory.rendering.child import RenderChild
from memory.rendering.guard import DEFAULT_SETTINGS

child = RenderChild(replace(DEFAULT_SETTINGS, image_hosts=tuple(settings.CARDS_IMAGE_HOSTS)))
atexit.register(child.close)
