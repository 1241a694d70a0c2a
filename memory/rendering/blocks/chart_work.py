"""How much a Vega-Lite chart would have to work for: rows that multiply, bins, cells, lines of a globe."""

from collections.abc import Iterator, Sequence
from math import ceil, prod

from agents.context.json_values import JSON

MAX_ROWS = 5_000
_MAX_MADE_ROWS = 50_000
_MAX_CELLS = 100
_MAX_BINS = 200
_MAX_GUESSED_BINS = 100_000
_MAX_ORDER = 10
_MAX_FILLED_ROWS = 500
# In degrees of the globe, and as a part of all values.
_LEAST_GRATICULE_STEP = 1
_LEAST_QUANTILE_STEP = 0.001

_SEQUENCE = (("start", 0), ("stop", 0), ("step", 1))

_Object = dict[str, JSON]


class ChartRefused(Exception):
    """A chart is not drawn; the text says why."""


def holds_data(name: str, key: str) -> bool:
    """Tell whether a field of the object called ``name`` holds rows; the chart itself is called ''."""
    return (name == "data" and key == "values") or (name == "" and key == "datasets")


def check_work(spec: _Object) -> None:
    """Accept a chart whose work is bounded by what it holds; it is not nested too deeply.

    Raises:
        ChartRefused: naming what would be too much.
    """
    rows = list(_rows(spec))
    objects = list(_objects("", spec))
    most = max([1, *(len(data) for data in rows), *map(_sequence_length, objects)])
    records = [row for data in rows for row in data if isinstance(row, dict)]
    for part in objects:
        _check_bins(part, records)
        _check_imputed(part, most)
        _check_graticule(part)
        transform = part.get("transform")
        if isinstance(transform, list):
            _check_transforms([step for step in transform if isinstance(step, dict)], records, most)
    if _cells(spec) > _MAX_CELLS:
        raise ChartRefused(f"more than {_MAX_CELLS} repeated charts")


def _objects(name: str, part: JSON) -> Iterator[_Object]:
    """Yield every object that is no data."""
    if isinstance(part, dict):
        yield part
        for key, child in part.items():
            if not holds_data(name, key):
                yield from _objects(key, child)
    elif isinstance(part, list):
        for child in part:
            yield from _objects(name, child)


def _rows(spec: _Object) -> Iterator[Sequence[JSON]]:
    """Yield the rows of every source of data; those that come as text are lines."""
    named = spec.get("datasets")
    sources = list(named.values()) if isinstance(named, dict) else []
    for part in _objects("", spec):
        data = part.get("data")
        sources.append(data.get("values") if isinstance(data, dict) else None)
    for source in sources:
        if isinstance(source, (list, str)):
            yield source.splitlines() if isinstance(source, str) else source


def _sequence_length(part: _Object) -> int:
    sequence = part.get("sequence")
    if not isinstance(sequence, dict):
        return 0
    start, stop, step = (sequence.get(name, default) for name, default in _SEQUENCE)
    if not (
        isinstance(start, (int, float)) and isinstance(stop, (int, float)) and isinstance(step, (int, float))
    ):
        return MAX_ROWS
    return min(MAX_ROWS, ceil(abs((stop - start) / (step or 1))))


def _check_transforms(steps: Sequence[_Object], records: Sequence[_Object], most: int) -> None:
    folds = [len(fields) for step in steps if isinstance(fields := step.get("fold"), list)]
    flattened = [step for step in steps if "flatten" in step]
    longest = max(
        (len(value) for row in records for value in row.values() if isinstance(value, list)), default=1
    )
    if prod(folds) * longest ** max(0, len(flattened) - 1) * most > _MAX_MADE_ROWS:
        raise ChartRefused(f"fold and flatten make more than {_MAX_MADE_ROWS:,} rows")
    for step in steps:
        _check_groups(step, records, most)
        quantile = step.get("step", 1)
        if "quantile" in step and isinstance(quantile, (int, float)) and quantile < _LEAST_QUANTILE_STEP:
            raise ChartRefused(f"step of a quantile is below {_LEAST_QUANTILE_STEP}")
        order = step.get("order", 1)
        if "regression" in step and isinstance(order, (int, float)) and order > _MAX_ORDER:
            raise ChartRefused(f"order of a regression is above {_MAX_ORDER}")


def _check_groups(step: _Object, records: Sequence[_Object], most: int) -> None:
    """Refuse a row for each pair of a key and a group when those are many."""
    key = step.get("key") if "impute" in step else step.get("pivot")
    groups = step.get("groupby")
    if key is None or not isinstance(groups, list):
        return
    made = _distinct([key], records, most) * _distinct(groups, records, most)
    if made > _MAX_MADE_ROWS:
        raise ChartRefused(f"keys and groups make more than {_MAX_MADE_ROWS:,} rows")


def _distinct(fields: Sequence[JSON], records: Sequence[_Object], most: int) -> int:
    """Return how many values fields have together; as many as rows when they are calculated."""
    if not all(any(field in row for row in records) for field in fields if isinstance(field, str)):
        return most
    return len({tuple(str(row.get(str(field))) for field in fields) for row in records}) or most


def _check_imputed(part: _Object, most: int) -> None:
    # Of an encoding; as a step it names the field.
    if isinstance(part.get("impute"), dict) and most > _MAX_FILLED_ROWS:
        raise ChartRefused(f"gaps are filled in at most {_MAX_FILLED_ROWS} rows")


def _check_bins(part: _Object, records: Sequence[_Object]) -> None:
    bins = part.get("bin")
    step = bins.get("step") if isinstance(bins, dict) else None
    if not isinstance(bins, dict) or not isinstance(step, (int, float)):
        return
    field = part.get("field")
    own = [value for row in records if isinstance(value := row.get(str(field)), (int, float))]
    # What is calculated may be smaller than all there is.
    most = _MAX_BINS if own else _MAX_GUESSED_BINS
    numbers = own or [value for row in records for value in row.values() if isinstance(value, (int, float))]
    extent = bins.get("extent")
    numbers += [end for end in extent if isinstance(end, (int, float))] if isinstance(extent, list) else []
    if numbers and not max(numbers) - min(numbers) <= most * step:
        raise ChartRefused(f"step makes more than {most:,} bins")


def _check_graticule(part: _Object) -> None:
    graticule = part.get("graticule")
    if not isinstance(graticule, dict):
        return
    for name in ("step", "stepMajor", "stepMinor", "precision"):
        value = graticule.get(name, _LEAST_GRATICULE_STEP)
        for size in value if isinstance(value, list) else [value]:
            if isinstance(size, (int, float)) and size < _LEAST_GRATICULE_STEP:
                raise ChartRefused(f"{name} of a graticule is below {_LEAST_GRATICULE_STEP}")


def _cells(part: JSON, name: str = "") -> int:
    """Return how many charts the repeats of a chart make, those inside others multiplied."""
    if isinstance(part, list):
        return sum(_cells(child, name) for child in part)
    if not isinstance(part, dict):
        return 0
    inner = sum(_cells(child, key) for key, child in part.items() if not holds_data(name, key))
    repeat = part.get("repeat")
    if "spec" not in part or not isinstance(repeat, (list, dict)):
        return inner
    lists = repeat.values() if isinstance(repeat, dict) else [repeat]
    return prod(len(fields) for fields in lists if isinstance(fields, list)) * max(1, inner)
