"""Reads a conversation in OpenAI chat format and turns it into what a session can replay."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agents.context import json_values
from agents.context.blank import is_blank
from agents.context.json_values import JSON, InvalidJSON
from agents.sessions import MAX_INPUT_CHARACTERS

MAX_FILE_BYTES = 50 * 1024 * 1024
ROLES = ("system", "developer", "user", "assistant", "tool")
NO_INPUT = "(The recording begins with the assistant.)"
EMPTY_INPUT = "(empty message)"

_EXPORT_AGAIN = "Export the conversation again."
_TEXT_PARTS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}


class InvalidConversation(ValueError):
    """The file cannot be replayed; the message names the message's number, the fault and the remedy."""


@dataclass
class Reply:
    """What the model said at once: text and calls, with the recorded results of the calls.

    Attributes:
        content: blocks in wire form.
        results: call id to the text of its result.
        position: messages of the file up to and including this reply, its results not included.
    """

    content: list[JSON] = field(default_factory=list)
    results: dict[str, JSON] = field(default_factory=dict)
    position: int = 0

    def wire(self) -> JSON:
        """Return the reply for a JSON column."""
        return {"content": self.content, "results": self.results, "position": self.position}


@dataclass
class Exchange:
    """One user message and everything up to the next one.

    Attributes:
        end_position: messages of the file up to its end.
        is_answered: whether the assistant spoke, were it without a word.
    """

    input: str
    replies: list[Reply] = field(default_factory=list)
    end_position: int = 0
    is_answered: bool = False


@dataclass(frozen=True)
class Conversation:
    """A whole conversation.

    Attributes:
        system_prompt: texts of the system messages at its beginning, empty when there are none.
        roles: how many messages of each role the file has.
        tools: names of the tools called, in order of their first call.
        replaced_parts: parts that are no text and became a note.
    """

    system_prompt: str
    exchanges: Sequence[Exchange]
    roles: Counter[str]
    tools: Sequence[str]
    replaced_parts: int

    @property
    def message_count(self) -> int:
        """Messages of the file."""
        return sum(self.roles.values())


def read_conversation(path: Path) -> Conversation:
    """Return the conversation in a file.

    Raises:
        InvalidConversation: it cannot be read, is too large, or is no complete conversation.
    """
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            limit = MAX_FILE_BYTES // 1024 // 1024
            raise InvalidConversation(f"The file has {size:,} bytes; at most {limit} MB fit. Split it.")
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as fault:
        raise InvalidConversation(f"The file cannot be read: {fault.strerror}. Check its path.") from None
    except UnicodeDecodeError as fault:
        raise InvalidConversation(f"Byte {fault.start:,} is not UTF-8. Save the file as UTF-8.") from None
    if not text.strip():
        raise InvalidConversation(f"The file is empty. {_EXPORT_AGAIN}")
    try:
        document = json_values.repair(json_values.decode(text))
    except InvalidJSON as fault:
        raise InvalidConversation(f"The file is no complete JSON. {fault}. {_EXPORT_AGAIN}") from None
    return parse_conversation(document)


def parse_conversation(document: JSON) -> Conversation:
    """Return the conversation of a parsed document: a list of messages, or an object with ``messages``.

    Raises:
        InvalidConversation: it is no complete conversation.
    """
    messages = document.get("messages") if isinstance(document, dict) else document
    if not isinstance(messages, list):
        raise InvalidConversation(
            'The file holds no conversation. It must be a list of messages, or an object with "messages".'
        )
    if not messages:
        raise InvalidConversation(f"The conversation has no messages. {_EXPORT_AGAIN}")
    parser = _Parser()
    for number, message in enumerate(messages, start=1):
        parser.add(number, message)
    return parser.finish()


