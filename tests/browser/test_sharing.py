"""Two people watch one session, each in a browser of their own: what one pins is theirs alone."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.product import Product
from tests.browser.scene import Scene, session_path
from tests.browser.visitor import SERVER_AWAY, Tab

HIDDEN = "nobody was meant to see this"


def hide_and_show(product: Product, scene: Scene) -> None:
    product.stage.do("write", session=scene.session, key="hidden", value=HIDDEN, shown=False)
    product.stage.do("write", session=scene.session, key="open", value="first")


def test_a_pin_changes_the_pages_of_one_person_only(product: Product, scene: Scene, visit: Visit) -> None:
    hide_and_show(product, scene)
    operator = visit(scene.operator.cookie)
    here, there = operator.open(scene.path), operator.open(scene.path, web=1)
    other = visit(scene.member.cookie).open(scene.path)
    for tab in (here, there, other):
        expect(tab.value("open")).to_have_text("first")
        expect(tab.connection).to_have_text("Live")

    here.pin_from_tray("hidden")

    for tab in (here, there):
        expect(tab.value("hidden")).to_have_text(HIDDEN)
        expect(tab.card("hidden")).to_contain_text("Pinned by you")
        # Shown at once although its entry did not change.
        expect(tab.card("hidden").locator(".card__version")).to_contain_text("v1")
    everybody_hears_a_change(product, scene, [here, there, other])
    expect(other.card("hidden")).to_have_count(0)
    assert [frame for frame in other.frames if HIDDEN in frame.text] == []
    assert HIDDEN not in other.page.content()

    there.pin("hidden").click()
    for tab in (here, there):
        expect(tab.card("hidden")).to_have_count(0)
        expect(tab.page.locator("#tray")).to_contain_text("hidden")


def everybody_hears_a_change(product: Product, scene: Scene, tabs: list[Tab]) -> None:
    """Prove that whatever was pushed before has arrived: frames keep their order."""
    product.stage.do("write", session=scene.session, key="open", value="second")
    for tab in tabs:
        expect(tab.value("open")).to_have_text("second")


def test_a_pin_holds_for_every_session_of_the_agent_and_no_other_agent(
    product: Product, scene: Scene, visit: Visit
) -> None:
    hide_and_show(product, scene)
    sibling = product.stage.do("new_session", agent=scene.agent)
    stranger = product.stage.do(
        "new_session", agent=product.stage.do("new_agent", operator=scene.operator.name)
    )
    for session in (sibling, stranger):
        product.stage.do("write", session=session, key="hidden", value=HIDDEN, shown=False)
        product.stage.do("write", session=session, key="open", value="first")
    operator = visit(scene.operator.cookie)
    open_before = operator.open(session_path(sibling))
    expect(open_before.connection).to_have_text("Live")

    tab = operator.open(scene.path)
    tab.pin_from_tray("hidden")
    expect(tab.value("hidden")).to_have_text(HIDDEN)

    expect(open_before.value("hidden")).to_have_text(HIDDEN)
    expect(operator.open(session_path(sibling), web=1).value("hidden")).to_have_text(HIDDEN)
    of_another_agent = operator.open(session_path(stranger))
    expect(of_another_agent.value("open")).to_have_text("first")
    expect(of_another_agent.connection).to_have_text("Live")
    expect(of_another_agent.card("hidden")).to_have_count(0)


def test_a_pin_survives_a_restart_of_the_web_process(product: Product, scene: Scene, visit: Visit) -> None:
    hide_and_show(product, scene)
    operator = visit(scene.operator.cookie)
    operator.expect_faults(SERVER_AWAY)
    tab = operator.open(scene.path)
    tab.pin_from_tray("hidden")
    expect(tab.value("hidden")).to_have_text(HIDDEN)

    product.restart_web()

    expect(tab.connection).to_have_text("Live")
    everybody_hears_a_change(product, scene, [tab])
    expect(tab.value("hidden")).to_have_text(HIDDEN)
    expect(operator.open(scene.path).value("hidden")).to_have_text(HIDDEN)
    assert product.stage.do("pins", name=scene.operator.name) == ["hidden"]
