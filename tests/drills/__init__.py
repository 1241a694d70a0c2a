"""Drills: processes and services die in the middle of turns; afterwards everything must be right."""
