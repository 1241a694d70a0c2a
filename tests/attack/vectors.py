"""Hostile inputs of our own, by class; each wants to run `RUN`, to load `AWAY`, or to leave its place."""

from itertools import product

from tests.memory.rendering.vectors import VECTORS as PLAIN

RUN = "alert(1)"
AWAY = "//evil.example/x"
IMAGE = f"<img src=x onerror={RUN}>"

_HANDLERS = (
    *product(
        ("img", "audio", "video", "object", "embed", "link rel=stylesheet href=x", "script src=x"),
        ("onerror",),
    ),
    *product(
        ("svg", "body", "iframe", "style", "img src=data:image/gif;base64,R0lGODlhAQABAAAAACw="), ("onload",)
    ),
    *product(
        ("input autofocus", "a href=# autofocus", "div tabindex=0 autofocus", "select autofocus"),
        ("onfocus",),
    ),
    *product(("details open", "dialog open", "div popover"), ("ontoggle", "onbeforetoggle")),
    *product(
        ("a", "div", "p", "span", "td", "math", "mi", "button", "label"),
        ("onclick", "onmouseover", "onpointerenter"),
    ),
    *product(
        ("div", "span", "code"),
        ("onanimationstart", "ontransitionend", "onwheel", "oncopy", "onpaste", "onscroll"),
    ),
)
EVENTS = tuple(f"<{element} {handler}={RUN}>x" for element, handler in _HANDLERS)

_SCHEMES = (
    f"javascript:{RUN}",
    f"JAVASCRIPT:{RUN}",
    f" javascript:{RUN}",
    f"java&#10;script:{RUN}",
    f"java&Tab;script:{RUN}",
    f"javascript&#58;{RUN}",
    f"javascript&#x3A;{RUN}",
    f"&#1;javascript:{RUN}",
    f"\u00a0javascript:{RUN}",
    f"\u200bjavascript:{RUN}",
    f"jav\u00adascript:{RUN}",
    "javascript:%61lert(1)",
    f"javascript://%0a{RUN}",
    f"javascript:/**/{RUN}",
    f"\ufeffjavascript:{RUN}",
    f"vbscript:{RUN}",
    f"livescript:{RUN}",
    f"mocha:{RUN}",
    f"data:text/html,<script>{RUN}</script>",
    "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    f"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='{RUN}'/>",
    "blob:https://x/y",
    "file:///etc/passwd",
    f"feed:javascript:{RUN}",
    f"view-source:javascript:{RUN}",
    f"jar:javascript:{RUN}!/",
    "intent://x#Intent;end",
    AWAY,
    "/\\evil.example",
    "https:evil.example",
    "https:/evil.example",
    "https://a@evil.example",
    "https://evil.example\\@good.example",
    "https://good.example%2f@evil.example",
    "http://[::1]:80",
    "?delete=1",
    "#top",
)
LINKS = (
    *(f"<a href='{url}'>x</a>" for url in _SCHEMES),
    *(f"[x]({url})" for url in _SCHEMES),
    *(f"![x](<{url}>)" for url in _SCHEMES),
)

