"""Whether another connection wrote to a SQLite database: how embedded mode hears other processes."""

import logging
import sqlite3
from pathlib import Path
from types import TracebackType

from django.db import connection

logger = logging.getLogger(__name__)


class DataVersion:
    """A connection of its own that only ever asks for SQLite's data version.

    Use it from one thread at a time; which thread does not matter. A file that is missing or locked counts
    as unchanged, since the sweep looks at the rows anyway.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._last: int | None = None

    def has_changed(self) -> bool:
        """Return whether anything was committed since the last call; the first call only looks."""
        try:
            version = self._ask()
        except sqlite3.OperationalError as fault:
            logger.debug("The data version of %s is not to be had: %s", self._path.name, fault)
            self.close()
            return False
        before, self._last = self._last, version
        return before is not None and before != version

    def close(self) -> None:
        """Close the connection; the next call opens it again and only looks."""
        if self._connection is not None:
            self._connection.close()
        self._connection = self._last = None

    def __enter__(self) -> "DataVersion":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self) -> int:
        if self._connection is None:
            # Never create the file; never wait: somebody else's write is not this loop's business.
            place = f"{self._path.absolute().as_uri()}?mode=rw"
            self._connection = sqlite3.connect(place, uri=True, timeout=0, check_same_thread=False)
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        return int(version)


def of_default_database() -> DataVersion | None:
    """Return the data version of the default database; None when it is no SQLite file."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor != "sqlite" or name == ":memory:" or name.startswith("file:"):
        return None
    return DataVersion(Path(name))
