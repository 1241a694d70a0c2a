"""A turn that cannot run says why, and offers to try again."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.product import Product
from tests.browser.scene import Scene


def test_a_model_without_a_connector_is_named_and_can_be_retried(product: Product, visit: Visit) -> None:
    scene = Scene.of(product.stage.do("scene", model="nobody:home"))
    tab = visit(scene.operator.cookie).open(scene.path)
    expect(tab.connection).to_have_text("Live")
    box = tab.page.get_by_role("textbox", name=re.compile("^Message to"))
    box.fill("Is anybody there?")
    box.press("Enter")
    state = tab.page.locator("#turn-state")
    expect(state).to_contain_text("Turn 1 failed. No connector is set up for 'nobody'")
    expect(tab.page.locator("#session-status")).to_have_attribute("data-status", "failed")
    expect(tab.page.get_by_role("log")).to_contain_text("Is anybody there?")
    with tab.page.expect_response(re.compile("/retry/")):
        tab.page.get_by_role("button", name="Retry now").click()
    for _ in range(400):
        if product.stage.do("turns", session=scene.session) == ["failed"]:
            break
        tab.page.wait_for_timeout(50)
    assert product.stage.do("turns", session=scene.session) == ["failed"]
    expect(state).to_contain_text("Turn 1 failed.")
