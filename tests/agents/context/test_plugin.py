from agents.context import ApproximateTokenEstimator, BasePlugin, ContextPlugin
from agents.context.plugin import ContextPlugin as Protocol
from tests.agents.context.cast import CountingEstimator, Shelf, context_of


class Plain(BasePlugin):
    name = "plain"


def test_the_base_class_fulfils_the_protocol() -> None:
    assert isinstance(Plain(), ContextPlugin)
    assert Protocol is ContextPlugin


def test_a_plugin_that_overrides_nothing_says_and_keeps_nothing() -> None:
    plugin = Plain()
    assert plugin.get_instructions() is None
    assert plugin.get_content() is None
    assert plugin.get_contents() is None
    assert plugin.get_state() == {}
    assert plugin.restore_state({"any": 1}) is None
    assert plugin.get_tools() == ()
    assert plugin.destroy() is None


def test_a_plugin_that_overrides_nothing_frees_nothing() -> None:
    plugin = Plain()
    assert not plugin.is_compactable()
    assert plugin.compact(100) == 0
    assert plugin.compaction_priority == 10


def test_the_token_size_is_what_was_last_set() -> None:
    plugin = Plain()
    assert plugin.get_token_size() == 0
    plugin.update_token_cache(12)
    assert plugin.get_token_size() == 12
    assert Plain().get_token_size() == 0
    plugin.invalidate_token_cache()
    assert plugin.get_token_size() == 0


def test_the_estimator_is_approximate_until_the_plugin_is_registered() -> None:
    plugin = Plain()
    assert isinstance(plugin.estimator, ApproximateTokenEstimator)
    own = CountingEstimator()
    context_of(estimator=own).register_plugin(plugin)
    assert plugin.estimator is own


def test_an_estimator_of_its_own_stays() -> None:
    class Careful(Plain):
        def __init__(self) -> None:
            self.estimator = CountingEstimator()

    plugin = Careful()
    own = plugin.estimator
    context_of().register_plugin(plugin)
    assert plugin.estimator is own


def test_a_plugin_with_the_store_methods_is_still_a_plugin() -> None:
    assert isinstance(Shelf(), ContextPlugin)
