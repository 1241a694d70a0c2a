import copy
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from agents.context import DEFAULT_FEATURES, AgentContext, PluginRegistry
from agents.context import features as features_module
from agents.context.errors import AlreadyRegistered, FeatureNotReady, FeatureUnavailable, UnknownFeature
from agents.context.features import BUILT_INS, BuiltIn, PluginScope, resolve_features, snake_case
from tests.agents.context.cast import BARE, NotePad, context_of


@pytest.fixture(autouse=True)
def _registry_as_it_was() -> Iterator[None]:
    before = copy.copy(PluginRegistry._plugins)
    yield
    PluginRegistry._plugins.clear()
    PluginRegistry._plugins.update(before)


def test_the_nine_defaults_are_those_of_the_mission() -> None:
    assert dict(DEFAULT_FEATURES) == {
        "task_state": False,
        "in_context_memory": True,
        "working_memory": True,
        "persistent_instructions": False,
        "user_info": False,
        "tool_catalog": False,
        "shared_workspace": False,
        "memory": False,
        "memory_write": False,
    }


def test_evidence_is_known_and_off_and_not_among_the_defaults() -> None:
    assert "evidence" not in DEFAULT_FEATURES
    assert resolve_features(None).evidence is False


def test_features_are_read_in_either_spelling() -> None:
    features = resolve_features({"workingMemory": False})
    assert features.working_memory is False
    assert features["workingMemory"] is features["working_memory"] is False
    assert features.get("inContextMemory") is True
    assert len(features) == len(BUILT_INS)
    assert repr(features).startswith("Features({'task_state': False")


def test_a_feature_that_does_not_exist_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="telepathy"):
        resolve_features(None).telepathy  # noqa: B018
    with pytest.raises(KeyError):
        DEFAULT_FEATURES["telepathy"]


def test_features_can_be_copied() -> None:
    assert dict(copy.copy(DEFAULT_FEATURES)) == dict(DEFAULT_FEATURES)


@pytest.mark.trap("W5.22")
def test_an_explicit_none_keeps_the_default() -> None:
    features = resolve_features({"workingMemory": None, "in_context_memory": None, "userInfo": None})
    assert (features.working_memory, features.in_context_memory, features.user_info) == (True, True, False)


def test_an_unknown_feature_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownFeature, match=r'"telepathy"\. Known features: task_state, in_context_memory'):
        context_of(features={"telepathy": True})


def test_memory_write_needs_memory() -> None:
    with pytest.raises(FeatureNotReady, match='"memory_write" needs feature "memory"'):
        resolve_features({"memoryWrite": True})
    assert resolve_features({"memoryWrite": True, "memory": True}).memory_write


def test_a_feature_whose_plugin_is_not_installed_is_a_typed_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUILT_INS, "evidence", BuiltIn("memory.plugins.nowhere.Nothing"))
    with pytest.raises(
        FeatureUnavailable, match=r"memory\.plugins\.nowhere\.Nothing is not installed"
    ) as caught:
        context_of(features=BARE | {"evidence": True})
    assert caught.value.feature == "evidence"


def test_a_plugin_that_itself_misses_a_module_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> object:
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    monkeypatch.setattr(features_module, "import_module", broken)
    with pytest.raises(ModuleNotFoundError, match="numpy"):
        context_of(features=BARE | {"working_memory": True})


def test_built_in_plugins_come_with_their_features_and_options() -> None:
    context = context_of(
        features={"userInfo": None}, plugins={"inContextMemory": {"max_entries": 3}, "working_memory": {}}
    )
    assert [each.name for each in context.get_plugins()] == ["in_context_memory", "working_memory"]
    assert context.get_plugin("in_context_memory").max_entries == 3
    assert context.memory is context.get_plugin("working_memory")


def test_built_in_plugins_live_on_the_contexts_clock() -> None:
    context = context_of(features={})
    board = context.get_plugin("in_context_memory")
    board.set("k", "d", 1)
    assert board.list()[0]["updatedAt"] == 1_769_798_400_000


