"""Pages of sessions and agents."""
