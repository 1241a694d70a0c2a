"""Rows of memory: stores, their entries and history, and what people want to see of them."""

from memory.models.card_layout import CardLayout
from memory.models.entry import Entry
from memory.models.entry_revision import EntryRevision
from memory.models.picture import Picture
from memory.models.pin import Pin
from memory.models.session_picture import SessionPicture
from memory.models.store import Store

__all__ = ["CardLayout", "Entry", "EntryRevision", "Picture", "Pin", "SessionPicture", "Store"]
