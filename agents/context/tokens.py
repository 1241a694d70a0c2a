"""How many tokens a text, a value or an image costs: counted exactly, or estimated from its length."""

import functools
import math
from abc import ABC, abstractmethod
from typing import Protocol

import tiktoken

from agents.context import json_values
from agents.context.models import model_info
from agents.context.vocabulary_files import load_encoding

# Longer text is cut before encoding: one very long run of whitespace makes the encoder panic.
CHUNK_CHARACTERS = 20_000
# Text beyond this is counted by the density of its beginning: exact counting runs at about 12 MB a second.
MAX_EXACT_CHARACTERS = 4_000_000

_BOUNDARY_WINDOW = 1_000
_CHARACTERS_PER_TOKEN = {"code": 3.0, "prose": 4.0, "mixed": 3.5}
_TOKENS_OF_NOTHING = 1
_TOKENS_OF_UNENCODABLE = 100
_NO_SPECIAL_TOKENS: frozenset[str] = frozenset()
_BYTES_OF_A_TOKEN = 4

# Counts that are kept of texts which come again, at most 16 MB of text.
_KEPT_COUNTS = 1_024
_KEPT_CHARACTERS = 16_000

# Image costs, source: spec 5.7 (the tile rule that OpenAI publishes).
_IMAGE_BASE = 85
_IMAGE_TILE = 170
_IMAGE_TILE_EDGE = 512
# What is larger than 2,048 by 2,048 pixels is scaled down before it is cut into tiles.
_IMAGE_MOST_TILES = 16
_IMAGE_UNKNOWN_SIZE = 1_000


class TokenEstimator(Protocol):
    """The seam through which everything in a context is counted."""

    def estimate_tokens(self, text: str, content_type: str = "mixed") -> int:
        """Return the tokens of a text; ``content_type`` is code, prose or mixed."""

    def estimate_data_tokens(self, data: object) -> int:
        """Return the tokens of a value written as compact JSON."""

    def estimate_image_tokens(
        self, width: int | None = None, height: int | None = None, detail: str | None = None
    ) -> int:
        """Return the tokens of an image of so many pixels."""


class _SharedEstimates(ABC):
    """What both estimators do alike."""

    @abstractmethod
    def estimate_tokens(self, text: str, content_type: str = "mixed") -> int:
        """Return the tokens of a text; ``content_type`` is code, prose or mixed."""

    def estimate_data_tokens(self, data: object) -> int:
        """Return the tokens of a value as compact JSON: 1 for None, 100 for what JSON cannot hold."""
        if data is None:
            return _TOKENS_OF_NOTHING
        try:
            return self.estimate_tokens(json_values.encode(data))
        except json_values.InvalidJSON:
            return _TOKENS_OF_UNENCODABLE

    def estimate_image_tokens(
        self, width: int | None = None, height: int | None = None, detail: str | None = None
    ) -> int:
        """Return 85 for low detail, 85 + 170 per started tile of 512 pixels, 1,000 for an unknown size.

        At most 16 tiles count: no provider looks at more of an image, whatever its header says.
        """
        if detail == "low":
            return _IMAGE_BASE
        if not width or not height:
            return _IMAGE_UNKNOWN_SIZE
        tiles = math.ceil(width / _IMAGE_TILE_EDGE) * math.ceil(height / _IMAGE_TILE_EDGE)
        return _IMAGE_BASE + _IMAGE_TILE * min(tiles, _IMAGE_MOST_TILES)


class ApproximateTokenEstimator(_SharedEstimates):
    """Estimates from the length alone: 3 characters per token of code, 4 of prose, 3.5 of anything else."""

    is_exact = False

    def estimate_tokens(self, text: str, content_type: str = "mixed") -> int:
        """Return the length over the ratio of the content type, rounded up."""
        ratio = _CHARACTERS_PER_TOKEN.get(content_type, _CHARACTERS_PER_TOKEN["mixed"])
        return math.ceil(len(text) / ratio)


class TiktokenEstimator(_SharedEstimates):
    """Counts with the vocabulary of a model, loaded on first use and without a network.

    Never raises on any text: special tokens are counted as the text they are.

    Attributes:
        encoding_name: the tiktoken encoding in use.
        is_exact: whether the encoding is the model's own; otherwise counts are estimates.
    """

    def __init__(self, model: str) -> None:
        info = model_info(model)
        self.encoding_name = info.encoding
        self.is_exact = info.is_exact

    def estimate_tokens(self, text: str, content_type: str = "mixed") -> int:
        """Return the exact count, whatever the content type; above 4 million characters an extrapolation."""
        if len(text) > MAX_EXACT_CHARACTERS:
            start = self.estimate_tokens(text[:MAX_EXACT_CHARACTERS])
            return math.ceil(start * len(text) / MAX_EXACT_CHARACTERS)
        return _count(self.encoding_name, text)


def count_recurring(text: str, estimator: TokenEstimator) -> int:
    """Return the tokens of a text that many contexts share, such as a tool definition or an instruction.

    An exact count is kept for the process, so that opening one more context encodes nothing known.
    """
    if type(estimator) is TiktokenEstimator and len(text) <= _KEPT_CHARACTERS:
        return _kept_count(estimator.encoding_name, text)
    return estimator.estimate_tokens(text)


@functools.lru_cache(maxsize=_KEPT_COUNTS)
def _kept_count(encoding_name: str, text: str) -> int:
    return _count(encoding_name, text)


def _count(encoding_name: str, text: str) -> int:
    if not text:
        return 0
    encoding = load_encoding(encoding_name)
    if len(text) <= CHUNK_CHARACTERS:
        return _count_chunk(encoding, text)
    count = 0
    begin = 0
    while begin < len(text):
        end = _chunk_end(text, begin)
        count += _count_chunk(encoding, text[begin:end])
        begin = end
    return count


def is_boundary(text: str, place: int) -> bool:
    """Return whether cutting before this place leaves the count unchanged.

    No token spans the place before a single space between words, nor before a line break after a letter or
    digit: both encodings split there before they look for tokens.
    """
    before, after = text[place - 1], text[place + 1 : place + 2]
    if text[place] == " ":
        return not before.isspace() and after != "" and not after.isspace()
    return text[place] == "\n" and before.isalnum()


def _chunk_end(text: str, begin: int) -> int:
    """Return the last boundary before the limit, or the limit where no boundary is near."""
    limit = begin + CHUNK_CHARACTERS
    if limit >= len(text):
        return len(text)
    near = range(limit, limit - _BOUNDARY_WINDOW, -1)
    return next((place for place in near if is_boundary(text, place)), limit)


def _count_chunk(encoding: tiktoken.Encoding, chunk: str) -> int:
    try:
        return _count_encoded(encoding, chunk)
    except BaseException as error:
        # A panic of the Rust encoder derives from BaseException and its class cannot be imported. Nothing
        # has more tokens than bytes.
        if type(error).__name__ != "PanicException":
            raise
        return len(chunk.encode("utf-8", "replace"))


def _count_encoded(encoding: tiktoken.Encoding, chunk: str) -> int:
    """Return how many tokens the encoder makes, without a Python number for each: a twentieth faster."""
    try:
        buffer = encoding._core_bpe.encode_to_tiktoken_buffer(chunk, _NO_SPECIAL_TOKENS)  # noqa: SLF001
        return memoryview(buffer).nbytes // _BYTES_OF_A_TOKEN
    except (AttributeError, UnicodeEncodeError):
        # A tiktoken that has no such method, which is not public, or a surrogate, which the public one mends.
        return len(encoding.encode_ordinary(chunk))
