"""SessionPicture: an image that cards and messages of a session show, encoded anew by us."""

from django.db import models

from agents.models import AgentSession


class SessionPicture(models.Model):
    """One picture of one session; whoever may see the session may see it, and it goes with the session."""

    session = models.ForeignKey(AgentSession, on_delete=models.CASCADE, related_name="+")
    # SHA-256 of the content, or of the file of the workspace that it was made from.
    key = models.CharField(max_length=64)
    content = models.BinaryField()
    # In pixels.
    width = models.PositiveSmallIntegerField()
    height = models.PositiveSmallIntegerField()
    # When something that shows it was last made for a page, give or take a day.
    used_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "key"], name="picture_once_per_session"),
        ]

    def __str__(self) -> str:
        return self.key[:12]