def test_a_registered_plugin_is_made_when_its_feature_is_on() -> None:
    scopes: list[PluginScope] = []

    def make(options: Mapping[str, Any], scope: PluginScope) -> NotePad:
        scopes.append(scope)
        return NotePad(**options)

    PluginRegistry.register("note_pad", make, description="writes")
    assert not context_of().has_plugin("note_pad")
    context = AgentContext.create(
        model="gpt-4.1",
        agent_id="a1",
        user_id="u1",
        features=BARE | {"notePad": True},
        plugins={"note_pad": {"text": "hello"}},
    )
    assert context.get_plugin("note_pad").text == "hello"
    assert context.features.note_pad is True
    [scope] = scopes
    assert (scope.agent_id, scope.user_id, scope.features.note_pad) == ("a1", "u1", True)


def test_a_registered_plugin_may_have_a_feature_of_another_name_and_options_under_it() -> None:
    PluginRegistry.register("note_pad", lambda options, scope: NotePad(**options), feature="scribbling")
    context = context_of(features=BARE | {"scribbling": True}, plugins={"scribbling": {"text": "x"}})
    assert context.get_plugin("note_pad").text == "x"


def test_a_registered_plugin_needs_the_features_it_depends_on() -> None:
    PluginRegistry.register("dynamic_ui", lambda options, scope: NotePad(), dependencies=("inContextMemory",))
    with pytest.raises(FeatureNotReady, match='"dynamic_ui" needs feature "in_context_memory"'):
        context_of(features=BARE | {"dynamicUi": True})


def test_a_plugin_present_by_name_is_passed_over() -> None:
    PluginRegistry.register("other", lambda options, scope: NotePad("first"))
    PluginRegistry.register("note_pad", lambda options, scope: NotePad("second"))
    context = context_of(features=BARE | {"other": True, "note_pad": True})
    assert context.get_plugin("note_pad").text == "first"


@pytest.mark.parametrize(
    ("name", "feature"),
    [("working_memory", None), ("note_pad", None), ("else", "workingMemory"), ("else", "note_pad")],
)
def test_taken_names_and_features_are_refused(name: str, feature: str | None) -> None:
    PluginRegistry.register("note_pad", lambda options, scope: NotePad())
    with pytest.raises(AlreadyRegistered, match="already registered"):
        PluginRegistry.register(name, lambda options, scope: NotePad(), feature=feature)


def test_the_registry_tells_what_it_has() -> None:
    def make(options: Mapping[str, Any], scope: PluginScope) -> NotePad:
        return NotePad()

    PluginRegistry.register("note_pad", make, description="writes", dependencies=("workingMemory",))
    assert PluginRegistry.has("note_pad")
    assert PluginRegistry.get("note_pad") is make
    assert PluginRegistry.list() == ("note_pad",)
    info = PluginRegistry.get_info("note_pad")
    assert info is not None
    assert (info.feature, info.description, info.needs) == ("note_pad", "writes", ("working_memory",))
    assert PluginRegistry.remove("note_pad")
    assert not PluginRegistry.remove("note_pad")
    assert PluginRegistry.get("note_pad") is None
    assert PluginRegistry.get_info("note_pad") is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [("workingMemory", "working_memory"), ("memory", "memory"), ("dynamicUI", "dynamic_ui"), ("a_b", "a_b")],
)
def test_camel_case_becomes_snake_case(given: str, expected: str) -> None:
    assert snake_case(given) == expected


def test_features_are_read_only() -> None:
    features: Any = context_of(features={}).features
    for name in ("working_memory", "workingMemory", "anything"):
        with pytest.raises(AttributeError, match="choose them when the context is made"):
            setattr(features, name, False)
    with pytest.raises(TypeError):
        features["working_memory"] = False
    assert features.working_memory is features["working_memory"] is True
    assert copy.deepcopy(features) == features
