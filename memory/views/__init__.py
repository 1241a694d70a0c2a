"""Pages and actions of the whiteboard."""
