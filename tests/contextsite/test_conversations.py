import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.sessions import MAX_INPUT_CHARACTERS
from contextsite import conversations
from contextsite.conversations import (
    EMPTY_INPUT,
    NO_INPUT,
    Conversation,
    Exchange,
    InvalidConversation,
    parse_conversation,
    read_conversation,
)

SHARED = Path(__file__).parents[3] / "shared" / "data" / "conversations"


def user(content: Any = "hi") -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any = "hello", *calls: tuple[str, str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for call_id, name, arguments in calls
        ]
    return message


def tool(call_id: Any = "c1", content: Any = "result") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def texts(exchange: Exchange) -> list[list[str]]:
    """Return the blocks of each reply in short: texts as they are, calls as name(arguments)."""
    replies: list[Any] = [reply.wire() for reply in exchange.replies]
    return [[_short(block) for block in reply["content"]] for reply in replies]


def _short(block: dict[str, str]) -> str:
    return block["text"] if block["type"] == "output_text" else f"{block['name']}({block['arguments']})"


def parse(*messages: Any) -> Conversation:
    return parse_conversation(list(messages))


def refusal(*messages: Any) -> str:
    with pytest.raises(InvalidConversation) as caught:
        parse(*messages)
    return str(caught.value)


def test_a_user_message_and_all_up_to_the_next_one_is_an_exchange() -> None:
    conversation = parse(
        {"role": "system", "content": "Be kind."},
        user("book"),
        assistant(None, ("c1", "search", '{"to":"SFO"}')),
        tool("c1", "none"),
        assistant("nothing found"),
        user("thanks"),
        assistant("bye"),
    )
    assert conversation.system_prompt == "Be kind."
    first, second = conversation.exchanges
    assert (first.input, texts(first)) == ("book", [['search({"to":"SFO"})'], ["nothing found"]])
    assert first.replies[0].results == {"c1": "none"}
    assert (second.input, texts(second)) == ("thanks", [["bye"]])
    assert conversation.tools == ["search"]


def test_positions_are_numbers_of_messages_of_the_file() -> None:
    conversation = parse(
        {"role": "system", "content": "s"},
        user(),
        assistant(None, ("c1", "t", "{}")),
        tool(),
        assistant(),
        user(),
    )
    first, second = conversation.exchanges
    assert [reply.position for reply in first.replies] == [3, 5]
    assert (first.end_position, second.end_position, conversation.message_count) == (5, 6, 6)


def test_an_object_with_messages_is_a_conversation_too() -> None:
    assert parse_conversation({"messages": [user("x")], "model": "gpt"}).exchanges[0].input == "x"


def test_roles_are_counted() -> None:
    roles = parse({"role": "developer", "content": "d"}, user(), assistant(), user(), assistant()).roles
    assert dict(roles) == {"developer": 1, "user": 2, "assistant": 2}


def test_several_system_messages_at_the_beginning_make_one_prompt() -> None:
    conversation = parse(
        {"role": "system", "content": "one"}, {"role": "developer", "content": "two"}, user()
    )
    assert conversation.system_prompt == "one\n\ntwo"


def test_a_later_system_message_is_marked_input() -> None:
    conversation = parse(user("a"), assistant("b"), {"role": "system", "content": "be brief"}, assistant("c"))
    assert [exchange.input for exchange in conversation.exchanges] == ["a", "(system message) be brief"]


def test_user_messages_in_a_row_wait_for_one_answer() -> None:
    conversation = parse(user("one"), user("two"), assistant("both"))
    assert [exchange.input for exchange in conversation.exchanges] == ["one\n\ntwo"]


def test_assistant_messages_in_a_row_are_one_reply() -> None:
    conversation = parse(user(), assistant("a"), assistant("b", ("c1", "t", "{}")), tool(), assistant("c"))
    assert texts(conversation.exchanges[0]) == [["a", "b", "t({})"], ["c"]]


def test_a_recording_that_begins_with_the_assistant_gets_an_input() -> None:
    conversation = parse({"role": "system", "content": "s"}, assistant("Welcome"), user("hi"))
    assert [exchange.input for exchange in conversation.exchanges] == [NO_INPUT, "hi"]


