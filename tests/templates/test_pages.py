from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.staticfiles import finders
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.urls import reverse

from tests.templates.markup import Element, rendered, tree
from tests.templates.samples import (
    HOSTILE,
    SESSION_ID,
    budget,
    call,
    card,
    eviction,
    fleet,
    fleet_row,
    hidden,
    message,
    session,
    summary,
    turn,
)

OPERATOR = User(username="olga", first_name="Olga", last_name="Berg", is_staff=True)
PRIORITIES = ("low", "normal", "high", "critical")


def request(user: User | AnonymousUser, path: str, theme: str) -> HttpRequest:
    made: HttpRequest = RequestFactory().get(path)
    made.user = user
    made.COOKIES["theme"] = theme
    return made


def page(
    template: str,
    context: dict[str, Any],
    *,
    user: User | AnonymousUser = OPERATOR,
    path: str = "/",
    theme: str = "",
) -> Element:
    return tree(render_to_string(template, context, request(user, path, theme)))


def session_page(**changes: Any) -> Element:
    given: dict[str, Any] = {
        "session": session(),
        "conversation": [message(role="user", id="1"), message(id="2", calls=[call()])],
        "earlier": None,
        "turn": turn(),
        "draft": None,
        "waiting": [message(role="user", id="3", waits=True, place=1)],
        "cards": [card(), card(key="pinned", dom_id="card-pinned", pinned=True)],
        "tray": [hidden()],
        "summary": summary(),
        "dock": eviction(),
        "budget": budget(),
        "may_act": True,
        "attach": {"images": 8, "bytes": 20 * 1024 * 1024},
        "rail": [fleet_row()],
        "cursors": {"board": 7, "conversation": 5, "view": "0123456789ab"},
    }
    return page("contextsite/session.html", given | changes, path=f"/sessions/{SESSION_ID}/")


def fleet_page(**changes: Any) -> Element:
    rows = [fleet_row(), fleet_row(id=UUID(int=2), budget=None, status="failed")]
    pages = {"page": {"rows": rows, "previous_url": "", "next_url": "?after=abc"}}
    return page("contextsite/fleet.html", fleet(**(pages | changes)))


def empty_fleet(**changes: Any) -> Element:
    none: dict[str, Any] = {"rows": [], "previous_url": "", "next_url": ""}
    return fleet_page(page=none, **changes)


def entry_page(**changes: Any) -> Element:
    values = {
        "key": "progress",
        "description": "Where it stands",
        "value": "# Half",
        "format": "text",
        "priority": "high",
        "show_in_ui": True,
    }
    given: dict[str, Any] = {
        "session": session(),
        "entry": SimpleNamespace(key="progress", version=15),
        "values": values | changes.pop("values", {}),
        "errors": {},
        "conflict": None,
        "priorities": PRIORITIES,
    }
    return page("memory/entry_edit.html", given | changes)


def conflict(**changes: Any) -> dict[str, Any]:
    given = {"version": 16, "value": "# Theirs", "changed_by": "agent", "age": "3 s ago", "gone": ""}
    return given | changes


def login_page(*, failed: bool = False) -> Element:
    form = {"errors": {"__all__": ["no"]} if failed else {}, "username": {"value": HOSTILE}}
    return page("registration/login.html", {"form": form, "next": "/"}, user=AnonymousUser())


def delete_page() -> Element:
    entry = SimpleNamespace(key=HOSTILE, version=15, description=HOSTILE, tokens=1412)
    return page("memory/entry_delete.html", {"session": session(), "entry": entry, "changed": True})


def all_pages() -> Iterator[tuple[str, Element]]:
    yield "session", session_page()
    yield "member", session_page(may_act=False, turn=None, budget=None, dock=None, cards=[], tray=[])
    yield "hostile session", session_page(session=session(title=HOSTILE, agent=HOSTILE))
    yield "fleet", fleet_page()
    yield "empty fleet", empty_fleet()
    yield "login", login_page(failed=True)
    yield "entry", entry_page(conflict=conflict(value=HOSTILE), errors={"value": "Not JSON."})
    yield "new entry", entry_page(entry=None, errors={"form": "Full."})
    yield "delete", delete_page()
    yield (
        "new session",
        page("contextsite/session_new.html", {"agents": [("a", "A")], "errors": {"message": "Empty."}}),
    )
    yield (
        "refused message",
        page(
            "agents/message_refused.html",
            {
                "session": SimpleNamespace(id=SESSION_ID, profile=SimpleNamespace(name=HOSTILE)),
                "message": HOSTILE,
                "error": HOSTILE,
            },
        ),
    )
    yield "403", page("403.html", {})
    yield "404", page("404.html", {})
    yield "500", rendered("500.html")
    yield "stale form", rendered("403_csrf.html")


