"""The agentic loop, without Django."""
