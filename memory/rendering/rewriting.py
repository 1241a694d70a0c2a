"""Parser rules that turn finished tokens into the markup of the site's stylesheet."""

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from memory.rendering.links import LINK_REL, LINK_TARGET, is_safe_url

# Headings stand below those of the page: the first one, whatever its level, is on the third.
_FIRST_HEADING = 3
_LOWEST_HEADING = 6

_ALIGNMENT = {"text-align:left": "md-al", "text-align:center": "md-ac", "text-align:right": "md-ar"}


def rewrite_links(state: StateCore) -> None:
    """Dress safe links; show others as their text and address, or as written when there was only that."""
    for token in state.tokens:
        link: Token | None = None
        for child in token.children or ():
            if child.type == "link_open":
                link = child
                _open_link(child)
            elif child.type == "link_close" and link is not None:
                _close_link(child, link)
                link = None
            elif child.type == "image":
                child.meta["inside_link"] = link is not None and link.type == "link_open"


def _open_link(token: Token) -> None:
    if is_safe_url(str(token.attrs["href"])):
        token.attrs |= {"rel": LINK_REL, "target": LINK_TARGET}
    else:
        _become_text(token, "<" if token.info == "auto" else "")


def _close_link(token: Token, link: Token) -> None:
    if link.type == "text":
        _become_text(token, ">" if token.info == "auto" else _written_target(link))


def _written_target(link: Token) -> str:
    title = link.attrs.get("title")
    return f' ({link.attrs["href"]} "{title}")' if title else f" ({link.attrs['href']})"


def _become_text(token: Token, content: str) -> None:
    token.type, token.tag, token.content = "text", "", content


def rewrite_blocks(state: StateCore) -> None:
    """Place headings, name alerts, and replace alignment styles, which the page's policy ignores."""
    above: list[str] = []
    for token in state.tokens:
        if token.type == "heading_open":
            # Readers who go from heading to heading take a skipped level for a missing part.
            above = [*(tag for tag in above if tag < token.tag), token.tag]
            token.tag = _heading(above)
        elif token.type == "heading_close":
            token.tag = _heading(above)
        elif token.type in ("alert_open", "alert_close"):
            token.tag = "blockquote"
            token.attrs = {"class": f"md-alert md-alert-{token.info.lower()}"} if token.info else {}
        elif token.type == "alert_title_open":
            token.attrs = {"class": "md-alert-title"}
        elif token.type in ("th_open", "td_open"):
            alignment = _ALIGNMENT.get(str(token.attrs.pop("style", "")))
            if alignment:
                token.attrs["class"] = alignment
            if token.type == "th_open":
                token.attrs["scope"] = "col"


def _heading(above: list[str]) -> str:
    return f"h{min(_FIRST_HEADING + len(above) - 1, _LOWEST_HEADING)}"


def rewrite_tasks(state: StateCore) -> None:
    """Turn task items into ticks: a grid for bullet lists of only tasks, else a tick before the text."""
    lists: list[tuple[Token, list[tuple[Token, Token]]]] = []
    items: list[tuple[int, Token]] = []
    for index, token in enumerate(state.tokens):
        if token.type in ("bullet_list_open", "ordered_list_open"):
            token.attrs.pop("class", None)
            lists.append((token, []))
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            _rewrite_list(*lists.pop())
        elif token.type == "list_item_open":
            token.attrs.pop("class", None)
            items.append((index, token))
        elif token.type == "list_item_close":
            start, opened = items.pop()
            lists[-1][1].append((opened, token))
            if opened.meta.get("checked"):
                _mark_done(state.tokens[start + 1 : start + 3])


def _rewrite_list(opened: Token, items: list[tuple[Token, Token]]) -> None:
    if opened.type == "bullet_list_open" and all("checked" in item.meta for item, _ in items):
        opened.attrs["class"] = "tasks"
        for item, close in items:
            item.type, close.type = "task_open", "task_close"


def _mark_done(first: list[Token]) -> None:
    """Mark the first line of a done item, given the two tokens behind the item's opening one."""
    if len(first) == 2 and first[0].type == "paragraph_open":
        children = first[1].children or []
        begin = Token("done_open", "span", 1, attrs={"class": "done"})
        first[1].children = [begin, *children, Token("done_close", "span", -1)]