_RAW_TEXT = (
    "style",
    "title",
    "textarea",
    "noscript",
    "xmp",
    "iframe",
    "noembed",
    "noframes",
    "script",
    "template",
)
_FOREIGN = (
    "math><mtext",
    "math><mi",
    "math><annotation-xml encoding=text/html",
    "svg><desc",
    "svg><foreignObject",
    "svg><title",
)
MUTATIONS = (
    *(f"<{tag}><a title='</{tag}>{IMAGE}'>" for tag in _RAW_TEXT),
    *(
        f"<{outer}><{inner}><a title='</{inner}>{IMAGE}'>"
        for outer, inner in product(_FOREIGN, ("style", "title", "textarea"))
    ),
    *(
        f"<{outer}><table><{tag}><style><!--</style><a title='--&gt;{IMAGE}'>"
        for outer in _FOREIGN[:2]
        for tag in ("mglyph", "malignmark")
    ),
    *(
        f"<table><{tag}><{outer}>{IMAGE}"
        for tag in ("tr", "td", "caption", "colgroup")
        for outer in ("math", "svg")
    ),
    f"<form><math><mtext></form><form><mglyph><style></math>{IMAGE}",
    f"<math><mrow></p><style><a title='</style>{IMAGE}'>",
    f"<svg></p><style><a title='</style>{IMAGE}'>",
    f"<p><svg><p>{IMAGE}",
    f"<math><br><img src={AWAY}>",
    f"<!--{'<' * 9}-->{IMAGE}",
    f"<![CDATA[]]>{IMAGE}",
    f"<!DOCTYPE x [<!ENTITY a '{IMAGE}'>]>&a;",
    f"<?x ?>{IMAGE}",
    f"</{'p' * 99}>{IMAGE}",
    f"<a/{IMAGE}",
    f"<a\x0c{IMAGE}",
    f"<\x00img src=x onerror={RUN}>",
    f"<img\u2028src=x onerror={RUN}>",
    f"<b><i><b><i></b></i>{IMAGE}",
    f"<select><template>{IMAGE}",
    f"<svg><use href='data:image/svg+xml,{IMAGE}'>",
    f"<svg><set attributeName=onmouseover to={RUN}>",
    f"<svg><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<svg><image href={AWAY} onerror={RUN}>",
    f"<svg><feImage href={AWAY}>",
    f"<math xlink:href='javascript:{RUN}'>x",
    f"<math><maction actiontype=statusline xlink:href='javascript:{RUN}'>x",
    f"<math><semantics><annotation-xml>{IMAGE}",
)

STYLES = (
    f"<div style='background:url({AWAY})'>x",
    f"<div style='x:expression({RUN})'>x",
    f"<style>@import '{AWAY}';</style>",
    f"<style>@font-face{{font-family:x;src:url({AWAY})}}*{{font-family:x}}</style>",
    f"<link rel=preload as=image href={AWAY}>",
    f"<link rel=prefetch href={AWAY}>",
    f"<link rel=dns-prefetch href={AWAY}>",
    f"<table background={AWAY}><td>x",
    f"<video poster={AWAY}>",
    f"<img srcset='{AWAY} 1x'>",
    f"<picture><source srcset={AWAY}><img>",
    f"<input type=image src={AWAY}>",
    f"<object data={AWAY}>",
    f"<embed src={AWAY}>",
    f"<iframe src={AWAY}>",
    f"<base href={AWAY}>",
    f"<form action={AWAY}><input>",
    f"<audio src={AWAY} autoplay>",
    f"<track src={AWAY}>",
    f"<a ping={AWAY} href=https://ok.example>x</a>",
    f"<body background={AWAY}>",
    f"<meta http-equiv=refresh content='0;url={AWAY}'>",
    f"<math><mi style='background:url({AWAY})'>x",
    f"<img src={AWAY}>",
    f"<mi mathbackground='url({AWAY})'>x",
    f"<svg><rect fill='url({AWAY})'/></svg>",
    f"<frameset><frame src={AWAY}></frameset>",
    "<div style='position:fixed;inset:0;z-index:99'>x",
    f"<link rel=stylesheet href={AWAY}>",
    f"<script src={AWAY}></script>",
)

CLOBBERING = tuple(
    f"<{tag} {name}={word}>x</{tag}>"
    for (tag, name), word in product(
        (("a", "id"), ("form", "name"), ("span", "id")),
        ("document", "body", "attributes", "announce", "main", "card-0"),
    )
)

