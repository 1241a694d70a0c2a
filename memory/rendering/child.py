"""Rendering in a process of its own, which can be killed when a parser does not come back."""

import base64
import json
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from memory.rendering.cards import CardHTML, render_card, render_markdown, source_card, source_text
from memory.rendering.growing import split_finished
from memory.rendering.guard import DEFAULT_SETTINGS, RenderSettings
from memory.rendering.pictures import Picture, PictureRefused, PictureSlot, encoded_anew
from memory.rendering.sanitize import SafeHTML

TIME_LIMIT_S = 3.0
COMMAND = (sys.executable, "-m", "memory.rendering.child")

_START_LIMIT_S = 30.0
_ROOT = Path(__file__).resolve().parents[2]
_LENGTH = struct.Struct(">I")
_READY = {"ready": True}

Frame: TypeAlias = Mapping[str, Any]


class RenderChild:
    """One render process, started at the first render and again after it had to be killed.

    Threads may share it; their cards are rendered one after the other. A card that takes longer than
    ``time_limit_s``, or that ends the process, is shown as its source with the reason, and the next card
    gets a new process. ``command`` is what starts the process.
    """

    def __init__(
        self,
        settings: RenderSettings = DEFAULT_SETTINGS,
        *,
        time_limit_s: float = TIME_LIMIT_S,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self._settings = asdict(settings)
        self._time_limit_s = time_limit_s
        self._command = command
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def render(self, value_json: str, card_id: str) -> CardHTML:
        """Return `cards.render_card` of the value, or its source and why."""
        reply = self._card({"kind": "card", "text": value_json, "card_id": card_id})
        if isinstance(reply, CardHTML):
            return reply
        return source_card(source_text(value_json), reply, lasting=False)

    def render_markdown(self, text: str, card_id: str) -> CardHTML:
        """Return `cards.render_markdown` of the text, or its source and why."""
        reply = self._card({"kind": "markdown", "text": text, "card_id": card_id})
        return reply if isinstance(reply, CardHTML) else source_card(text, reply, lasting=False)

    def encoded_anew(self, content: bytes, **limits: int) -> Picture:
        """Return `pictures.encoded_anew` of the bytes, under its usual or the given limits.

        Raises:
            PictureRefused: also when it takes too long.
        """
        reply = self._ask(
            {"kind": "picture", "content": base64.b64encode(content).decode(), "limits": limits}
        )
        if isinstance(reply, str):
            raise PictureRefused(reply)
        if "error" in reply:
            raise PictureRefused(reply["error"])
        return _picture_of(reply)

    def split(self, text: str) -> tuple[list[str], str]:
        """Return `growing.split_finished` of the text, or no finished block."""
        reply = self._ask({"kind": "split", "text": text})
        return ([], text) if isinstance(reply, str) else (reply["blocks"], reply["tail"])

    def close(self) -> None:
        """End the process for good, after the card in work; later cards are shown as their source."""
        with self._lock:
            self._closed = True
            self._stop()

    def _card(self, request: Frame) -> CardHTML | str:
        """Return the rendered card, or the line that says why there is none."""
        reply = self._ask({**request, "settings": self._settings})
        if isinstance(reply, str):
            return f"Shown as text: {reply}."
        made = {name: _picture_of(frame) for name, frame in reply["made"].items()}
        pictures = tuple(
            PictureSlot(**{**slot, "made": made.get(slot["made"])}) for slot in reply["pictures"]
        )
        return CardHTML(
            SafeHTML(reply["html"]), frozenset(reply["features"]), reply["error"], pictures=pictures
        )

    def _ask(self, request: Frame) -> Frame | str:
        """Return the answer, or why there is none."""
        with self._lock:
            if self._closed:
                return "rendering has been shut down"
            try:
                return self._exchange(self._running(), request)
            except _Lost as loss:
                self._stop()
                return str(loss)

    def _running(self) -> subprocess.Popen[bytes]:
        process = self._process
        if process is None or process.poll() is not None:
            self._stop()
            process = self._process = self._start()
        return process

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            # A session of its own: an interrupt at the terminal is for the server alone.
            process = subprocess.Popen(  # noqa: S603 - the command is our own
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=_ROOT,
                start_new_session=True,
            )
        except OSError as error:
            raise _Lost(f"the renderer could not be started ({error.strerror})") from error
        self._process = process
        with _Watchdog(process, _START_LIMIT_S):
            ready = read_frame(cast("IO[bytes]", process.stdout))
        if ready != _READY:
            raise _Lost("the renderer did not start")
        return process

    def _exchange(self, process: subprocess.Popen[bytes], request: Frame) -> Frame:
        reply: Frame | None = None
        # A process that has ended breaks the pipe.
        with _Watchdog(process, self._time_limit_s) as watchdog, suppress(BrokenPipeError):
            write_frame(cast("IO[bytes]", process.stdin), request)
            reply = read_frame(cast("IO[bytes]", process.stdout))
        if watchdog.fired:
            raise _Lost(f"rendering took longer than {self._time_limit_s:g} s")
        if reply is None:
            raise _Lost("the renderer ended while it was at work")
        return reply

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            # Closing flushes what a process that has ended can no longer take.
            with suppress(BrokenPipeError):
                cast("IO[bytes]", pipe).close()


class _Lost(Exception):
    """The process gave no card; the text says why."""


class _Watchdog:
    """Kills a process that is still at work after ``limit_s``; ``fired`` says whether it did."""

    def __init__(self, process: subprocess.Popen[bytes], limit_s: float) -> None:
        self.fired = False
        self._process = process
        self._over = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(limit_s, self._fire)
        self._timer.daemon = True

    def __enter__(self) -> "_Watchdog":
        self._timer.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True

    def _fire(self) -> None:
        # The lock keeps a timer that comes too late from killing the process under the next card.
        with self._lock:
            if not self._over:
                self.fired = True
                self._process.kill()


def write_frame(stream: IO[bytes], frame: Frame) -> None:
    """Send one JSON object behind its length in four bytes, big end first."""
    body = json.dumps(frame).encode()
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Frame | None:
    """Return the next frame, or None when the other side has ended."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    body = stream.read(length)
    if len(body) < length:
        return None
    frame: Frame = json.loads(body)
    return frame


def serve(requests: IO[bytes], replies: IO[bytes]) -> None:
    """Answer render requests until the other side ends; the first frame says that all is loaded."""
    render_markdown("", "")
    write_frame(replies, _READY)
    while (request := read_frame(requests)) is not None:
        write_frame(replies, _ANSWERS[request["kind"]](request))


def _card(request: Frame) -> Frame:
    card = render_card(request["text"], request["card_id"], RenderSettings(**request["settings"]))
    return _frame_of(card)


def _markdown(request: Frame) -> Frame:
    card = render_markdown(request["text"], request["card_id"], RenderSettings(**request["settings"]))
    return _frame_of(card)


def _frame_of(card: CardHTML) -> Frame:
    return {
        "html": card.html,
        "features": sorted(card.features),
        "error": card.error,
        # A picture that is shown often is sent once.
        "made": {slot.made.key: _frame_of_picture(slot.made) for slot in card.pictures if slot.made},
        "pictures": list(map(_frame_of_slot, card.pictures)),
    }


def _picture(request: Frame) -> Frame:
    try:
        return _frame_of_picture(encoded_anew(base64.b64decode(request["content"]), **request["limits"]))
    except PictureRefused as refusal:
        return {"error": str(refusal)}


def _frame_of_slot(slot: PictureSlot) -> Frame:
    made = slot.made.key if slot.made else None
    return {"mark": slot.mark, "words": slot.words, "made": made, "path": slot.path, "title": slot.title}


def _frame_of_picture(picture: Picture) -> Frame:
    return {**asdict(picture), "content": base64.b64encode(picture.content).decode()}


def _picture_of(frame: Frame) -> Picture:
    return Picture(**{**frame, "content": base64.b64decode(frame["content"])})


def _split(request: Frame) -> Frame:
    blocks, tail = split_finished(request["text"])
    return {"blocks": blocks, "tail": tail}


_ANSWERS = {"card": _card, "markdown": _markdown, "picture": _picture, "split": _split}


def main() -> None:
    """Serve the process's own pipes; what anything prints goes to standard error instead."""
    replies = sys.stdout.buffer
    sys.stdout = sys.stderr
    serve(sys.stdin.buffer, replies)


if __name__ == "__main__":
    main()
