"""Picture: an image that cards show, encoded anew by us."""

from django.db import models


class Picture(models.Model):
    """One picture, found by what it is: cards hold only its key, in an address nobody can guess."""

    # SHA-256 of the content, or of "address:" and the address it was fetched from.
    key = models.CharField(max_length=64, primary_key=True)
    content = models.BinaryField()
    # Empty for pictures that came inside a value.
    address = models.TextField(blank=True)
    made_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.address or self.key[:12]
