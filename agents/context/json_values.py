"""JSON at the edges of the library: strict encoding, exact decoding, and repair of text that others sent."""

import json
import marshal
import math
from collections.abc import Iterator
from typing import TypeAlias, cast

from agents.context.errors import ContextError

JSON: TypeAlias = bool | int | float | str | list["JSON"] | dict[str, "JSON"] | None

MAX_DEPTH = 64
MAX_BYTES = 32 * 1024 * 1024
# The range in which every JSON reader, JavaScript included, keeps an integer exact.
MAX_INTEGER = 2**53
# What a number, or a character that must be escaped, takes at most with what stands around it.
_MOST_BYTES = 32
# What holds more levels than this holds itself.
_MOST_LEVELS = 20_000
_ESCAPED_NUL = "\\u0000"
# The last version that writes equal values alike, however often and where their parts are held.
_FINGERPRINT_VERSION = 2


class InvalidJSON(ContextError, ValueError):
    """A value cannot be stored as JSON; the message names the place, the fault and the remedy.

    Attributes:
        path: the offending place, such as ``value.steps[2].name``.
    """

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path


def encode(value: object, *, max_depth: int = MAX_DEPTH, max_bytes: int = MAX_BYTES) -> str:
    """Return compact JSON text: insertion order, non-ASCII unescaped, whole floats kept as ``1.0``.

    Nesting is checked without recursion and the size while walking, so hostile values cost little.
    ``max_bytes`` counts UTF-8 bytes of the text. Tuples become arrays.

    Raises:
        InvalidJSON: for NaN and infinities, NUL and lone surrogates, integers beyond 2^53, keys that are
            not strings, cycles, values too deep or too big, and types JSON does not have.
    """
    _Walk(max_depth, max_bytes).check(value)
    text = compact(value)
    if len(text.encode()) > max_bytes:
        raise InvalidJSON("value", _too_big(max_bytes))
    return text


def check(
    value: object, name: str = "value", *, max_depth: int = MAX_DEPTH, max_bytes: int = MAX_BYTES
) -> None:
    """Do nothing when `encode` takes the value; a small one need not be written for that.

    Raises:
        InvalidJSON: as `encode` does, with the place beginning at ``name``.
    """
    size = _Walk(max_depth, max_bytes, name).check(value)
    if size * _MOST_BYTES > max_bytes and len(compact(value).encode()) > max_bytes:
        raise InvalidJSON(name, _too_big(max_bytes))


def decode(text: str) -> JSON:
    """Return the value of JSON text; use `encode` on the result when the text came from outside.

    Raises:
        InvalidJSON: when the text is not JSON, nests too deeply to read, or holds NaN, infinities, or numbers
            too large to be told from them.
    """
    try:
        value: JSON = _DECODER.decode(text)
    except RecursionError:
        raise InvalidJSON("value", f"nested too deeply; keep it below {MAX_DEPTH} levels") from None
    except InvalidJSON:
        raise
    except ValueError as error:
        raise InvalidJSON("value", f"not valid JSON ({error}); send one JSON value") from None
    return value


def compact(value: object) -> str:
    """Return compact JSON text as `encode` does, without its checks: for what code wrote, not people."""
    return _ENCODER.encode(value)


def fingerprint(value: object) -> bytes:
    """Return what only an equal value gives, where 1, 1.0 and True are not equal: a key to keep things by.

    Much faster than `compact`; only `from_fingerprint` of the same process reads it.

    Raises:
        TypeError: for types JSON does not have; ValueError and RecursionError as `compact` does.
    """
    try:
        return marshal.dumps(cast("JSON", value), _FINGERPRINT_VERSION)
    except ValueError:
        # Classes derived from those of JSON, such as an enumeration of texts.
        return marshal.dumps(decode(compact(value)), _FINGERPRINT_VERSION)


def from_fingerprint(key: bytes) -> JSON:
    """Return a new copy of the value that gave the key."""
    value: JSON = marshal.loads(key)  # noqa: S302, made by `fingerprint` in this process
    return value