PAGES = dict(all_pages())
every_page = pytest.mark.parametrize("shown", PAGES.values(), ids=PAGES.keys())


@every_page
def test_ids_are_unique(shown: Element) -> None:
    assert sorted(shown.ids()) == sorted(set(shown.ids()))


@every_page
def test_nothing_inline_that_the_content_policy_forbids(shown: Element) -> None:
    assert not list(shown.all("style"))
    assert all("src" in script.attributes and not script.text for script in shown.all("script"))
    names = {name for element in shown.all() for name in element.attributes}
    assert not {name for name in names if name == "style" or name.startswith("on")}


@every_page
def test_style_sheets_and_scripts_exist(shown: Element) -> None:
    sources = [link.attributes["href"] for link in shown.all("link")]
    sources += [script.attributes["src"] for script in shown.all("script")]
    assert sources
    assert all(finders.find(source.removeprefix("/static/")) for source in sources)


@every_page
def test_icons_are_in_the_sprite(shown: Element) -> None:
    wanted = {use.attributes["href"].removeprefix("#") for use in shown.all("use")}
    assert wanted <= set(shown.ids())


@every_page
def test_every_reference_leads_to_an_element(shown: Element) -> None:
    ids = set(shown.ids())
    for name in ("for", "form", "aria-labelledby", "popovertarget", "data-copy"):
        for element in shown.all():
            if name in element.attributes:
                assert element.attributes[name] in ids, f"{name}={element.attributes[name]}"


@every_page
def test_there_is_one_main_part_and_a_title(shown: Element) -> None:
    assert shown.one("main").attributes["id"] == "main"
    assert shown.one("title").text.endswith("· contextsite")
    assert len(list(shown.all("h1"))) == 1


@every_page
def test_every_form_that_changes_something_is_protected(shown: Element) -> None:
    for form in shown.all("form", method="post"):
        assert len(list(form.all("input", name="csrfmiddlewaretoken"))) == 1


@every_page
def test_every_button_acts_without_scripts_or_hides_without_them(shown: Element) -> None:
    hidden_parts = [part for part in shown.all() if {"hidden", "data-toast"} & part.attributes.keys()]
    hidden_parts += [part for part in shown.all() if "needs-script" in part.classes]
    idle = [
        button for button in shown.all("button", type="button") if "popovertarget" not in button.attributes
    ]
    for button in idle:
        assert button in hidden_parts or any(button in list(part.all("button")) for part in hidden_parts)


@every_page
def test_every_control_has_a_name(shown: Element) -> None:
    for control in [*shown.all("button"), *shown.all("a"), *shown.all("summary")]:
        assert control.text or control.attributes.get("aria-label")


@every_page
def test_hostile_text_never_becomes_an_element(shown: Element) -> None:
    assert [script.attributes.get("src", "") for script in shown.all("script")] in (
        [],
        ["/static/js/main.js"],
    )


def test_a_session_page_says_where_its_socket_goes_on() -> None:
    root = next(element for element in session_page().all() if "data-socket" in element.attributes)
    assert root.attributes["data-socket"] == f"/ws/sessions/{SESSION_ID}/"
    assert root.attributes["data-board-cursor"] == "7"
    assert root.attributes["data-conversation-cursor"] == "5"
    assert root.attributes["data-view"] == "0123456789ab"


def test_large_cursors_are_written_without_separators() -> None:
    shown = session_page(cursors={"board": 1234567, "conversation": 7654321, "view": ""})
    assert list(shown.all("div", **{"data-board-cursor": "1234567", "data-conversation-cursor": "7654321"}))


def test_operators_write_and_members_only_watch_and_pin() -> None:
    addresses = {name: reverse(name, args=[SESSION_ID]) for name in ("pin", "message-send", "entry-delete")}
    operator = {form.attributes.get("action", "") for form in session_page().all("form")}
    member = {form.attributes.get("action", "") for form in session_page(may_act=False).all("form")}
    assert set(addresses.values()) <= operator
    assert set(addresses.values()) & member == {addresses["pin"]}


def test_a_session_page_without_scripts_says_that_it_is_not_live() -> None:
    assert any("Live updates need JavaScript" in part.text for part in session_page().all("noscript"))


def test_a_pin_returns_to_the_session_without_scripts() -> None:
    form = session_page().one("form", id="pin-form")
    assert form.one("input", name="next").attributes["value"] == f"/sessions/{SESSION_ID}/"


