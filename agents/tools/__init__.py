"""Tools that any agent may be given; they know nothing of the product."""
