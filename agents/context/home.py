"""The folder of this computer that holds what the library keeps between processes."""

import os
from pathlib import Path


def home_folder() -> Path:
    """Return ``CONTEXTSITE_HOME`` or ``~/.contextsite``; the folder may not exist yet.

    Raises:
        RuntimeError: when neither the variable nor a home directory of the user is known.
    """
    configured = os.environ.get("CONTEXTSITE_HOME")
    return Path(configured) if configured else Path.home() / ".contextsite"