def test_earlier_messages_are_a_link_away() -> None:
    links = session_page(earlier=41).all("a", href="?before=41")
    assert [link.text for link in links] == ["Show earlier messages"]


def test_the_fleet_counts_and_lists_what_it_was_given() -> None:
    shown = fleet_page()
    assert "14 agents, 1,000 sessions" in shown.text
    rows = list(shown.one("tbody").all("tr"))
    assert [row.one("a").attributes["href"] for row in rows] == [
        f"/sessions/{SESSION_ID}/",
        f"/sessions/{UUID(int=2)}/",
    ]
    assert "Not measured yet" in rows[1].text
    assert [link.text for link in shown.one("nav", **{"aria-label": "Pages"}).all("a")] == ["Next"]


def test_an_empty_fleet_offers_one_action_to_those_who_may_start() -> None:
    starters = empty_fleet()
    watchers = empty_fleet(agents=[])
    assert len(list(starters.all("button", popovertarget="new-session"))) == 2  # one opens, one closes
    assert not list(watchers.all("button", popovertarget="new-session"))
    assert "No sessions yet" in watchers.text


def test_a_refused_session_keeps_what_was_typed() -> None:
    given = {
        "agents": [("a", "A"), ("b", "B")],
        "values": {"agent": "b", "title": HOSTILE, "message": HOSTILE},
        "errors": {"message": "Too long."},
    }
    shown = page("contextsite/session_new.html", given)
    assert shown.one("input", id="new-title").attributes["value"] == HOSTILE
    assert "".join(shown.one("textarea", id="new-message").texts) == HOSTILE
    assert shown.one("option", selected="").text == "B"
    assert shown.one(id="new-message-error").text == "Too long."


def test_an_entry_form_shows_the_entry_and_sends_its_version() -> None:
    shown = entry_page(values={"value": HOSTILE, "format": "json"})
    assert "".join(shown.one("textarea").texts) == HOSTILE
    assert shown.one("option", selected="").text == "high"
    assert shown.one("button", name="version").attributes["value"] == "15"
    assert "checked" in shown.one("input", id="format-json").attributes
    assert "checked" in shown.one("input", name="show_in_ui").attributes


def test_a_new_entry_asks_for_its_key() -> None:
    assert entry_page(entry=None).one("input", name="key").attributes["required"] == ""
    assert entry_page().one("input", name="key").attributes["type"] == "hidden"


def test_a_conflict_shows_both_values_and_both_ways_out() -> None:
    shown = entry_page(conflict=conflict())
    assert [value.text for value in shown.all("pre")] == ["# Half", "# Theirs"]
    assert "Agent changed this entry while you were editing." in shown.text
    keep = shown.one("button", name="version")
    assert (keep.text, keep.attributes["value"]) == ("Keep mine", "16")
    assert [link.text for link in shown.all("a") if "Take" in link.text] == ["Take theirs"]


def test_a_conflict_with_a_deletion_says_so() -> None:
    shown = entry_page(entry=None, conflict=conflict(gone="deleted", version=0, value=""))
    assert "The entry was deleted while you were editing." in shown.text
    assert shown.one("button", name="version").attributes["value"] == "0"


def test_deleting_asks_first_and_sends_the_version_that_was_shown() -> None:
    shown = delete_page()
    assert shown.one("button", name="version").attributes["value"] == "15"
    assert shown.one("input", name="key").attributes["value"] == HOSTILE
    assert "The entry was changed meanwhile." in shown.text


def test_a_failed_login_says_so_and_keeps_the_name() -> None:
    shown = login_page(failed=True)
    assert "not right" in next(shown.all(role="alert")).text
    assert shown.one("input", id="username").attributes["value"] == HOSTILE
    assert not list(login_page().all(role="alert"))


@pytest.mark.parametrize(
    ("cookie", "theme"), [("dark", "dark"), ("light", "light"), ("auto", None), (HOSTILE, None), ("", None)]
)
def test_the_theme_comes_from_the_cookie(cookie: str, theme: str | None) -> None:
    assert page("404.html", {}, theme=cookie).one("html").attributes.get("data-theme") == theme


def test_only_staff_is_led_to_the_administration() -> None:
    visitor = page("404.html", {}, user=User(username="mia"))
    assert not [link for link in visitor.all("a") if link.text == "Administration"]
    assert [link for link in page("404.html", {}).all("a") if link.text == "Administration"]


def test_nobody_signed_in_has_no_menu() -> None:
    assert not list(page("404.html", {}, user=AnonymousUser()).all("details"))
