from agents.connectors.base import Done, Usage
from agents.connectors.scripted import say
from agents.loop.events import CallStarted, ReplyDiscarded, ReplyStored, TurnFinished
from agents.loop.response import add_usage, tally


def test_usage_adds_up_over_all_calls_kept_or_not() -> None:
    total = tally(
        [
            CallStarted(1),
            ReplyDiscarded(Done([], Usage(10, 0)), 1.0),
            ReplyStored(Done(say("a"), Usage(20, 5, cached_tokens=8))),
            ReplyStored(Done(say("b"), Usage(30, 7))),
            TurnFinished("b"),
        ]
    )
    assert total.usage == Usage(60, 12, cached_tokens=8)
    assert total.output == say("b")
    assert total.end == TurnFinished("b")


def test_what_nobody_knows_stays_unknown() -> None:
    assert add_usage(Usage(), Usage()) == Usage()
    assert add_usage(Usage(1), Usage()) == Usage(1)
    assert add_usage(Usage(), Usage(1)) == Usage(1)
