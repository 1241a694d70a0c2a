"""Management commands of the product."""