FORMULAS = tuple(
    f"${tex}$"
    for tex in (
        rf"\href{{javascript:{RUN}}}{{x}}",
        rf"\url{{javascript:{RUN}}}",
        rf"\style{{background:url({AWAY})}}{{x}}",
        r"\class{card}{x}",
        r"\cssId{document}{x}",
        rf"\html{{{IMAGE}}}",
        rf"\htmlData{{a=b}}{{{IMAGE}}}",
        rf"\text{{{IMAGE}}}",
        rf"\mathrm{{</mi></math>{IMAGE}}}",
        rf"\operatorname{{</mo>{IMAGE}}}",
        r"\unicode{x3c}script",
        rf"\color{{red' onclick={RUN}}}x",
        rf"\textcolor{{url({AWAY})}}{{x}}",
        rf"\colorbox{{</math>{IMAGE}}}{{x}}",
        rf"\includegraphics{{{AWAY}}}",
        rf"\tag{{{IMAGE}}}x",
        rf"\label{{' onclick={RUN}}}x",
        rf"\begin{{{IMAGE}}}x\end{{{IMAGE}}}",
        rf"\newcommand{{\a}}{{{IMAGE}}}\a",
        r"\def\a{\a}\a",
        r"\newcommand{\a}{\a\a}\a",
        rf"\require{{html}}\data{{{IMAGE}}}",
        rf"\hspace{{1em;background:url({AWAY})}}x",
        rf"\rule{{1em' onload={RUN}}}{{1em}}",
        rf"\verb|{IMAGE}|",
        r"\char`<script",
        rf"\begin{{array}}{{c' onclick={RUN}}}x\end{{array}}",
        rf"\genfrac{{<}}{{>}}{{1px' onclick={RUN}}}{{0}}{{a}}{{b}}",
        rf"<b onmouseover={RUN}>x",
        r"&lt;script&gt;",
        rf"\mbox{{$x$ {IMAGE}}}",
        "\u202e\\text{<script>}",
    )
)

BLOCKS = (
    *(
        f"```{info}\n{IMAGE}\n```"
        for info in (
            "mermaid",
            "vega-lite",
            "markmap",
            "json",
            "math",
            "html",
            "svg",
            "x\" onclick='y",
            "<img>",
        )
    ),
    f"```mermaid\n%%{{init: {{'securityLevel': 'loose'}}}}%%\ngraph TD\n"
    f'A["{IMAGE}"]\nclick A "javascript:{RUN}"\n```',
    f'```vega-lite\n{{"data": {{"url": "{AWAY}"}}, "mark": "bar"}}\n```',
    f'```vega-lite\n{{"data": {{"values": [{{"a": "{IMAGE}"}}]}}, '
    f'"mark": "bar", "title": "</summary>{IMAGE}"}}\n```',
    f"```markmap\n# {IMAGE}\n- **{IMAGE}**\n- [x](javascript:{RUN})\n- `{IMAGE}`\n```",
    f"```markmap\n---\nx: {IMAGE}\n---\n# <svg onload={RUN}>\n```",
    f'```json\n{{"{IMAGE}": "</span></details>{IMAGE}"}}\n```',
    f"[^{IMAGE}]\n\n[^{IMAGE}]: {IMAGE}",
    f"[{IMAGE}]: https://ok.example '{IMAGE}'\n\n[{IMAGE}]",
    f"| {IMAGE} |\n|:-:|\n| {IMAGE} |",
    f"> [!NOTE] {IMAGE}\n> {IMAGE}",
    f"- [x] {IMAGE}\n- [ ] {IMAGE}",
    f"# {IMAGE} {{#id onclick={RUN}}}",
    f"x{{onclick={RUN}}}",
    f"<https://ok.example/\" onclick='{RUN}'>",
    f"https://ok.example/\"onclick='{RUN}'",
    f"<a@b.example?\"onclick='{RUN}'>",
    f'[x](https://ok.example/?" onclick="{RUN})',
    f"[x](https://ok.example '\" onclick=\"{RUN}')",
    f'![" onerror="{RUN}](https://ok.example/x.png)',
    "<span data-slot='{nonce}-0'></span>",
    "<span data-slot=0000000000000000-0></span>",
    "&lt;span data-slot='0-0'&gt;",
    "{{ 7*7 }} {% debug %} ${7*7} #{7*7}",
    "<details open=x><summary onclick=alert(1)>x</summary></details>",
    "<time datetime='x' title='y'>z</time>",
    "<button type=submit form=delete-form name=key>x</button>",
    "<figure class='md-widget card is-gone'>x</figure>",
    "<button type=button data-copy=card-0>x</button>",
    "\x1b[31mred",
    "a\u202eb\u2066c\u200fd",
    "\ud800\udfff",
    "\x00" * 9,
    "&#0;&#x80;&#xd800;&#x110000;",
)

VECTORS = (*PLAIN, *EVENTS, *LINKS, *MUTATIONS, *STYLES, *CLOBBERING, *FORMULAS, *BLOCKS)
