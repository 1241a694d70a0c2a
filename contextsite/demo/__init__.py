"""The demonstration: an agent without a model key that surveys a folder with real tools."""
