"""The render processes of this process: all that decodes or parses what a model wrote happens there."""

import atexit
from dataclasses import replace
from functools import partial

from django.conf import settings

from memory.rendering.child import RenderChild
from memory.rendering.guard import DEFAULT_SETTINGS
from memory.rendering.pool import RenderPool

_SETTINGS = replace(DEFAULT_SETTINGS, image_hosts=tuple(settings.CARDS_IMAGE_HOSTS))

pool = RenderPool(partial(RenderChild, _SETTINGS))
atexit.register(pool.close)