@pytest.mark.parametrize("content", ["", None, []])
def test_an_empty_user_message_is_kept_as_such(content: Any) -> None:
    assert parse(user(content)).exchanges[0].input == EMPTY_INPUT


def test_an_empty_assistant_message_says_nothing() -> None:
    conversation = parse(user(), assistant(None), assistant(""), user("x"))
    assert texts(conversation.exchanges[0]) == []
    assert conversation.exchanges[0].end_position == 3


def test_a_conversation_of_system_messages_alone_has_no_exchange() -> None:
    assert parse({"role": "system", "content": "s"}).exchanges == []


def test_parts_are_joined_and_others_than_text_become_a_note() -> None:
    parts = [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "data:…"}},
        {"type": "output_text", "text": "there"},
        {"type": "refusal", "refusal": "no"},
    ]
    conversation = parse(user(parts), assistant("ok"), user("x"))
    assert conversation.exchanges[0].input == "look\n[image_url]\nthere\nno"
    assert conversation.replaced_parts == 1


def test_several_calls_of_one_message_keep_their_order_and_results() -> None:
    conversation = parse(
        user(),
        assistant(None, ("a", "x", "{}"), ("b", "y", "{}")),
        tool("b", "2"),
        tool("a", "1"),
        assistant(),
    )
    reply = conversation.exchanges[0].replies[0]
    assert texts(conversation.exchanges[0])[0] == ["x({})", "y({})"]
    assert reply.results == {"b": "2", "a": "1"}


def test_ids_that_a_recorder_uses_again_are_made_different() -> None:
    rounds = [assistant(None, ("call_0", "t", "{}")), tool("call_0")]
    conversation = parse(user(), *rounds, *rounds, *rounds, assistant())
    ids = [next(iter(reply.results)) for reply in conversation.exchanges[0].replies[:3]]
    assert ids == ["call_0", "call_0-2", "call_0-3"]


@pytest.mark.parametrize(
    ("arguments", "text"), [("{broken", "{broken"), ({"a": 1}, '{"a":1}'), (None, "{}"), ("", "")]
)
def test_arguments_are_kept_as_text(arguments: Any, text: str) -> None:
    conversation = parse(user(), assistant(None, ("c1", "t", arguments)), tool(), assistant())
    assert texts(conversation.exchanges[0])[0] == [f"t({text})"]


def test_an_orphan_tool_message_names_itself_and_the_remedy() -> None:
    text = refusal(user(), assistant(), tool("lost"))
    assert text.startswith("Message 3 answers the call 'lost', which no message before it makes.")
    assert "Remove this tool message" in text


def test_a_result_given_twice_is_an_orphan() -> None:
    assert "Message 4" in refusal(user(), assistant(None, ("c1", "t", "{}")), tool(), tool())


def test_a_result_after_another_message_is_too_late() -> None:
    text = refusal(user(), assistant(None, ("c1", "t", "{}")), user("wait"), tool())
    assert text.startswith("Message 2 makes the call 'c1', but no tool message right after it")


def test_a_call_without_result_at_the_end_is_named() -> None:
    text = refusal(user(), assistant(None, ("a", "t", "{}"), ("b", "t", "{}")), tool("a"))
    assert text.startswith("Message 2 makes the call 'b'")
    assert "Add the result or remove the call." in text


@pytest.mark.parametrize("role", ["function", "User", "", None, 3, ["user"], float("inf")])
def test_an_unknown_role_is_named_with_the_known_ones(role: Any) -> None:
    text = refusal(user(), {"role": role, "content": "x"})
    assert text.startswith("Message 2 has the unknown role")
    assert "system, developer, user, assistant, tool" in text


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ("text", "is no object"),
        ({"role": "user", "content": 5}, "neither text nor a list"),
        ({"role": "user", "content": {"type": "text"}}, "neither text nor a list"),
        ({"role": "user", "content": ["text"]}, "a part without type"),
        ({"role": "user", "content": [{"text": "x"}]}, "a part without type"),
        ({"role": "assistant", "tool_calls": {"id": "x"}}, "no list"),
        ({"role": "assistant", "tool_calls": ["x"]}, "without function"),
        ({"role": "assistant", "tool_calls": [{"id": "x"}]}, "without function"),
        ({"role": "assistant", "tool_calls": [{"id": "x", "function": {"name": " "}}]}, "without id or name"),
        ({"role": "assistant", "tool_calls": [{"id": "", "function": {"name": "t"}}]}, "without id or name"),
        ({"role": "assistant", "tool_calls": [{"function": {"name": "t"}}]}, "without id or name"),
        ({"role": "assistant", "function_call": {"name": "t"}}, "uses function_call"),
        (assistant(None, ("a", "t", "{}"), ("a", "t", "{}")), "twice"),
        (assistant(None, ("a", "t", {"n": 2**60})), "cannot be kept"),
        ({"role": "tool", "content": "x"}, "answers the call None"),
        ({"role": "user", "content": "x" * (MAX_INPUT_CHARACTERS + 1)}, "Shorten it"),
    ],
)
def test_a_message_of_the_wrong_shape_is_named_by_its_number(message: Any, problem: str) -> None:
    text = refusal(user(), assistant(), message)
    assert text.startswith("Message 3 ")
    assert problem in text


