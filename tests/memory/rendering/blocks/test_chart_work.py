"""Charts whose work grows beyond the rows they hold are refused by name."""

import pytest

from agents.context.json_values import JSON
from memory.rendering.blocks.chart_work import ChartRefused, check_work

ROWS: list[JSON] = [{"a": n, "b": n * n, "g": n % 3, "tags": [1, 2]} for n in range(60)]
MANY: list[JSON] = [{"a": n, "tags": [0] * 3} for n in range(2_000)]


def chart(*transform: JSON, rows: JSON = None, **more: JSON) -> dict[str, JSON]:
    return {"data": {"values": rows or ROWS}, "mark": "bar", "transform": list(transform), **more}


def binned(field: str, **bins: JSON) -> dict[str, JSON]:
    return chart(encoding={"x": {"field": field, "bin": bins}})


FLATTEN: JSON = {"flatten": ["tags"]}
FOLD: JSON = {"fold": ["a"] * 100}
GRID: JSON = {"row": ["a"] * 20, "column": ["b"] * 20}
SMALL: dict[str, JSON] = {"mark": "point"}


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (chart(FOLD, FOLD), "fold and flatten make more than 50,000 rows"),
        (chart(FOLD, rows=MANY), "fold and flatten make more than 50,000 rows"),
        (chart(*[FLATTEN] * 20), "fold and flatten make more than 50,000 rows"),
        ({"data": {"sequence": {"start": 0, "stop": 5000}}, "transform": [FOLD]}, "fold and flatten"),
        ({"datasets": {"d": MANY}, "transform": [FOLD]}, "fold and flatten"),
        ({"data": {"values": "a\n" * 2_000}, "transform": [FOLD]}, "fold and flatten"),
        (chart({"impute": "v", "key": "a", "groupby": ["new"]}, rows=MANY), "keys and groups make more"),
        (chart({"pivot": "a", "groupby": ["a"], "value": "b"}, rows=MANY), "keys and groups make more"),
        (chart({"quantile": "a", "step": 1e-8}), "step of a quantile is below 0.001"),
        (chart({"regression": "b", "on": "a", "order": 3_000}), "order of a regression is above 10"),
        (chart(rows=MANY, encoding={"y": {"field": "a", "impute": {"value": 0}}}), "filled in at most 500"),
        (binned("a", step=1e-7), "step makes more than 200 bins"),
        (binned("calculated", step=1e-7), "step makes more than 100,000 bins"),
        (binned("a", step=1, extent=[0, 1e9]), "step makes more than 200 bins"),
        ({"data": {"graticule": {"step": [0.01, 0.01]}}}, "step of a graticule is below 1"),
        ({"data": {"graticule": {"precision": 1e-9}}}, "precision of a graticule is below 1"),
        ({"repeat": GRID, "spec": SMALL}, "more than 100 repeated charts"),
        ({"repeat": ["a"] * 20, "spec": {"repeat": ["b"] * 20, "spec": SMALL}}, "more than 100 repeated"),
        ({"hconcat": [{"repeat": ["a"] * 60, "spec": SMALL}] * 2}, "more than 100 repeated charts"),
    ],
)
def test_what_would_multiply_is_refused_by_name(spec: dict[str, JSON], reason: str) -> None:
    with pytest.raises(ChartRefused, match=reason):
        check_work(spec)


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"data": None, "transform": None},
        {"data": {"graticule": True}},
        {"data": {"graticule": {"step": [10, 10]}}},
        chart({"fold": ["a", "b"], "as": ["k", "v"]}, {"flatten": ["tags"]}),
        chart({"fold": "a"}, "no object", {"impute": "a", "key": "a"}),
        chart({"impute": "b", "key": "a", "groupby": ["g"], "value": 0}),
        chart({"pivot": "g", "groupby": ["a"], "value": "b"}),
        chart({"quantile": "a", "step": 0.05}, {"regression": "b", "on": "a", "order": 3}),
        chart(encoding={"y": {"field": "a", "impute": {"value": 0}}}),
        chart({"quantile": "a", "step": "x"}, {"regression": "b", "order": "x"}),
        binned("a", step=5),
        binned("calculated", step=0.05),
        {"data": {"sequence": {"start": 0, "stop": 50}}, "transform": [FOLD]},
        {"data": {"sequence": {"start": 0, "stop": 0, "step": 0}}, "transform": [{"fold": ["a"]}]},
        {"data": {"sequence": {"start": "x"}}},
        binned("a", step=5, extent=[0, 100]),
        binned("b", maxbins=20),
        {"encoding": {"x": {"field": "a", "bin": {"step": 0.1}}}},
        {"encoding": {"x": {"field": "a", "bin": True}}},
        {"repeat": {"row": ["a", "b"], "column": ["a", "b"]}, "spec": SMALL},
        {"repeat": ["a", "b"], "spec": SMALL, "columns": 2},
        {"repeat": 5, "spec": SMALL},
    ],
)
def test_what_stays_small_is_accepted(spec: dict[str, JSON]) -> None:
    check_work(spec)


def test_columns_of_data_may_be_called_anything() -> None:
    rows: list[JSON] = [{"repeat": ["a"] * 200, "spec": 1, "graticule": {"step": 0}}]
    check_work(chart(rows=rows))
    check_work({"datasets": {"repeat": rows}})
