"""Where plugins meet rows: the only place that knows both an entry of a plugin and its row."""

from memory.bindings.notes import NotesBinding, notes_of, open_notes
from memory.bindings.stored import revisions_of
from memory.bindings.whiteboard import (
    WHITEBOARD,
    StoredWhiteboard,
    WhiteboardBinding,
    board_at,
    board_options,
    change_board,
    open_board,
    whiteboard_of,
)

__all__ = [
    "WHITEBOARD",
    "NotesBinding",
    "StoredWhiteboard",
    "WhiteboardBinding",
    "board_at",
    "board_options",
    "change_board",
    "notes_of",
    "open_board",
    "open_notes",
    "revisions_of",
    "whiteboard_of",
]
