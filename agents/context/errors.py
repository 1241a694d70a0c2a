"""What can go wrong in a context, split by what the caller can do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from agents.context.budget import Budget


def words_of(failure: object) -> str:
    """Return what a failure of host code says; its type's name when it says nothing or cannot say it."""
    try:
        said = str(failure)
    except Exception:  # noqa: BLE001, it is the host's code that runs here
        said = ""
    return said or type(failure).__name__


class ContextError(Exception):
    """Base of every error this package raises on purpose."""


class InvalidOption(ContextError, ValueError):
    """An argument is not what it may be; the text names it and what it may be. Nothing was done."""


class InvalidKeyword(ContextError, TypeError):
    """A keyword is missing or unknown; the text names it."""


class ContextDestroyed(ContextError):
    """The context was used after ``destroy()``."""

    def __init__(self) -> None:
        super().__init__("This context was destroyed; create a new one.")


class ExecutionActive(ContextError):
    """Another run works on this context; wait for its end or stop it.

    Attributes:
        code: ``execution_active``.
    """

    code = "execution_active"

    def __init__(self) -> None:
        super().__init__("A run on this context is active. Wait until it ends, or cancel it first.")


class PreparationActive(ContextError):
    """A hook, an event handler or a plugin asked for a prompt, or for room, while the context makes one."""

    def __init__(self) -> None:
        super().__init__(
            "This context is preparing or compacting already. Hooks, event handlers and plugins may not call "
            "prepare or compact; do it after prepare has returned."
        )


class ContextOverflow(ContextError):
    """The prompt cannot fit the window, whatever may be dropped.

    Attributes:
        budget: the count at the moment of giving up, with its breakdown by part.
        content_max: tokens that system message, conversation and input may use together.
    """

    def __init__(self, message: str, *, budget: Budget, content_max: int) -> None:
        super().__init__(message)
        self.budget = budget
        self.content_max = content_max


class InputTooLarge(ContextOverflow):
    """A user message alone is larger than the room left for it; shorten it or store it elsewhere."""


class TurnAborted(ContextError):
    """Raised by a host inside a tool or plugin to end the turn.

    The one error of host code that is passed on instead of becoming a failed tool result, so that a
    lost lease or a refused transaction stops the turn.
    """


class EndingRefused(ContextError):
    """Host code raised what ends a process, a task or a generator; it is a failure like any other instead.

    Attributes:
        ending: what was raised.
    """

    def __init__(self, ending: BaseException) -> None:
        name = type(ending).__name__
        super().__init__(
            f"{name} was raised ({words_of(ending)}), which ends nothing here. Raise an Exception for a "
            "failure, or TurnAborted to end the turn."
        )
        self.ending = ending


class CallSuspended(ContextError):
    """Raised by a tool whose call is over at a later time; the turn may be left until then.

    Attributes:
        until: an aware time.
    """

    def __init__(self, until: datetime) -> None:
        super().__init__(f"This call waits until {until.isoformat()}, which only a stored turn can do.")
        self.until = until


class AlreadyRegistered(ContextError):
    """A plugin, store, tool or strategy of that name exists."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f'{kind} "{name}" is already registered.')
        self.kind = kind
        self.name = name


class UnknownStrategy(ContextError):
    """No compaction strategy of that name is registered; the text names those that are."""

    def __init__(self, name: str, available: tuple[str, ...]) -> None:
        super().__init__(f'Strategy "{name}" not found. Available strategies: {", ".join(available)}')
        self.name = name
        self.available = available


class BuiltInStrategy(ContextError):
    """A strategy of ours was to be removed."""

    def __init__(self, name: str) -> None:
        super().__init__(f'Cannot remove built-in strategy "{name}".')
        self.name = name


class PlanOutdated(ContextError):
    """The context changed after a compaction was planned; nothing was done, plan again."""


class SummaryFailed(ContextError):
    """A component could not be summarized, and cutting it was not wanted."""

    def __init__(self, component: str, why: str) -> None:
        super().__init__(f'"{component}" could not be summarized: {why}.')
        self.component = component


class RolloverFailed(ContextError):
    """A rollover did not happen; the context is exactly as it was.

    Attributes:
        code: ``no_summarizer``, ``summarizer_failed``, ``timeout``, ``blank_summary``, ``not_smaller``,
            ``conflict`` or ``storage``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class UnknownStore(ContextError):
    """No registered store has that id, or a call names none; the text names those that there are."""

    def __init__(self, store: object, available: tuple[str, ...]) -> None:
        problem = 'The argument "store" is missing' if store is None else f'Unknown store "{store}"'
        super().__init__(f"{problem}. Available stores: {', '.join(available) or 'none'}")
        self.available = available