@pytest.mark.parametrize("document", [{}, {"messages": None}, {"messages": {}}, "text", 3, None, True])
def test_other_documents_are_no_conversation(document: Any) -> None:
    with pytest.raises(InvalidConversation, match="list of messages"):
        parse_conversation(document)


def test_a_conversation_without_messages_is_refused() -> None:
    with pytest.raises(InvalidConversation, match="no messages"):
        parse_conversation({"messages": []})


MESSAGES = st.lists(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["role", "content", "tool_calls", "tool_call_id", "type", "text", "id", "function"]
                ),
                inner | st.sampled_from(["user", "assistant", "tool", "system", "text"]),
                max_size=4,
            )
        ),
        max_leaves=12,
    ),
    max_size=5,
)


@given(MESSAGES)
def test_anything_is_either_a_conversation_or_refused_in_words(messages: list[Any]) -> None:
    try:
        conversation = parse_conversation(messages)
    except InvalidConversation:
        return
    assert conversation.message_count == len(messages)


def written(folder: Path, content: bytes | str) -> Path:
    path = folder / "chat.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, b"\xef\xbb\xbf" + json.dumps([user("ü")]).encode())
    assert read_conversation(path).exchanges[0].input == "ü"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty"),
        (b" \n\t ", "is empty"),
        (b'[{"role": "user", "content": "cut', "no complete JSON"),
        (b'[{"role": "user", "content": NaN}]', "no complete JSON"),
        (b"[" * 100_000, "no complete JSON"),
        (b"\x89PNG\r\n", "not UTF-8"),
        (b'"text"', "no conversation"),
    ],
)
def test_a_file_that_is_no_conversation_is_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    with pytest.raises(InvalidConversation, match=problem):
        read_conversation(written(tmp_path, content))


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "gone.json", tmp_path):
        with pytest.raises(InvalidConversation, match="Check its path"):
            read_conversation(path)


def test_a_file_of_100_mb_is_refused_by_its_size_and_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "[]")
    with path.open("r+b") as file:
        file.truncate(100 * 1024 * 1024)
    monkeypatch.setattr(Path, "read_bytes", None)
    with pytest.raises(InvalidConversation, match=r"at most 50 MB fit\. Split it\."):
        read_conversation(path)


def test_nul_and_lone_surrogates_are_repaired(tmp_path: Path) -> None:
    content = (
        r'[{"role":"user","content":"a\u0000b\ud83d\ude00c\ud83d"},{"role":"assistant","content":"\udc00"}]'
    )
    conversation = read_conversation(written(tmp_path, content))
    assert conversation.exchanges[0].input == "a\ufffdb😀c\ufffd"
    assert texts(conversation.exchanges[0]) == [["\ufffd"]]


def test_the_limit_is_fifty_megabytes() -> None:
    assert conversations.MAX_FILE_BYTES == 50 * 1024 * 1024


@pytest.mark.skipif(
    not SHARED.is_dir(), reason="the folder of recorded conversations is not beside the project"
)
def test_the_twenty_recorded_conversations_can_be_read() -> None:
    files = sorted(SHARED.glob("*.json"))
    assert len(files) == 20
    for file in files:
        messages = json.loads(file.read_text())
        assert read_conversation(file).message_count == len(messages)
