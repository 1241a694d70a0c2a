import pytest
from django.utils import translation

from tests.templates.markup import rendered
from tests.templates.samples import HOSTILE, SESSION_ID, budget, fleet_row

STATUSES = ["idle", "queued", "running", "waiting", "sleeping", "compacting", "failed"]


@pytest.mark.parametrize("status", STATUSES)
def test_status_is_a_word_beside_its_shape(status: str) -> None:
    page = rendered("agents/_status.html", status=status, turn_number=18, model="gpt-4.1")
    assert page.one(id="session-status").text == f"{status.capitalize()} turn 18 gpt-4.1"
    assert page.one("use").attributes["href"] == f"#s-{status}"


@pytest.mark.parametrize("status", STATUSES)
def test_every_status_has_an_icon_in_the_sprite(status: str) -> None:
    assert f"s-{status}" in rendered("_icons.html").ids()


def test_a_session_in_the_archive_says_so() -> None:
    page = rendered("agents/_status.html", status="idle", turn_number=2, model="gpt-4.1", archived=True)
    assert page.text == "Idle In the archive turn 2 gpt-4.1"


def test_a_session_without_turns_names_none() -> None:
    page = rendered("agents/_status.html", status="idle", turn_number=None, model="gpt-4.1")
    assert page.text == "Idle gpt-4.1"


def test_the_bar_is_drawn_from_numbers_of_the_server() -> None:
    page = rendered("agents/_budget.html", budget=budget())
    bars = [
        (bar.attributes["class"], bar.attributes["x"], bar.attributes["width"]) for bar in page.all("rect")
    ]
    assert bars == [("seg-system", "0.00%", "1.44%"), ("seg-reserve", "1.44%", "3.20%")]
    assert [line.attributes["x1"] for line in page.all("line")] == ["75.13%", "90.00%"]


def test_the_number_stands_beside_the_bar() -> None:
    page = rendered("agents/_budget.html", budget=budget())
    assert "Context 71,204 of 128,000 tokens 55.6 %" in page.text.replace("\xa0", " ")
    assert page.one(id="budget").attributes["data-level"] == "ok"


@pytest.mark.parametrize(("level", "warns"), [("ok", 0), ("warn", 1), ("critical", 1)])
def test_a_high_level_has_a_sign_as_well_as_a_colour(level: str, warns: int) -> None:
    page = rendered("agents/_budget.html", budget=budget(level=level))
    assert len(list(page.all("use", href="#i-alert"))) == warns


def test_a_budget_that_nobody_measured_keeps_its_place() -> None:
    section = rendered("agents/_budget.html", budget=None).one(id="budget")
    assert section.text == "Context measured at the first model call"
    assert section.attributes["data-level"] == "ok"


def test_numbers_in_attributes_ignore_the_language() -> None:
    with translation.override("de"):
        page = rendered("_bar.html", segments=budget().segments, marks=[75.5], label="use", large=False)
    assert [rect.attributes["x"] for rect in page.all("rect")] == ["0.00%", "1.44%"]


def test_the_rail_marks_the_open_session_and_escapes_the_others() -> None:
    other = fleet_row(id="01970000-0000-7000-8000-00000000000f", title=HOSTILE, agent=HOSTILE, percent=None)
    page = rendered("agents/_rail.html", rail=[fleet_row(), other], session_id=SESSION_ID)
    links = list(page.one(id="rail").all("a"))
    assert [link.attributes.get("aria-current") for link in links] == ["page", None]
    assert "56\xa0%" in "".join(links[0].texts)
    assert "%" not in links[1].text.replace("{% now 'Y' %}", "")
    assert not list(page.all("script"))
