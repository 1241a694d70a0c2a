"""Template tags of memory."""
