"""Identifiers for public rows: unguessable, and ordered by the time they were made."""

import secrets
import time
import uuid


def uuid7() -> uuid.UUID:
    """Return a version 7 UUID (RFC 9562): 48 bits of epoch milliseconds, then 74 random bits."""
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & (2**48 - 1)) << 80 | secrets.randbits(80)
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return uuid.UUID(int=value)
