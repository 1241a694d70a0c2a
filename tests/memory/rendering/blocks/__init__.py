"""The kinds of block a card can hold."""
