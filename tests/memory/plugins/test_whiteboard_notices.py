import logging
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable

import pytest

from agents.context.json_values import JSON
from memory.plugins.whiteboard import InContextMemory, WhiteboardFull
from tests.memory.manual_time import ManualTime
from tests.memory.plugins.whiteboard_cast import filled

Delivery = list[dict[str, JSON]]


@pytest.fixture
def time() -> ManualTime:
    return ManualTime()


@pytest.fixture
def deliveries() -> list[Delivery]:
    return []


@pytest.fixture
def board(time: ManualTime, deliveries: list[Delivery]) -> InContextMemory:
    return InContextMemory(on_entries_changed=deliveries.append, scheduler=time)


def test_five_sets_in_a_burst_are_one_call_with_five_entries(
    board: InContextMemory, time: ManualTime, deliveries: list[Delivery]
) -> None:
    filled(board, *((key, "normal") for key in "abcde"))

    time.advance_to(99)
    assert deliveries == []
    time.advance_to(100)
    assert [[entry["key"] for entry in delivery] for delivery in deliveries] == [["a", "b", "c", "d", "e"]]


def test_a_call_gets_all_full_entries_in_wire_form(
    board: InContextMemory, time: ManualTime, deliveries: list[Delivery]
) -> None:
    board.set("shown", "d", {"x": 1}, "high", True)
    board.set("hidden", "d", 2)
    time.advance_to(100)

    assert deliveries == [list(board.get_contents().values())]
    assert {"key", "description", "value", "priority", "showInUI", "updatedAt"} == set(deliveries[0][0])


@pytest.mark.trap("W1.10")
def test_a_call_gets_copies(board: InContextMemory, time: ManualTime, deliveries: list[Delivery]) -> None:
    board.set("a", "d", {"x": 1})
    time.advance_to(100)

    deliveries[0][0]["value"] = "changed"

    assert board.get("a") == {"x": 1}


@pytest.mark.trap("W1.2")
def test_a_steady_stream_of_writes_does_not_starve_the_callback(
    board: InContextMemory, time: ManualTime, deliveries: list[Delivery]
) -> None:
    for moment in range(0, 600, 50):
        time.advance_to(moment)
        board.set("count", "d", moment)
    time.advance_to(1_000)

    assert [delivery[0]["value"] for delivery in deliveries] == [450, 550]


@pytest.mark.trap("W1.3")
def test_destroy_delivers_what_was_not_delivered_yet(
    board: InContextMemory, time: ManualTime, deliveries: list[Delivery]
) -> None:
    board.set("last", "d", 1)
    board.destroy()
    time.advance_to(1_000)

    assert [[entry["key"] for entry in delivery] for delivery in deliveries] == [["last"]]


def test_flush_delivers_at_once(board: InContextMemory, deliveries: list[Delivery]) -> None:
    board.set("a", "d", 1)
    board.flush()
    board.flush()

    assert len(deliveries) == 1


def test_every_kind_of_change_is_delivered(
    board: InContextMemory, time: ManualTime, deliveries: list[Delivery]
) -> None:
    changes: list[Callable[[], object]] = [
        lambda: filled(board, ("a", "low"), ("b", "low")),
        lambda: board.delete("a"),
        lambda: board.compact(1),
        lambda: board.restore_state({"entries": [{"key": "c", "value": 1}]}),
        board.clear,
    ]
    for number, change in enumerate(changes, start=1):
        change()
        board.flush()
        assert len(deliveries) == number


def test_clearing_an_empty_board_is_delivered_too(board: InContextMemory, deliveries: list[Delivery]) -> None:
    board.clear()
    board.flush()

    assert deliveries == [[]]
    assert board.revision == 0


def test_what_changes_nothing_is_not_delivered(board: InContextMemory, deliveries: list[Delivery]) -> None:
    filled(board, ("a", "critical"))
    board.flush()

    board.set("a", "about a", "value")
    board.delete("missing")
    board.compact(100)
    board.restore_state(board.get_state())
    board.restore_state({})
    board.adopt(board.entries())
    with pytest.raises(WhiteboardFull):
        board.set("big", "d", "x " * 100_000)
    board.flush()

    assert len(deliveries) == 1


def test_the_revision_says_which_delivery_is_newer(board: InContextMemory) -> None:
    seen: list[int] = []
    board.on_entries_changed = lambda entries: seen.append(board.revision)

    for value in range(3):
        board.set("a", "d", value)
        board.set("b", "d", value)
        board.flush()

    assert seen == [2, 4, 6]


def test_a_callback_that_fails_disturbs_nothing(time: ManualTime, caplog: pytest.LogCaptureFixture) -> None:
    def fail(entries: Delivery) -> None:
        raise OSError("sidebar is gone")

    board = InContextMemory(on_entries_changed=fail, scheduler=time)
    with caplog.at_level(logging.ERROR):
        board.set("a", "d", 1)
        time.advance_to(100)

    assert board.get("a") == 1
    assert "sidebar is gone" in caplog.text


def test_a_coroutine_function_is_run_to_its_end(time: ManualTime) -> None:
    seen: list[int] = []

    async def update(entries: Delivery) -> None:
        seen.append(len(entries))

    board = InContextMemory(on_entries_changed=update, scheduler=time)
    filled(board, ("a", "low"), ("b", "low"))
    board.flush()

    assert seen == [2]


def test_a_callback_may_use_the_board(time: ManualTime) -> None:
    seen: list[int] = []

    def count(entries: Delivery) -> None:
        seen.append(len(entries))
        if len(entries) < 3:
            own.set(f"more{len(entries)}", "d", 1)
            own.flush()

    own = InContextMemory(on_entries_changed=count, scheduler=time)
    own.set("a", "d", 1)
    time.advance_to(1_000)

    assert seen == [1, 2, 3]


def test_a_callback_removed_meanwhile_is_not_called(
    board: InContextMemory, time: ManualTime, deliveries: list[Delivery]
) -> None:
    board.set("a", "d", 1)
    board.on_entries_changed = None
    board.set("b", "d", 1)
    time.advance_to(1_000)

    assert deliveries == []


def test_destroy_does_not_hold_the_board_while_the_callback_runs() -> None:
    read_elsewhere: list[str | None] = []

    def read(entries: Delivery) -> None:
        reader = threading.Thread(target=lambda: read_elsewhere.append(own.get_content()))
        reader.start()
        reader.join(30)

    own = InContextMemory(on_entries_changed=read, scheduler=ManualTime())
    own.set("a", "d", 1)
    own.destroy()

    assert len(read_elsewhere) == 1
    assert read_elsewhere[0] is not None


def test_a_sidebar_in_a_process_of_its_own_follows_and_gets_the_last_value() -> None:
    # Real time on purpose: 2 s of changes every 50 ms, then the process ends without a word.
    script = """
        import time
        from memory.plugins.whiteboard import InContextMemory

        def update_sidebar(entries):
            visible = [entry for entry in entries if entry["showInUI"]]
            print(*(entry["value"] for entry in visible), flush=True)

        board = InContextMemory(on_entries_changed=update_sidebar)
        for step in range(41):
            board.set("progress", "Steps done", step, "high", True)
            board.set("secret", "Not for the sidebar", -step)
            time.sleep(0.05)
        board.set("progress", "Steps done", "done")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    shown = done.stdout.split()

    assert done.stderr == ""
    assert len(shown) >= 3
    assert shown[-1] == "done"
    # The other entry changes too, so a value may be shown again; never an older one.
    assert [int(step) for step in shown[:-1]] == sorted(int(step) for step in shown[:-1])
