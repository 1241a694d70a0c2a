"""An operator and an agent that asks a provider over HTTP: from the first message to the receipt."""

import json
import re
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visit, either_mode
from tests.browser.product import Product
from tests.browser.scene import Scene
from tests.browser.visitor import Tab
from tests.providers.answers import Answer, Call
from tests.providers.chat_format import chunks, error
from tests.providers.server import FakeProvider, Pause, Reply, refusal

pytestmark = either_mode

# A worker loads the clients of the providers when it needs them first.
FIRST_ANSWER_MS = 60_000


def halted(*text: str) -> tuple[Reply, Pause]:
    """Return an answer that stops in the middle of its last words."""
    pause = Pause()
    *sent, last, end, usage, done = chunks(Answer(text=text))
    return Reply([*sent, pause, last, end, usage, done]), pause


def calling(*calls: tuple[str, str, dict[str, str]], text: str = "") -> Answer:
    made = tuple(Call(id_, name, (json.dumps(arguments),)) for id_, name, arguments in calls)
    return Answer(text=(text,) if text else (), calls=made)


def say(tab: Tab, text: str) -> None:
    expect(tab.connection).to_have_text("Live")
    box = tab.page.get_by_role("textbox", name=re.compile("^Message to"))
    box.fill(text)
    box.press("Enter")


def log(tab: Tab) -> Locator:
    return tab.page.get_by_role("log")


def state(tab: Tab) -> Locator:
    return tab.page.locator("#turn-state")


def press(tab: Tab, name: str, *, within: Locator | None = None) -> None:
    (within or tab.page).get_by_role("button", name=name, exact=True).click()


def approval(tab: Tab, tool: str) -> Locator:
    return tab.page.get_by_role("group", name=f"Approval of {tool}")


def test_an_operator_starts_streams_stops_retries_and_sees_what_the_model_saw(
    product: Product, provider: FakeProvider, agent: Scene, visit: Visit
) -> None:
    reply, pause = halted("The first words arrive ", "and these never do.")
    provider.script(reply)
    tab = visit(agent.operator.cookie).open("/sessions/new/")
    tab.page.get_by_label("Title").fill("Fetch the mail")
    tab.page.get_by_label("First message").fill("What is new?")
    press(tab, "Start session")
    expect(log(tab)).to_contain_text("What is new?")
    expect(log(tab)).to_contain_text("The first words arrive", timeout=FIRST_ANSWER_MS)
    press(tab, "Stop")
    expect(state(tab)).to_have_attribute("data-status", "cancelled")
    expect(log(tab)).to_contain_text("The first words arrive")
    assert pause.left.wait(10)
    provider.script(Answer(text=("Nothing, ", "it seems.")))
    press(tab, "Retry")
    expect(log(tab)).to_contain_text("Nothing, it seems.")

    provider.script(refusal(401, error("invalid_api_key", "No such key.")))
    say(tab, "Go on.")
    expect(state(tab)).to_contain_text("Turn 2 failed.")
    provider.script(Answer(text=("There is ", "**nothing** new.")))
    press(tab, "Retry now")
    expect(log(tab).locator("strong", has_text="nothing")).to_be_visible()
    expect(state(tab)).to_have_attribute("data-status", "succeeded")

    session = tab.page.url.rstrip("/").rsplit("/", 1)[-1]
    product.stage.do("write", session=session, key="mode", value="thorough")
    seen = tab.card("mode").locator(".card__seen")
    expect(seen).to_contain_text("not yet seen")
    tab.choose("mode", "Edit")
    tab.page.get_by_label("Value", exact=True).fill("quick")
    press(tab, "Save entry")
    expect(tab.value("mode")).to_contain_text("quick")
    provider.script(Answer(text=("Quick it is.",)))
    say(tab, "How do you work?")
    expect(log(tab)).to_contain_text("Quick it is.")
    expect(seen).to_contain_text("turn 3, call 1")
    assert "quick" in json.dumps(provider.requests[-1].body)


def test_an_operator_approves_denies_stops_and_wakes_an_agent_that_waits(
    product: Product, provider: FakeProvider, agent: Scene, visit: Visit
) -> None:
    files = Path(product.environment["CONTEXTSITE_DATA"]) / "workspaces" / agent.session
    operator = visit(agent.operator.cookie).open(agent.path)
    member = visit(agent.member.cookie).open(agent.path)
    provider.script(
        calling(
            ("c1", "workspace_write", {"path": "keep.txt", "content": "keep"}),
            ("c2", "workspace_delete", {"path": "</pre><b>keep.txt"}),
            ("c3", "calculator", {"expression": "6 * 7"}),
            ("c4", "workspace_delete", {"path": "keep.txt"}),
            text="I clean up.",
        )
    )
    say(operator, "Clean up.")
    expect(state(operator)).to_contain_text("waits for an approval")
    expect(operator.page.locator("#session-status")).to_have_attribute("data-status", "waiting")
    asked = approval(operator, "workspace_delete")
    expect(asked).to_have_count(2)
    expect(asked.first.get_by_label("Exact arguments")).to_have_text('{ "path": "</pre><b>keep.txt" }')
    assert (files / "keep.txt").read_text() == "keep"
    expect(approval(member, "workspace_delete").first).to_contain_text("An operator of this agent decides.")
    expect(member.page.get_by_role("button", name="Approve")).to_have_count(0)

    asked.first.get_by_role("textbox").fill("That is no name of a file.")
    press(operator, "Deny", within=asked.first)
    expect(asked).to_have_count(1)
    provider.script(Answer(text=("Gone.",)))
    press(operator, "Approve", within=asked)
    expect(log(operator)).to_contain_text("Gone.")
    expect(log(member)).to_contain_text("Gone.")
    assert not (files / "keep.txt").exists()
    told = json.dumps(provider.requests[-1].body)
    assert "Reason: That is no name of a file." in told
    results = [each for each in provider.requests[-1].body["messages"] if each["role"] == "tool"]
    assert [each["tool_call_id"] for each in results] == ["c1", "c2", "c3", "c4"]
    expect(log(operator)).to_contain_text(f"approved by {agent.operator.name}")
    stops_and_wakes(provider, operator)


def stops_and_wakes(provider: FakeProvider, operator: Tab) -> None:
    provider.script(calling(("c5", "workspace_delete", {"path": "a.txt"})))
    say(operator, "Delete it.")
    expect(approval(operator, "workspace_delete")).to_be_visible()
    press(operator, "Stop")
    expect(state(operator)).to_have_attribute("data-status", "cancelled")
    expect(approval(operator, "workspace_delete")).to_have_count(0)
    provider.script(Answer(calls=(Call("c6", "sleep_until", ('{"minutes": 30}',)),)))
    say(operator, "Sleep.")
    expect(state(operator)).to_contain_text("Turn 3 waits until")
    provider.script(Answer(text=("Up already.",)))
    press(operator, "Wake now")
    expect(log(operator)).to_contain_text("Up already.")
    expect(state(operator)).to_have_attribute("data-status", "succeeded")
    assert "woke you before the time" in json.dumps(provider.requests[-1].body)
