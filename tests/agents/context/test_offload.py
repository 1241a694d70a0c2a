import pytest

from agents.context import Tool
from agents.context.cut_texts import cut_text
from agents.context.json_values import JSON
from agents.context.messages import InputItem, ToolUse
from agents.context.offload import Call, Offloader, find_call
from agents.context.store_tools import StoreRouter
from agents.context.stores import StoreResult
from agents.context.toolbox import ToolManager
from memory.plugins.notes import WorkingMemory
from tests.agents.context.cast import Shelf, user


def offloader_of(store: object | None, *tools: Tool) -> Offloader:
    router, manager = StoreRouter(), ToolManager()
    if store is not None:
        router.put(store)  # type: ignore[arg-type]
    for each in tools:
        manager.register(each)
    return Offloader(router, manager)


def _call(arguments: str) -> InputItem:
    use: ToolUse = {"type": "tool_use", "id": "c", "name": "look", "arguments": arguments}
    return {"type": "message", "id": "a", "role": "assistant", "content": [use]}


def test_the_full_text_is_kept_as_a_raw_note_under_a_readable_key() -> None:
    notes = WorkingMemory()
    key = offloader_of(notes).keep("call_1", Call("web search", {}), "all of it")
    assert key is not None
    assert key.startswith("raw.tool_result.web_search.call_1.")
    assert notes.retrieve(key) == "all of it"


def test_two_calls_with_ids_that_look_alike_do_not_meet() -> None:
    offloader = offloader_of(WorkingMemory())
    keys = {
        offloader.keep(each, Call("t", {}), each) for each in ("a/b", "a_b", "a.b", "x" * 500, "x" * 501, "")
    }
    assert len(keys) == 6


def test_a_reused_id_gets_a_note_of_its_own() -> None:
    notes = WorkingMemory()
    offloader = offloader_of(notes)
    keys = [offloader.keep("call_0", Call("read", {}), text * 100_000) for text in ("a", "b", "a")]
    assert keys[1] == f"{keys[0]}.2"
    assert keys[2] == keys[0]
    assert [entry.value for entry in notes.entries()] == ["a" * 100_000, "b" * 100_000]


def test_keeping_looks_at_notes_without_using_them() -> None:
    notes = WorkingMemory()
    offloader = offloader_of(notes)
    for text in ("a", "b", "b"):
        offloader.keep("call_0", Call("read", {}), text)
    assert [entry.access_count for entry in notes.entries()] == [0, 0]


def test_a_cut_text_is_found_under_the_key_that_it_names() -> None:
    notes = WorkingMemory()
    offloader = offloader_of(notes)
    call = Call("read", {})
    keys = [offloader.keep("call_0", call, start + "x" * 1_000) for start in ("a", "b")]
    cut = cut_text("b" + "x" * 1_000, 100, keys[1])
    assert offloader.keep("call_0", call, cut) == keys[1]
    assert notes.count == 2


@pytest.mark.parametrize(
    "text",
    [
        "all of it\n\n[Cut: anything]",
        "all of it\n\n[Cut: 9.8 KB, of which the first 3.2 KB are shown.]",
        "all of it\n\n" + cut_text("word", 0, "raw.gone"),
        "all of it\n\n" + cut_text("word", 0, "raw.other"),
        "all of it " + cut_text("word", 0, "raw.other"),
        cut_text("word", 0, "raw.gone"),
    ],
)
def test_a_text_that_only_looks_cut_is_kept_like_any_other(text: str) -> None:
    notes = WorkingMemory()
    notes.store("other", "another note", "something else", tier="raw")
    key = offloader_of(notes).keep("c", Call("read", {}), text)
    assert key is not None
    assert notes.retrieve(key) == text


def test_a_store_that_cannot_be_looked_into_is_not_written_to() -> None:
    class Blind(Shelf):
        def store_get(self, key: str | None = None) -> StoreResult:
            raise RuntimeError("no")

    shelf = Blind("notes")
    assert offloader_of(shelf).keep("c", Call("t", {}), "text") is None
    assert shelf.entries == {}


@pytest.mark.parametrize("use_id", ["../../etc", "é" * 40, "\ud800", "..", "a" * 1_000])
def test_any_id_makes_a_key_that_notes_accept(use_id: str) -> None:
    key = offloader_of(WorkingMemory()).keep(use_id, Call("t", {}), "text")
    assert key is not None


def test_the_note_is_described_by_tool_and_call() -> None:
    shelf = Shelf("notes")
    tool = Tool("search", print, "", {})
    offloader_of(shelf, tool).keep("c", Call("search", {"q": "a\nb", "pages": [1, 2]}), "text")
    offloader_of(shelf).keep("d", Call("gone", {}), "text")
    described = [entry["description"] for entry in shelf.entries.values()]
    assert described == ['search: search(q="a\\nb", pages=[2 items])', "Result of gone()"]


def test_a_long_description_is_clipped() -> None:
    shelf = Shelf("notes")
    offloader_of(shelf, Tool("s", print, "", {}, call_description=lambda _: "x" * 500)).keep(
        "c", Call("s", {}), "text"
    )
    [entry] = shelf.entries.values()
    assert len(str(entry["description"])) == 150
    assert str(entry["description"]).endswith("…")


def test_a_failing_description_is_no_obstacle() -> None:
    def fail(arguments: dict[str, JSON]) -> str:
        raise KeyError("q")

    shelf = Shelf("notes")
    tool = Tool("s", print, "", {}, call_description=fail)
    assert offloader_of(shelf, tool).keep("c", Call("s", {}), "text")
    assert [entry["description"] for entry in shelf.entries.values()] == ["Result of s()"]


def test_without_notes_nothing_is_kept() -> None:
    assert offloader_of(None).keep("c", Call("t", {}), "text") is None


def test_notes_that_refuse_or_fail_keep_nothing(caplog: pytest.LogCaptureFixture) -> None:
    class Full(Shelf):
        def store_set(self, key: str, data: dict[str, JSON]) -> StoreResult:
            return {"success": False, "key": key, "error": "full"}

    class Failing(Shelf):
        def store_set(self, key: str, data: dict[str, JSON]) -> StoreResult:
            raise OSError("disk")

    assert offloader_of(Full("notes")).keep("c", Call("t", {}), "text") is None
    assert not caplog.records
    assert offloader_of(Failing("notes")).keep("c", Call("t", {}), "text") is None
    assert caplog.records


def test_the_latest_call_with_the_id_is_found() -> None:
    first, second = _call('{"n":1}'), _call('{"n":2}')
    assert find_call([user("hi"), first, {"type": "compaction", "id": "o"}, second], "c") == Call(
        "look", {"n": 2}
    )
    assert find_call([user("hi")], "c") == Call("tool", {})


@pytest.mark.parametrize("arguments", ["{broken", "[1]", "", "3"])
def test_arguments_that_are_no_object_are_left_out(arguments: str) -> None:
    assert find_call([_call(arguments)], "c") == Call("look", {})
