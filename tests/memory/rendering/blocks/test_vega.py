"""Charts draw the data they hold, and nothing that costs or leaks."""

import pytest

from agents.context.json_values import JSON
from memory.rendering.blocks.chart_work import MAX_ROWS, ChartRefused
from memory.rendering.blocks.vega import admit_chart, chart_rows

BAR: dict[str, JSON] = {
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "data": {"values": [{"url": "https://a.example", "mark": "image", "step": -1, "width": 9e9}]},
    "mark": "bar",
    "width": 400,
    "encoding": {"x": {"field": "url", "bin": {"maxbins": 20}}, "y": {"aggregate": "count"}},
}


def test_a_chart_with_its_own_data_is_drawn_whatever_its_columns_are_called() -> None:
    assert admit_chart(BAR) == BAR
    assert chart_rows(BAR) == [{"url": "https://a.example", "mark": "image", "step": -1, "width": 9e9}]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"data": {"url": "https://evil.example/x.json"}}, "put it into data.values"),
        ({"layer": [{"data": {"url": "file:///etc/passwd"}}]}, "put it into data.values"),
        ({"transform": [{"from": {"data": {"url": "x"}}}]}, "put it into data.values"),
        ({"encoding": {"url": {"value": "https://evil.example/x.png"}}}, "put it into data.values"),
        ({"mark": "image"}, "pictures are not loaded"),
        ({"mark": {"type": "image"}}, "pictures are not loaded"),
        ({"data": {"sequence": {"start": 0, "stop": 1e9}}}, "a sequence of more than 5,000 rows"),
        ({"data": {"sequence": {"start": 0, "stop": 10, "step": 0}}}, "a sequence of more than 5,000 rows"),
        ({"data": {"sequence": {"start": "a", "stop": 10}}}, "begins and ends with numbers"),
        ({"transform": [{"impute": "x", "keyvals": {"start": 0, "stop": 1e9}}]}, "imputed values"),
        ({"data": {"values": [1] * (MAX_ROWS + 1)}}, "more than 5,000 rows"),
        ({"datasets": {"a": [[1] * 4_000] * 6}}, "more than 20,000 parts"),
        ({"width": 1e8}, "width lies outside"),
        ({"height": 0}, "height lies outside"),
        ({"width": {"step": 1e6}}, "width.step lies outside 1 to 200: too large to draw"),
        ({"encoding": {"x": {"axis": {"tickCount": 1e6}}}}, "tickCount lies outside"),
        ({"encoding": {"x": {"bin": {"maxbins": 1e6}}}}, "maxbins lies outside"),
        ({"encoding": {"x": {"bin": {"step": 0}}}}, "step is not above 0"),
        ({"transform": [{"calculate": "repeat('x', 1e9)", "as": "y"}]}, "repeat() is not calculated"),
        ({"transform": [{"filter": "test (/(a+)+$/, datum.x)"}]}, "test() is not calculated"),
        ({"params": [{"name": "p", "expr": "x" * 501}]}, "an expression longer than 500"),
        ({"encoding": {"x": {"axis": {"values": {"expr": "sequence(0, 9e9)"}}}}}, "sequence() is not"),
        ({"layer": [{"legend": {"values": {"signal": "utcSequence('ms', 0, 1)"}}}]}, "utcSequence() is not"),
        ({"transform": [{"filter": {"or": ["repeat('x', 9)", "datum.a"]}}]}, "repeat() is not"),
        ({"config": {"params": [{"datasets": {"expr": "pad('x', 9)"}}]}}, "pad() is not"),
        ({"config": {"numberFormat": "0200000000d"}}, "numberFormat is longer than 60 characters or asks"),
        ({"encoding": {"x": {"axis": {"format": "%Y" * 31}}}}, "format is longer than 60"),
        ({"encoding": {"x": {"axis": {"format": {"expr": "'09999d'"}}}}}, "format is calculated"),
        ({"transform": [{"calculate": "format(1, '0400000000d')", "as": "q"}]}, "asks for more than 99"),
        ({"transform": [{"calculate": "format(1, 4e9 + 'd')", "as": "q"}]}, "a format that is written out"),
        ({"encoding": {"x": {"axis": {"tickCount": {"signal": "1e9"}}}}}, "tickCount is calculated"),
        ({"transform": [{"density": "a", "steps": 5e7}]}, "steps lies outside"),
        ({"encoding": {"x": {"bin": {"step": {"expr": "1e-9"}}}}}, "step is calculated"),
        ({"$schema": "https://vega.github.io/schema/vega/v5.json"}, "only Vega-Lite"),
    ],
)
def test_what_costs_or_leaks_is_refused_by_name(change: dict[str, JSON], reason: str) -> None:
    with pytest.raises(ChartRefused, match=reason.replace("(", r"\(").replace(")", r"\)")):
        admit_chart(BAR | change)


@pytest.mark.parametrize(
    "expression",
    [
        "format(datum.a, '.1f') + ' %'",
        """format(max(1, datum['a b']) / 2, ".2~s")""".replace("datum['a b']", "datum.a"),
        "datum.label == 'sequence'",
    ],
)
def test_expressions_of_little_work_are_calculated(expression: str) -> None:
    chart = BAR | {"transform": [{"calculate": expression, "as": "b"}]}
    assert admit_chart(chart) == chart


def test_deep_nesting_is_refused() -> None:
    spec: JSON = {}
    for _ in range(50):
        spec = {"layer": [spec]}
    with pytest.raises(ChartRefused, match="nested deeper than 40 levels"):
        admit_chart(spec)


@pytest.mark.parametrize("spec", [[], "x", None, 1])
def test_anything_but_an_object_is_refused(spec: JSON) -> None:
    with pytest.raises(ChartRefused, match="a JSON object"):
        admit_chart(spec)


@pytest.mark.parametrize("spec", [{}, {"data": None}, {"data": {"values": "x"}}, {"data": {"name": "x"}}])
def test_a_chart_without_rows_has_none(spec: dict[str, JSON]) -> None:
    assert chart_rows(spec) == []
