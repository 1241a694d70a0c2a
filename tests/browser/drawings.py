"""Drawings for the browser: good ones of every kind, and hostile ones that want to run, load or hang."""

import json

# Runs in a frame without modal dialogs: what got through says so to the page and to the console.
RUN = "parent.postMessage({pwned:1},'*');console.error('pwned')"
AWAY = "https://evil.example/x.png"

MERMAID = "flowchart TD\n A[Start] --> B[End]"
CHART = json.dumps(
    {
        "data": {"values": [{"a": "A", "b": 28}, {"a": "B", "b": 55}]},
        "mark": "bar",
        "encoding": {"x": {"field": "a"}, "y": {"field": "b", "type": "quantitative"}},
    }
)
MIND_MAP = "# Plan\n- **one**\n- two"
WIDE_MERMAID = "graph LR\n" + "\n".join(f" s{n}[Step number {n}] --> s{n + 1}" for n in range(30))
ENDLESS_MIND_MAP = "# Plan\n- " + "A" * 19_000

HOSTILE_MERMAID = (
    f'%%{{init: {{"themeCSS": ".node {{background: url({AWAY})}}"}}}}%%\nflowchart TD\n A --> B',
    f'%%{{init: {{"themeCSS": "@import url({AWAY});"}}}}%%\nflowchart TD\n A --> B',
    f'%%{{init: {{"fontFamily": "x; background: url({AWAY})"}}}}%%\nflowchart TD\n A --> B',
    f'%%{{init: {{"themeVariables": {{"primaryColor": "red; background: url({AWAY})"}}}}}}%%\n'
    "flowchart TD\n A --> B",
    '%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%\n'
    f'flowchart TD\n A["<img src=x onerror={RUN}>"] --> B',
    '%%{init: {"flowchart": {"htmlLabels": true}}}%%\n' + f'flowchart TD\n A["<img src={AWAY}>"] --> B',
    '%%{init: {"secure": [], "securityLevel": "loose"}}%%\n'
    + f'flowchart TD\n A --> B\n click A "javascript:{RUN}"',
    f'flowchart TD\n A["<img src=\'{AWAY}\'>"] --> B["<svg onload={RUN}>"]',
    f'flowchart TD\n A["<iframe srcdoc=<script>{RUN}</script>>"] --> B',
    f'flowchart TD\n A@{{ img: "{AWAY}", label: "x", w: 60, h: 60 }}\n A --> B',
    f'flowchart TD\n A --> B\n click A "javascript:{RUN}" _top\n click B href "{AWAY}" _self',
    'flowchart TD\n A --> B\n click A call alert("pwned")',
    f"flowchart TD\n A --> B\n style A fill:url({AWAY}),stroke:#333",
    f"flowchart TD\n classDef x fill:red,background:url({AWAY})\n A:::x --> B",
    f'classDiagram\n class A["<img src=x onerror={RUN}>"]\n click A href "javascript:{RUN}"',
    f"sequenceDiagram\n participant A as <img src=x onerror={RUN}>\n A->>A: <script>{RUN}</script>",
    f'sequenceDiagram\n participant A\n links A: {{"x": "javascript:{RUN}"}}\n A->>A: x',
    f"gantt\n title <img src=x onerror={RUN}>\n section S\n x :a, 2024-01-01, 3d\n"
    f' click a href "javascript:{RUN}"',
    f'---\nconfig:\n  themeCSS: ".x{{background:url({AWAY})}}"\n  securityLevel: loose\n---\n'
    "flowchart TD\n A --> B",
)
_ROWS = {"values": [{"a": 1, "u": AWAY, "j": f"javascript:{RUN}"}]}
HOSTILE_CHARTS = tuple(
    json.dumps(chart)
    for chart in (
        {"data": {"url": AWAY}, "mark": "bar"},
        {"data": {"url": "data:text/csv,a%0A1"}, "mark": "bar"},
        {"data": {"url": "/admin/"}, "mark": "bar"},
        {"data": _ROWS, "mark": {"type": "image"}, "encoding": {"url": {"field": "u"}}},
        {"data": _ROWS, "mark": "image", "encoding": {"url": {"value": AWAY}}},
        {"data": _ROWS, "mark": "point", "encoding": {"href": {"field": "j"}, "x": {"field": "a"}}},
        {
            "data": _ROWS,
            "mark": "point",
            "transform": [{"calculate": f'[].constructor.constructor("{RUN}")()', "as": "z"}],
        },
        {
            "data": _ROWS,
            "mark": "point",
            "transform": [{"calculate": "window.parent.document.cookie", "as": "z"}],
        },
        {"data": _ROWS, "mark": "point", "transform": [{"filter": f"constructor.constructor('{RUN}')()"}]},
        {"data": _ROWS, "mark": "point", "params": [{"name": "p", "expr": f'eval("{RUN}")'}]},
        {"data": _ROWS, "mark": "text", "encoding": {"text": {"value": f"<img src=x onerror={RUN}>"}}},
        {"data": _ROWS, "title": f"</title><script>{RUN}</script>", "mark": "point"},
        {"data": _ROWS, "mark": "point", "usermeta": {"embedOptions": {"loader": {"baseURL": AWAY}}}},
        {"data": {"lookup": 1}, "mark": "geoshape", "projection": {"type": "mercator"}},
    )
)
HOSTILE_MIND_MAPS = (
    json.dumps({"content": f'<img src=x onerror="{RUN}">', "children": []}),
    json.dumps({"content": f"<script>{RUN}</script><img src={AWAY}>", "children": []}),
)
# Four million points, in a shape that the server would refuse.
CHART_BOMB = json.dumps(
    {
        "data": {"sequence": {"start": 0, "stop": 4_000_000, "as": "x"}},
        "mark": "point",
        "encoding": {
            "x": {"field": "x", "type": "quantitative"},
            "y": {"field": "x", "type": "quantitative"},
        },
    }
)
