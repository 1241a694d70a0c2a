"""Why what a person sent is not taken."""


class RefusedInput(Exception):
    """A message cannot be taken; the text names the remedy."""
