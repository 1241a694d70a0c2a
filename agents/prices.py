"""What a model call costs, by the published prices of its provider."""

from decimal import Decimal

from genai_prices import Usage as PricedUsage
from genai_prices import calc_price

from agents.connectors.base import Usage
from agents.context.models import split_model

# Provider of a profile to the name under which its prices are published; others have no known price.
PRICED = {"openai": "openai", "openai-responses": "openai", "anthropic": "anthropic", "google": "google"}


def cost_of(model_asked: str, model_answered: str, usage: Usage) -> Decimal | None:
    """Return the cost of a call in US dollars; None when its price or its usage is not known.

    ``model_asked`` has its provider (``openai:gpt-4.1``); ``model_answered`` is the exact name that answered,
    empty when unknown.
    """
    provider, name = split_model(model_asked)
    if provider not in PRICED or usage.input_tokens is None or usage.output_tokens is None:
        return None
    priced = PricedUsage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cached_tokens or 0,
        cache_write_tokens=usage.cache_write_tokens or 0,
    )
    for model in filter(None, (model_answered, name)):
        try:
            price = calc_price(priced, model, provider_id=PRICED[provider])
        except (LookupError, ValueError):
            continue
        return price.total_price
    return None
