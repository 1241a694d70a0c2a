"""ProviderKey: how one model provider is reached, set by an admin in place of the environment."""

from django.conf import settings
from django.db import models


class ProviderKey(models.Model):
    """A provider's address and encrypted key; while the row exists, the environment's are not used."""

    class Provider(models.TextChoices):
        """Providers as profiles name them; both dialects of OpenAI share one key."""

        OPENAI = "openai", "OpenAI"
        ANTHROPIC = "anthropic", "Anthropic"
        GOOGLE = "google", "Google"
        COMPATIBLE = "compatible", "OpenAI-compatible server (vLLM, Ollama)"

    provider = models.CharField(max_length=20, choices=Provider.choices, unique=True)
    # Where the API begins, for example http://127.0.0.1:11434/v1; empty: the provider's own address.
    base_url = models.CharField("base URL", max_length=300, blank=True)
    # Only agents.provider_keys reads and writes it; empty: the server wants no key.
    encrypted_key = models.TextField(blank=True, editable=False)
    # The end of a long key, so that people tell keys apart.
    ending = models.CharField(max_length=4, blank=True, editable=False)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
    )
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["provider"]

    def __str__(self) -> str:
        return self.get_provider_display()
