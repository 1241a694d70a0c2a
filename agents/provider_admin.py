"""The admin page of provider keys: a key goes in and never comes out again."""

from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from agents.admin_types import ModelAdmin, ModelForm
from agents.encryption import CannotEncrypt, encrypt
from agents.models import ProviderKey
from agents.provider_keys import set_key

MOST_KEY_CHARACTERS = 500


class ProviderKeyForm(ModelForm):
    """A key is typed anew or left as it is; it is never sent to the browser."""

    new_key = forms.CharField(
        required=False,
        strip=True,
        max_length=MOST_KEY_CHARACTERS,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "off"}),
        help_text="Leave it empty to keep the key as it is.",
    )
    remove_key = forms.BooleanField(required=False, help_text="The server wants no key.")

    class Meta:
        model = ProviderKey
        fields = ("provider", "base_url")

    def clean_base_url(self) -> str:
        """Return the address without a slash at its end."""
        address = str(self.cleaned_data["base_url"]).strip().rstrip("/")
        try:
            parts = urlsplit(address)
            is_address = not address or (parts.scheme in {"http", "https"} and bool(parts.hostname))
        except ValueError:
            is_address = False
        if not is_address or "@" in address or "?" in address or "#" in address:
            raise ValidationError("Write an address such as https://llm.example.org/v1, without a password.")
        return address

    def clean_new_key(self) -> str:
        """Return the key, which goes into a header."""
        key = str(self.cleaned_data["new_key"])
        if not key.isascii() or not key.isprintable() or " " in key:
            raise ValidationError("A key has no blanks and only letters, digits and signs.")
        if key:
            try:
                encrypt("", "")
            except CannotEncrypt as fault:
                raise ValidationError(str(fault)) from None
        return key

    def clean(self) -> dict[str, Any]:
        """Return the checked values."""
        cleaned = super().clean() or self.cleaned_data
        key, is_removed = cleaned.get("new_key"), cleaned.get("remove_key")
        if key and is_removed:
            self.add_error("remove_key", "Type a key or remove it, not both.")
        moved = {"base_url", "provider"} & set(self.changed_data)
        # Otherwise whoever may edit an address could have the key sent to it.
        if self.instance.encrypted_key and moved and not key and not is_removed:
            self.add_error("new_key", "Enter the key again: it is not sent to another address unseen.")
        return cleaned


class ProviderKeyAdmin(ModelAdmin):
    """How providers are reached; shows whether a key is set, and its end."""

    form = ProviderKeyForm
    fields = ("provider", "base_url", "key", "new_key", "remove_key")
    readonly_fields = ("key",)
    list_display = ("provider", "base_url", "key", "changed_by", "changed_at")
    list_select_related = ("changed_by",)

    @admin.display(description="key")
    def key(self, row: ProviderKey) -> str:
        """Return whether there is a key, never the key."""
        if not row.encrypted_key:
            return "none"
        return f"set, ends in {row.ending}" if row.ending else "set"

    def save_model(self, request: HttpRequest, obj: ProviderKey, form: Any, change: bool) -> None:
        """Store the row with the key that was typed."""
        if form.cleaned_data["new_key"] or form.cleaned_data["remove_key"]:
            set_key(obj, form.cleaned_data["new_key"])
        obj.changed_by_id = request.user.pk
        super().save_model(request, obj, form, change)