class UnknownFeature(ContextError):
    """A feature map names a feature that neither is built in nor was registered."""

    def __init__(self, feature: str, known: tuple[str, ...]) -> None:
        super().__init__(f'Unknown feature "{feature}". Known features: {", ".join(known)}')
        self.feature = feature


class FeatureUnavailable(ContextError):
    """A feature was switched on whose plugin is not part of this installation."""

    def __init__(self, feature: str, path: str) -> None:
        super().__init__(
            f'Feature "{feature}" is not available: its plugin {path} is not installed. Switch it off.'
        )
        self.feature = feature
        self.path = path


class FeatureNotReady(ContextError):
    """A feature was switched on without another feature or value that it needs."""

    def __init__(self, feature: str, needs: str) -> None:
        super().__init__(f'Feature "{feature}" needs {needs}.')
        self.feature = feature
        self.needs = needs


class InvalidItem(ContextError):
    """A message, block, tool result or saved item does not have the wire form."""


class InvalidState(ContextError):
    """A saved state cannot be restored; the context is as it was before."""


class PluginStateFailed(ContextError):
    """A plugin could not give its state; nothing was saved or restored, because a part would be missing."""

    def __init__(self, plugin: str, failure: Exception) -> None:
        super().__init__(
            f'The state of plugin "{plugin}" is not available: {type(failure).__name__} '
            f"({words_of(failure)}). Mend its get_state and try again."
        )
        self.plugin = plugin


class NewerState(InvalidState):
    """A saved state was written by a newer version than this one reads."""

    def __init__(self, found: int, supported: int) -> None:
        super().__init__(
            f"The saved state has schema version {found}; this version reads up to {supported}. "
            "Upgrade contextsite to load it."
        )
        self.found = found
        self.supported = supported


class StorageMissing(ContextError):
    """A session operation was asked of a context without storage."""

    def __init__(self) -> None:
        super().__init__("No storage configured: pass storage= to AgentContext.create.")


class StorageUnusable(ContextError, OSError):
    """The folder of a storage cannot be written to; what is stored there is as it was."""

    def __init__(self, folder: object, reason: object) -> None:
        super().__init__(
            f"The sessions cannot be stored in {folder}: {reason}. Make it a folder that can be written to, "
            "or choose another with root= or CONTEXTSITE_HOME."
        )


class SessionUnreadable(ContextError):
    """There is such a session, and what is stored of it cannot be read; nothing was changed.

    Attributes:
        path: the file.
    """

    def __init__(self, path: object, reason: object) -> None:
        super().__init__(
            f"The session file {path} cannot be read: {reason}. Mend it or move it away, or remove it with "
            "delete_session; until then nothing is saved under its id."
        )
        self.path = path


class SessionIdMissing(ContextError):
    """A session operation needs a session id and the context has none yet."""

    def __init__(self) -> None:
        super().__init__("No session id: pass one, or save the context first.")


class ToolNotFound(ContextError):
    """No tool of that name is registered; the text names those that can be called.

    Attributes:
        available: the enabled tools.
    """

    def __init__(self, name: str, available: tuple[str, ...]) -> None:
        super().__init__(f'Tool "{name:.80}" not found. Available tools: {", ".join(available) or "none"}')
        self.name = name
        self.available = available


class ToolDisabled(ContextError):
    """The tool exists and is switched off."""

    def __init__(self, name: str) -> None:
        super().__init__(f'Tool "{name}" is disabled.')
        self.name = name


class ToolTimeout(ContextError):
    """A tool did not answer in time."""

    def __init__(self, name: str, timeout_ms: int) -> None:
        super().__init__(f'Tool "{name}" gave no answer within {timeout_ms} ms.')
        self.name = name
        self.timeout_ms = timeout_ms


class InvalidArguments(ContextError):
    """A tool call does not match the tool's parameters; the text says how to call it."""
