"""Picture: an image of an allowed host, encoded anew by us."""

from django.db import models


class Picture(models.Model):
    """One picture as it was fetched from its address."""

    # SHA-256 of "address:" and the address.
    key = models.CharField(max_length=64, primary_key=True)
    content = models.BinaryField()
    address = models.TextField(blank=True)
    made_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.address
