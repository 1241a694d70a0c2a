"""Diagrams, charts and mind maps: their source and what it says, to which a page adds the picture."""

from memory.rendering.blocks.chart_work import ChartRefused
from memory.rendering.blocks.code import code_block, source_block
from memory.rendering.blocks.diagram_work import DiagramRefused, admit_diagram
from memory.rendering.blocks.json_tree import parse_json
from memory.rendering.blocks.outline import OutlineRefused, outline, outline_html
from memory.rendering.blocks.records import is_record, record_table
from memory.rendering.blocks.vega import admit_chart, chart_rows
from memory.rendering.fill import Draft

_MAX_ROWS_SHOWN = 100


class _Refused(Exception):
    """A picture is not drawn; the text says why."""


def mermaid_block(source: str, info: str, draft: Draft) -> str:
    """Return a Mermaid diagram: a place for the picture, then its source."""
    try:
        _admit(source, draft, draft.settings.max_diagram_chars)
        admit_diagram(source)
    except (_Refused, DiagramRefused) as refusal:
        return source_block(source, info, f"Diagram not drawn: {refusal}", draft)
    return _figure("mermaid", _fold("Diagram source", code_block(source, info, draft), is_open=True), draft)


def vega_block(source: str, info: str, draft: Draft) -> str:
    """Return a Vega-Lite chart: a place for the picture, then its source and its data as a table."""
    try:
        _admit(source, draft, draft.settings.max_chart_chars)
        spec = admit_chart(parse_json(source))
    except (_Refused, ChartRefused) as refusal:
        return source_block(source, info, f"Chart not drawn: {refusal}", draft)
    except (ValueError, RecursionError) as error:
        return source_block(source, info, f"Chart not drawn: not valid JSON: {error}", draft)
    rows = [row for row in chart_rows(spec)[:_MAX_ROWS_SHOWN] if is_record(row)]
    data = _fold(_data_title(len(rows), len(chart_rows(spec))), record_table(rows)) if rows else ""
    source_fold = _fold("Chart source", code_block(source, info, draft, language="json"), is_open=True)
    return _figure("vega-lite", source_fold + data, draft)


def markmap_block(source: str, info: str, draft: Draft) -> str:
    """Return a mind map: a place for the picture, then its outline and its source."""
    try:
        _admit(source, draft, draft.settings.max_diagram_chars)
        nodes = outline(source)
    except (_Refused, OutlineRefused) as refusal:
        return source_block(source, info, f"Mind map not drawn: {refusal}", draft)
    listed = outline_html(nodes, ' class="md-outline"')
    folds = _fold("Outline", listed, is_open=True) + _fold("Source", code_block(source, info, draft))
    return _figure("markmap", folds, draft)


def _admit(source: str, draft: Draft, max_chars: int) -> None:
    draft.widgets += 1
    if draft.widgets > draft.settings.max_widgets:
        raise _Refused(f"more than {draft.settings.max_widgets} diagrams in one card")
    if len(source) > max_chars:
        raise _Refused(f"longer than {max_chars:,} characters")
    if not source.strip():
        raise _Refused("empty")


def _figure(kind: str, folds: str, draft: Draft) -> str:
    draft.features.add(kind)
    return f'<figure class="md-widget md-widget-{kind}"><div class="md-widget-out"></div>{folds}</figure>\n'


def _fold(title: str, content: str, *, is_open: bool = False) -> str:
    unfolded = ' open=""' if is_open else ""
    return f"<details{unfolded}><summary>{title}</summary>{content}</details>"


def _data_title(shown: int, total: int) -> str:
    return "Data" if shown == total else f"Data ({shown:,} of {total:,} rows)"
