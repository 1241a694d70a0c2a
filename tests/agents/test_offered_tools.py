from typing import Any

import pytest

from agents import session_care
from agents.models import AgentSession
from agents.offered_tools import UnknownTool, faults_of_choice, offered_tools, session_tool
from contextsite.operator_tools import workspace_folder
from tests.agents import waiting_tools
from tests.rows import make_profile, make_session

NAMES = {"calculator", "current_time", "sleep_until", "workspace_read", "workspace_delete"}


def session(**settings: Any) -> AgentSession:
    return AgentSession(settings=settings)


def test_every_offered_tool_says_what_it_does_and_whether_it_asks() -> None:
    offered = {each.name: each for each in offered_tools()}
    assert set(offered) >= NAMES
    assert all(each.description for each in offered.values())
    assert (offered["workspace_delete"].permission, offered["workspace_delete"].risk) == ("ask", "medium")
    assert offered["calculator"].permission == "always"


def test_a_tool_has_the_name_under_which_it_is_offered(settings: Any) -> None:
    settings.HTTP_FETCH_HOSTS = ["example.org"]
    settings.AGENT_TOOLS = settings.AGENT_TOOLS | {"http_fetch": "contextsite.operator_tools.http_fetch"}
    for name in settings.AGENT_TOOLS:
        assert session_tool(name, session()).name == name
    assert "example.org" in session_tool("http_fetch", session()).description


def test_fetching_is_not_offered_unless_hosts_are_listed() -> None:
    assert "http_fetch" not in {each.name for each in offered_tools()}


def test_each_session_has_files_of_its_own(settings: Any, tmp_path: Any) -> None:
    settings.WORKSPACES_DIR = tmp_path / "workspaces"
    mine, other = session(), session()
    session_tool("workspace_write", mine)(path="a.txt", content="mine")
    assert session_tool("workspace_read", mine)(path="a.txt")["text"] == "mine"  # type: ignore[index]
    assert session_tool("workspace_list", other)() == {"files": [], "totalBytes": 0}
    assert (workspace_folder(mine.pk) / "a.txt").read_text() == "mine"
    assert not workspace_folder(other.pk).exists()


def test_a_session_overrules_what_the_tool_asks_for(settings: Any) -> None:
    settings.AGENT_TOOLS = waiting_tools.PATHS
    assert session_tool("plain", session()).permission == "always"
    assert session_tool("plain", session(toolPermissions={"plain": "ask"})).permission == "ask"
    assert session_tool("risky", session(toolPermissions={"risky": "never"})).permission == "ask"


def test_an_unknown_tool_names_the_known_ones(settings: Any) -> None:
    with pytest.raises(UnknownTool, match=r"Known tools: .*calculator"):
        session_tool("nothing", session())
    settings.AGENT_TOOLS = {}
    with pytest.raises(UnknownTool, match="none"):
        session_tool("nothing", session())


@pytest.mark.parametrize(
    ("tools", "permissions", "says"),
    [
        ("calculator", {}, "list of names"),
        ([1], {}, "list of names"),
        (["calculator"], ["ask"], "an object"),
        (["nothing"], {}, "no tool 'nothing'. Choose from: "),
        (["calculator"], {"nothing": "ask"}, "no tool 'nothing'"),
        (["calculator", "calculator"], {}, "twice"),
        (["calculator"], {"calculator": "never"}, "ask or always, not 'never'"),
        (["calculator"], {"calculator": []}, "ask or always"),
    ],
)
def test_a_choice_that_cannot_be_is_explained(tools: Any, permissions: Any, says: str) -> None:
    (fault,) = faults_of_choice(tools, permissions)
    assert says in fault


def test_a_choice_that_can_be_has_no_faults() -> None:
    assert faults_of_choice(["calculator", "workspace_read"], {"workspace_read": "ask"}) == []


@pytest.mark.django_db(transaction=True)
def test_the_files_of_a_deleted_session_are_gone_and_no_others(settings: Any, tmp_path: Any) -> None:
    settings.WORKSPACES_DIR = tmp_path / "workspaces"
    mine, other = make_session(), make_session(make_profile("other"))
    for each in (mine, other):
        session_tool("workspace_write", each)(path="a.txt", content="x")
    (workspace_folder(mine.pk) / "out").symlink_to(workspace_folder(other.pk))
    folder = workspace_folder(mine.pk)
    session_care.delete(mine)
    assert not folder.exists()
    assert (workspace_folder(other.pk) / "a.txt").read_text() == "x"
