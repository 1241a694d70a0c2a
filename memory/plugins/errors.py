"""The errors of the stores; every message tells a model or a programmer how to call correctly."""


class StoreError(Exception):
    """Base of everything a store raises on purpose; the store is unchanged when one is raised."""


class InvalidEntry(StoreError, ValueError):
    """A key, description, option or value breaks a rule of the store."""


class StoreFull(StoreError):
    """A write cannot fit even after every eviction the rules allow; nothing was evicted for it.

    Attributes:
        key: the key whose write was refused.
        needed: what the store would hold afterwards, in the unit of ``limit`` (bytes, tokens or entries).
        limit: the limit that stands in the way.
    """

    def __init__(self, message: str, *, key: str, needed: int, limit: int) -> None:
        super().__init__(message)
        self.key = key
        self.needed = needed
        self.limit = limit


class Destroyed(StoreError):
    """The store was destroyed and holds nothing any more; create a new one."""