def pretty(value: object) -> str:
    """Return JSON text with an indent of two, for people and models; the value must pass `encode`."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)


def shown(value: object, *, indent: int | None = None) -> str:
    """Return JSON text to look at; unlike `encode` and `pretty` it refuses nothing that was read from JSON.

    A model may write numbers that are never stored, such as ``1e999``; people must see them all the same.
    """
    separators = (",", ":") if indent is None else None
    try:
        return repair_text(json.dumps(value, ensure_ascii=False, indent=indent, separators=separators))
    except RecursionError:
        return "(nested too deeply to show)"


def repair_text(text: str) -> str:
    """Return text that every database and browser accepts: pairs joined, the rest replaced by U+FFFD.

    Streamed text may arrive with a surrogate pair split in two; a NUL or a lone surrogate carries nothing.
    """
    if not _is_encodable(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\x00", "\ufffd")


def repair(value: JSON) -> JSON:
    """Return a copy of a parsed value with `repair_text` applied to every string and key.

    Only for what providers and imported conversations sent. Of two keys that repair makes equal the later
    one stays. What JSON does not have stays as it is, for `check` to refuse.

    Raises:
        InvalidJSON: for a value that contains itself.
    """
    # Nearly everything is sound, and by way of text is the fastest copy.
    try:
        text = compact(value)
        if is_sound(text):
            return decode(text)
    except (TypeError, ValueError, RecursionError):
        pass
    result: list[JSON] = []
    _repair_into(result, value)
    return result[0]


def is_sound(text: str) -> bool:
    """Return whether `repair` changes nothing in the value that `compact` wrote as this text."""
    return _is_encodable(text) and _ESCAPED_NUL not in text


def _repair_into(result: list[JSON], value: JSON) -> None:
    pending: list[tuple[list[JSON] | dict[str, JSON], str | None, JSON, int]] = [(result, None, value, 0)]
    while pending:
        target, key, item, depth = pending.pop()
        if depth > _MOST_LEVELS:
            raise InvalidJSON("value", "it contains itself; send a value without cycles")
        copy: JSON = item
        if isinstance(item, str):
            copy = repair_text(item)
        elif isinstance(item, (list, tuple)):
            copy = []
            # Popped last in, first out: push reversed so that the copy grows in order.
            pending.extend((copy, None, child, depth + 1) for child in reversed(item))
        elif isinstance(item, dict):
            copy = {}
            pending.extend(
                (copy, repair_text(name) if isinstance(name, str) else name, child, depth + 1)
                for name, child in reversed(item.items())
            )
        if isinstance(target, list):
            target.append(copy)
        else:
            target[cast("str", key)] = copy


def _refuse_constant(name: str) -> JSON:
    raise InvalidJSON("value", f"{name} is not JSON; use null or a string")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise InvalidJSON("value", f"{text[:40]} is too large for a number; send it as a string")
    return number


# Made once: ``json.dumps`` and ``json.loads`` would make one each time, longer work than on a short text.
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)


def is_storable(text: str) -> bool:
    """Return whether every database takes the text: no NUL and no lone surrogate is in it."""
    return "\x00" not in text and _is_encodable(text)


def _is_encodable(text: str) -> bool:
    """Return whether the text is free of lone surrogates."""
    # Python knows whether a text is ASCII without looking at it, and most are.
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _too_big(max_bytes: int) -> str:
    return f"larger than {max_bytes:,} bytes; store less, or a summary"


class _Walk:
    """One iterative check of one value; the frames on the stack spell the path."""

    def __init__(self, max_depth: int, max_bytes: int, name: str = "value") -> None:
        self._max_depth = max_depth
        self._max_bytes = max_bytes
        # A lower bound of the text's size; it also bounds the work on values that share their parts.
        self._size = 0
        self._path: list[str] = [name]

    def check(self, value: object) -> int:
        """Return the size of the value: one for each part of it, and its characters."""
        self._check_one(value)
        frames = [(value, self._children(value))]
        open_ids = {id(value)}
        while frames:
            container, children = frames[-1]
            step = next(children, None)
            del self._path[len(frames) :]
            if step is None:
                frames.pop()
                open_ids.discard(id(container))
                continue
            place, child = step
            self._path.append(place)
            self._check_one(child)
            if isinstance(child, (list, tuple, dict)):
                self._descend(child, open_ids, len(frames))
                frames.append((child, self._children(child)))
        return self._size

    def _descend(self, child: object, open_ids: set[int], depth: int) -> None:
        if id(child) in open_ids:
            raise self._fault("it contains itself; send a value without cycles")
        if depth >= self._max_depth:
            raise self._fault(f"nested deeper than {self._max_depth} levels; flatten the value")
        open_ids.add(id(child))

    def _children(self, value: object) -> Iterator[tuple[str, object]]:
        if isinstance(value, dict):
            for key, child in value.items():
                if not isinstance(key, str):
                    raise self._fault(f"key {key!r} is not a string; use string keys")
                self._check_text(key)
                yield f".{key}", child
        elif isinstance(value, (list, tuple)):
            for index, child in enumerate(value):
                yield f"[{index}]", child

    def _check_one(self, value: object) -> None:
        self._size += 1
        if isinstance(value, str):
            self._check_text(value)
        elif isinstance(value, float):
            if not math.isfinite(value):
                raise self._fault(f"{value} is not JSON; use null or a string")
        elif isinstance(value, int):
            if not -MAX_INTEGER <= value <= MAX_INTEGER:
                raise self._fault("an integer beyond 2^53 loses digits elsewhere; send it as a string")
        elif value is not None and not isinstance(value, (list, tuple, dict)):
            raise self._fault(f"{type(value).__name__} is not JSON; send text, numbers, lists or objects")
        self._check_size()

    def _check_text(self, text: str) -> None:
        self._size += len(text)
        self._check_size()
        if not is_storable(text):
            raise self._fault("text with a NUL or a lone surrogate; remove the character")

    def _check_size(self) -> None:
        if self._size > self._max_bytes:
            raise self._fault(_too_big(self._max_bytes))

    def _fault(self, problem: str) -> InvalidJSON:
        return InvalidJSON(repair_text("".join(self._path))[:200], problem)
