"""A look at a context that changes nothing (R13): for pages, logs and support."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, TypedDict

from pydantic_core import to_json

from agents.context import json_values
from agents.context.counting import MESSAGE_OVERHEAD, count_block, count_item
from agents.context.isolation import contain
from agents.context.plugin_set import display_name, text_from

if TYPE_CHECKING:
    from agents.context.assembly import Assembly
    from agents.context.context import AgentContext
    from agents.context.json_values import JSON
    from agents.context.messages import Block, InputItem
    from agents.context.plugin import ContextPlugin
    from agents.context.prompt import SystemMessage
    from agents.context.tokens import TokenEstimator

Plain = dict[str, object]
_MESSAGE_NAMES = {"user": "User Message", "assistant": "Assistant Message", "developer": "System Message"}


class _Component(TypedDict):
    name: str
    content: str
    tokenEstimate: int


def empty_snapshot(context: AgentContext) -> Plain:
    """Return the snapshot of a destroyed context."""
    return {
        "available": False,
        "agentId": context.agent_id,
        "model": context.model,
        "features": dict(context.features),
        "budget": None,
        "strategy": context.strategy,
        "messagesCount": 0,
        "toolCallsCount": 0,
        "systemPrompt": None,
        "plugins": [],
        "tools": [],
    }


def take_snapshot(context: AgentContext, assembly: Assembly) -> Plain:
    """Return identity, budget, plugins and tools in JSON types."""
    items = [*context.get_conversation(), *context.get_current_input()]
    shown: Plain = {
        "available": True,
        "budget": assembly.budget.as_dict(),
        "messagesCount": len(items),
        "toolCallsCount": sum(block["type"] == "tool_use" for item in items for block in _blocks(item)),
        "systemPrompt": context.system_prompt,
        "plugins": [_plugin(each, assembly, context.estimator) for each in context.get_plugins()],
        "tools": list(_tools(context)),
    }
    return empty_snapshot(context) | shown


def empty_view() -> Plain:
    """Return the view of a destroyed context."""
    return {"available": False, "components": [], "totalTokens": 0, "rawContext": ""}


def take_view(assembly: Assembly, estimator: TokenEstimator) -> Plain:
    """Return the prompt piece by piece, as it would be sent now; the tokens of the tools are not in it."""
    prompt = assembly.prompt
    components = [
        *_system(prompt.system),
        *(part for item in assembly.messages for part in _components(item, estimator)),
        *_system(prompt.tail),
    ]
    return {
        "available": True,
        "components": [dict(part) for part in components],
        "totalTokens": sum(part["tokenEstimate"] for part in components),
        "rawContext": "\n\n".join(f"--- {part['name']} ---\n{part['content']}" for part in components),
    }


def _system(message: SystemMessage | None) -> Iterator[_Component]:
    if message is not None:
        text = "".join(block["text"] for block in message.item["content"] if block["type"] == "input_text")
        yield _Component(name="System Message", content=text, tokenEstimate=message.tokens)


def _plugin(plugin: ContextPlugin, assembly: Assembly, estimator: TokenEstimator) -> Plain:
    instructions = text_from(f"Instructions of plugin {plugin.name}", plugin.get_instructions)
    contents = contain(f"Contents of plugin {plugin.name}", partial(_plain_contents, plugin)).value
    sections = {each.name: each for each in assembly.prompt.sections if each.kind != "plugin_instructions"}
    section = sections.get(plugin.name)
    return {
        "name": plugin.name,
        "displayName": display_name(plugin.name),
        "enabled": True,
        "tokenSize": section.tokens if section else 0,
        "instructionsTokenSize": estimator.estimate_tokens(instructions or ""),
        "compactable": bool(contain(f"Plugin {plugin.name}", plugin.is_compactable).value),
        "contents": contents,
        "formattedContent": section.text.partition("\n\n")[2] if section else None,
    }


def _plain_contents(plugin: ContextPlugin) -> JSON:
    """Return the contents in JSON types: sets become lists, and what JSON does not know becomes text."""
    text = to_json(plugin.get_contents(), fallback=str, inf_nan_mode="strings")
    return json_values.decode(text.decode())


def _tools(context: AgentContext) -> Iterator[Plain]:
    for tool in filter(None, map(context.tools.get, context.tools.list())):
        yield {
            "name": tool.name,
            "description": text_from(
                f"Description of tool {tool.name}", partial(getattr, tool, "description")
            ),
            "enabled": context.tools.is_enabled(tool.name),
            "callCount": context.tools.call_count(tool.name),
            "namespace": tool.namespace,
        }


def _components(item: InputItem, estimator: TokenEstimator) -> Iterator[_Component]:
    if item["type"] != "message":
        yield _Component(
            name="Compaction Block", content="[opaque]", tokenEstimate=count_item(item, estimator)
        )
        return
    overhead = MESSAGE_OVERHEAD
    for block in item["content"]:
        name, text = _name_and_text(block, _MESSAGE_NAMES[item["role"]])
        yield _Component(name=name, content=text, tokenEstimate=count_block(block, estimator) + overhead)
        overhead = 0


def _name_and_text(block: Block, message_name: str) -> tuple[str, str]:
    match block["type"]:
        case "tool_use":
            return f"Tool Call: {block['name']}", block["arguments"]
        case "tool_result":
            error = block.get("error")
            return f"Tool Result: {block['tool_use_id']}", "\n".join(
                each for each in (block["content"], error and f"Error: {error}") if each
            )
        case "input_image_url":
            url = block["image_url"]["url"]
            return "Image Input", "[image data]" if url.startswith("data:") else url
        case "input_file":
            return "File Input", block["file_id"]
        case "thinking":
            return "Thinking", block["thinking"]
        case _:
            return message_name, block["text"]


def _blocks(item: InputItem) -> list[Block]:
    return item["content"] if item["type"] == "message" else []
