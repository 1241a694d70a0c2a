from typing import Any, cast

import pytest

from agents.context.errors import InvalidItem
from agents.context.messages import Block, InputItem
from agents.context.roles import check_blocks, is_empty, speaks, without_idle_thinking

TEXT = {"type": "output_text", "text": "a"}
CALL = {"type": "tool_use", "id": "c", "name": "look", "arguments": "{}"}
THOUGHT = {"type": "thinking", "thinking": "hm"}
RESULT = {"type": "tool_result", "tool_use_id": "c", "content": ""}
IMAGE = {"type": "input_image_url", "image_url": {"url": "https://example.org/a.png"}}
FILE = {"type": "input_file", "file_id": "f"}


def message(role: str, *blocks: dict[str, Any]) -> InputItem:
    return cast("InputItem", {"type": "message", "id": "m", "role": role, "content": list(blocks)})


def test_every_role_has_its_blocks() -> None:
    check_blocks(message("developer", TEXT))
    check_blocks(message("assistant", THOUGHT, TEXT, CALL))
    check_blocks(message("user", RESULT, TEXT, IMAGE, FILE))
    check_blocks({"type": "compaction", "id": "c"})


@pytest.mark.parametrize(
    ("role", "block", "remedy"),
    [
        ("developer", IMAGE, "put images into a message of the user"),
        ("developer", CALL, "add them with add_assistant_response"),
        ("developer", RESULT, "add them with add_tool_results"),
        ("assistant", RESULT, "add them with add_tool_results"),
        ("assistant", FILE, "put files into a message of the user"),
        ("user", CALL, "add them with add_assistant_response"),
        ("user", THOUGHT, "add it with add_assistant_response"),
    ],
)
def test_a_block_of_another_role_is_refused_with_a_remedy(
    role: str, block: dict[str, Any], remedy: str
) -> None:
    with pytest.raises(
        InvalidItem, match=f"the {role} cannot hold a block of type {block['type']}.*{remedy}"
    ):
        check_blocks(message(role, TEXT, block))


@pytest.mark.parametrize("block", [{**TEXT, "text": ""}, {**FILE, "file_id": ""}])
def test_an_empty_block_beside_full_ones_is_refused(block: dict[str, Any]) -> None:
    assert is_empty(block)
    with pytest.raises(InvalidItem, match=f"A block of type {block['type']} is empty; leave it out"):
        check_blocks(message("user", TEXT, block))


@pytest.mark.parametrize(
    ("block", "answer"), [(TEXT, True), ({**TEXT, "text": " \u200b"}, False), (CALL, True), (THOUGHT, False)]
)
def test_thinking_leads_to_calls_and_to_texts_to_be_seen(block: Any, answer: bool) -> None:
    assert speaks(block) is answer


def test_thinking_that_led_to_nothing_is_left_out() -> None:
    blocks: list[Block] = cast("list[Block]", [THOUGHT, TEXT, THOUGHT, {**TEXT, "text": " "}, THOUGHT])
    assert without_idle_thinking(blocks) == [THOUGHT, TEXT, {**TEXT, "text": " "}]
    assert without_idle_thinking(blocks, is_followed=True) == blocks
