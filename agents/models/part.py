"""Part: a piece of request bodies, stored once however many requests hold it."""

from django.db import models


class Part(models.Model):
    """Some bytes under their own digest."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    # Compressed with zlib.
    data = models.BinaryField()
    # The last day on which a request held it; parts unused for longer than bodies are kept are dropped.
    used_on = models.DateField(db_index=True)

    def __str__(self) -> str:
        return self.sha256[:12]
