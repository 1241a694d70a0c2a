"""The stores as plugins of a context, without Django."""
