"""Hostile text against the renderer, in a real browser and without a content policy."""
