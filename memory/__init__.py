"""What agents remember, and how people see it."""
