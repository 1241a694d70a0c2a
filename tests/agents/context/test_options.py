from typing import Any

import pytest

from agents.context import AgentContext
from agents.context.errors import InvalidKeyword, InvalidOption, UnknownFeature
from agents.context.options import KINDS, ContextOptions
from tests.agents.context.cast import context_of

CLASS: Any = type(
    "FileStorage", (), {"save": 1, "load": 1, "exists": 1, "delete": 1, "list": 1, "journal": 1}
)


def test_every_option_has_its_kind() -> None:
    assert KINDS.keys() == ContextOptions.__annotations__.keys()


class Counting:
    """An estimator that gives what it is told; an exception is raised."""

    def __init__(self, text: Any, *, data: Any = 1, image: Any = 1) -> None:
        self.answers = (text, data, image)

    def estimate_tokens(self, text: str, content_type: str = "mixed") -> Any:
        if isinstance(self.answers[0], Exception):
            raise self.answers[0]
        return self.answers[0]

    def estimate_data_tokens(self, data: object) -> Any:
        return self.answers[1]

    def estimate_image_tokens(self, *_: object) -> Any:
        return self.answers[2]


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("model", None, "model is the name of a model, such as openai:gpt-4.1, not None"),
        ("model", " ", "model is the name of a model"),
        (
            "max_context_tokens",
            "8000",
            "max_context_tokens is a whole number of at least 1, or None, not '8000'",
        ),
        ("max_context_tokens", 0, "max_context_tokens is a whole number of at least 1"),
        ("max_context_tokens", True, "max_context_tokens is a whole number"),
        ("response_reserve", 0.5, "response_reserve is a whole number, not 0.5"),
        ("system_prompt", 5, "system_prompt is a text, or None, not 5"),
        ("agent_id", b"a", "agent_id is a text, or None, not a value of type bytes"),
        ("user_id", 5, "user_id is a text, or None, not 5"),
        ("tools", print, "tools is a list of tools, not a value of type builtin_function_or_method"),
        ("tools", "look", "tools is a list of tools, not 'look'"),
        ("features", ["working_memory"], "features is a mapping, or None, not a value of type list"),
        (
            "features",
            {"working_memory": "no"},
            "The feature working_memory is True or False, or None, not 'no'",
        ),
        ("features", {"workingMemory": 1}, "The feature working_memory is True or False, or None, not 1"),
        ("strategy", None, "strategy is a text, not None"),
        ("commit_compaction", "yes", "commit_compaction is a function, or None, not 'yes'"),
        ("critical_gate", "0.9", "critical_gate is a number from 0.5 to 1.0, not '0.9'"),
        ("critical_gate", float("nan"), "critical_gate is a number from 0.5 to 1.0, not nan"),
        (
            "storage",
            "a folder",
            "storage is a storage, which has save, load, exists, delete, list, journal, or None",
        ),
        ("storage", CLASS, "storage is a storage, which has .*, not the class FileStorage"),
        ("plugins", [], "plugins is a mapping, or None, not a value of type list"),
        (
            "plugins",
            {"whiteboard": {}},
            "A name in plugins is one of task_state, in_context_memory, .*'whiteboard'",
        ),
        ("plugins", {"working_memory": 5}, r"plugins\['working_memory'\] is a mapping, not 5"),
        ("plugins", {5: {}}, "A name in plugins is one of .*, not '5'"),
        ("estimator", len, "estimator is an estimator, which has estimate_tokens, estimate_data_tokens, "),
        ("lifecycle_hooks", print, "lifecycle_hooks is a mapping, or None"),
        ("volatile_placement", "end", "volatile_placement is one of mission, tail, not 'end'"),
        ("tool_timeout_ms", "5", "tool_timeout_ms is a whole number of at least 0, not '5'"),
        ("tool_timeout_ms", -1, "tool_timeout_ms is a whole number of at least 0, not -1"),
        (
            "journal_filter",
            "user",
            "journal_filter is a list of user, assistant, tool_result, system, or None",
        ),
        ("journal_filter", ["users"], "journal_filter is a list of user, assistant, tool_result, system"),
        ("clock", 5, "clock is a function, not 5"),
        (
            "clock",
            lambda: 1.5,
            "What the clock gives is a whole number of milliseconds since 1970, .* not 1.5",
        ),
        ("clock", lambda: 10**18, "What the clock gives is a whole number of milliseconds since 1970"),
        ("clock", lambda: -1, "What the clock gives is a whole number of milliseconds since 1970"),
        ("clock", lambda: True, "What the clock gives is a whole number of milliseconds since 1970"),
        ("clock", lambda: 1 / 0, r"The clock failed: division by zero\."),
        (
            "estimator",
            Counting(float("nan")),
            "What estimate_tokens of the estimator gives is a whole number of",
        ),
        ("estimator", Counting("5"), "What estimate_tokens of the estimator gives .* not '5'"),
        ("estimator", Counting(None), "What estimate_tokens of the estimator gives .* not None"),
        ("estimator", Counting(-12), "What estimate_tokens of the estimator gives .* not -12"),
        ("estimator", Counting(1, data=None), "What estimate_data_tokens of the estimator gives .* not None"),
        ("estimator", Counting(1, image=1.5), "What estimate_image_tokens of the estimator gives .* not 1.5"),
        ("estimator", Counting(ValueError("no")), r"estimate_tokens of the estimator failed: no\."),
    ],
)
def test_an_option_that_is_not_what_it_may_be_is_refused(option: str, value: Any, words: str) -> None:
    with pytest.raises(InvalidOption, match=words):
        context_of(**{"features": {}, option: value})


@pytest.mark.parametrize(
    "options",
    [
        {
            "max_context_tokens": None,
            "system_prompt": None,
            "storage": None,
            "plugins": None,
            "estimator": None,
        },
        {"features": {"workingMemory": None, "in_context_memory": True}},
        {"journal_filter": ("user", "system")},
        {"journal_filter": {"user"}},
        {"plugins": {"inContextMemory": {"max_entries": 3}}},
        {"critical_gate": 1},
        {"tools": iter(())},
        {"estimator": Counting(0)},
        {"clock": lambda: 0},
        {"clock": lambda: 253_402_300_799_999},
    ],
)
def test_what_the_options_may_be_is_taken(options: Any) -> None:
    assert AgentContext.create(model="gpt-4.1", **options)


def test_a_feature_that_is_no_text_is_unknown() -> None:
    features: Any = {5: True}
    with pytest.raises(UnknownFeature, match='Unknown feature "5"'):
        context_of(features=features)


def test_an_option_that_a_plugin_does_not_have_is_refused() -> None:
    with pytest.raises(InvalidKeyword, match=r'Plugin "in_context_memory": .*max_entry'):
        context_of(features={}, plugins={"in_context_memory": {"max_entry": 5}})


@pytest.mark.parametrize("model", [None, "", 5])
def test_a_model_that_has_no_name_is_refused_later_too(model: Any) -> None:
    context = context_of()
    with pytest.raises(InvalidOption, match="model is the name of a model"):
        context.set_model(model)
    assert context.model == "gpt-4.1"


def test_a_system_prompt_that_is_no_text_is_refused_later_too() -> None:
    context: Any = context_of(system_prompt="You help.")
    with pytest.raises(InvalidOption, match="system_prompt is a text, or None, not 5"):
        context.system_prompt = 5
    assert context.system_prompt == "You help."
