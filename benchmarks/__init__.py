"""Measurements, side by side with what others use; `make bench` runs them."""
