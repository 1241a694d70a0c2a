"""Whiteboard values and messages as safe HTML; knows no web framework."""