class _Parser:
    """Takes one message after the other."""

    def __init__(self) -> None:
        self._system: list[str] = []
        self._exchanges: list[Exchange] = []
        self._roles: Counter[str] = Counter()
        self._tools: dict[str, None] = {}
        self._call_ids: set[str] = set()
        # Calls without a result yet: the id in the file, and our id and the message's number.
        self._open_calls: dict[str, tuple[str, int]] = {}
        self._number = 0
        self._replaced_parts = 0

    def add(self, number: int, message: JSON) -> None:
        self._number = number
        if not isinstance(message, dict):
            raise self._fault("is no object", 'A message looks like {"role": "user", "content": "…"}.')
        role = message.get("role")
        if not isinstance(role, str) or role not in ROLES:
            raise self._fault(f"has the unknown role {_shown(role)}", f"Use one of: {', '.join(ROLES)}.")
        if self._open_calls and role != "tool":
            raise self._missing_result()
        self._roles[role] += 1
        content = self._text(message.get("content"))
        if role == "tool":
            self._add_result(message, content)
        elif role == "assistant":
            self._add_reply(message, content)
        elif role == "user":
            self._add_input(EMPTY_INPUT if is_blank(content) else content)
        elif self._exchanges:
            self._add_input(f"(system message) {content}")
        else:
            self._system.append(content)
        if self._exchanges:
            self._exchanges[-1].end_position = number

    def finish(self) -> Conversation:
        if self._open_calls:
            raise self._missing_result()
        return Conversation(
            "\n\n".join(text for text in self._system if text),
            self._exchanges,
            self._roles,
            list(self._tools),
            self._replaced_parts,
        )

    def _add_input(self, text: str) -> None:
        # Messages of a person in a row wait for one answer together.
        if self._exchanges and not self._exchanges[-1].is_answered:
            text = f"{self._exchanges[-1].input}\n\n{text}"
            self._exchanges[-1].input = text
        else:
            self._exchanges.append(Exchange(text))
        if len(text) > MAX_INPUT_CHARACTERS:
            raise self._fault(
                f"makes an input of {len(text):,} characters",
                f"At most {MAX_INPUT_CHARACTERS:,} fit. Shorten it.",
            )

    def _add_reply(self, message: dict[str, JSON], text: str) -> None:
        if message.get("function_call"):
            raise self._fault("uses function_call", "Convert it to tool_calls with ids.")
        content: list[JSON] = [{"type": "output_text", "text": text}] if text else []
        calls = message.get("tool_calls") or []
        if not isinstance(calls, list):
            raise self._fault("has tool_calls that are no list", _EXPORT_AGAIN)
        content += [self._call(call) for call in calls]
        if not self._exchanges:
            self._exchanges.append(Exchange(NO_INPUT))
        self._exchanges[-1].is_answered = True
        if not content:
            return
        self._reply_to_fill().content += content
        self._exchanges[-1].replies[-1].position = self._number

    def _reply_to_fill(self) -> Reply:
        """Return a new reply, or the last one when nothing stands between it and this message."""
        replies = self._exchanges[-1].replies
        if not replies or replies[-1].results:
            replies.append(Reply())
        return replies[-1]

    def _call(self, call: JSON) -> JSON:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(call, dict) or not isinstance(function, dict):
            raise self._fault("has a tool call without function", _EXPORT_AGAIN)
        call_id, name = call.get("id"), function.get("name")
        if not isinstance(call_id, str) or not call_id or not isinstance(name, str) or not name.strip():
            raise self._fault("has a tool call without id or name", _EXPORT_AGAIN)
        if call_id in self._open_calls:
            raise self._fault(f"uses the call id {_shown(call_id)} twice", "Give each call an id of its own.")
        text = self._arguments(function.get("arguments"))
        own_id = self._unused(call_id)
        self._open_calls[call_id] = (own_id, self._number)
        self._tools.setdefault(name)
        return {"type": "tool_use", "id": own_id, "name": name, "arguments": text}

    def _arguments(self, arguments: JSON) -> str:
        """Return the arguments as text; text that is no JSON is kept, the engine answers such a call."""
        if isinstance(arguments, str):
            return arguments
        try:
            return json_values.encode(arguments or {})
        except InvalidJSON as fault:
            raise self._fault(f"has arguments that cannot be kept ({fault})", "Send them as text.") from None

    def _unused(self, call_id: str) -> str:
        """Return the id, made different from earlier ones: some recorders number the calls of each reply."""
        own, again = call_id, 2
        while own in self._call_ids:
            own, again = f"{call_id}-{again}", again + 1
        self._call_ids.add(own)
        return own

    def _add_result(self, message: dict[str, JSON], text: str) -> None:
        call_id = message.get("tool_call_id")
        if not isinstance(call_id, str) or call_id not in self._open_calls:
            raise self._fault(
                f"answers the call {_shown(call_id)}, which no message before it makes",
                "Remove this tool message or restore the assistant message with the call.",
            )
        own_id, _ = self._open_calls.pop(call_id)
        self._exchanges[-1].replies[-1].results[own_id] = text

    def _text(self, content: JSON) -> str:
        if content is None:
            return ""
        if isinstance(content, str):
            return content
        if not isinstance(content, list):
            raise self._fault("has content that is neither text nor a list of parts", _EXPORT_AGAIN)
        return "\n".join(self._part(part) for part in content)

    def _part(self, part: JSON) -> str:
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(part, dict) or not isinstance(kind, str):
            raise self._fault("has a part without type", _EXPORT_AGAIN)
        text = part.get(_TEXT_PARTS.get(kind, ""))
        if isinstance(text, str):
            return text
        self._replaced_parts += 1
        return f"[{kind[:40]}]"

    def _missing_result(self) -> InvalidConversation:
        call_id, (_, number) = next(iter(self._open_calls.items()))
        return InvalidConversation(
            f"Message {number} makes the call {_shown(call_id)}, but no tool message right after it has the "
            "result. Add the result or remove the call."
        )

    def _fault(self, problem: str, remedy: str) -> InvalidConversation:
        return InvalidConversation(f"Message {self._number} {problem}. {remedy}")


def _shown(value: JSON) -> str:
    return repr(value)[:60]
