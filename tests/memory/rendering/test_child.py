"""The render process: its cards, its end, and what people see meanwhile."""

import io
import json
import os
import runpy
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memory.rendering import child
from memory.rendering.cards import CardHTML, render_card, render_markdown
from memory.rendering.child import RenderChild, read_frame, serve, write_frame
from memory.rendering.guard import DEFAULT_SETTINGS, RenderSettings
from tests.attack.generators import PIXEL
from tests.memory.rendering import markup

READY = """
import json, struct, sys
def write(frame):
    body = json.dumps(frame).encode()
    sys.stdout.buffer.write(struct.pack(">I", len(body)) + body)
    sys.stdout.buffer.flush()
def read():
    return sys.stdin.buffer.read(struct.unpack(">I", sys.stdin.buffer.read(4))[0])
write({"ready": True})
"""
# Reads the card and waits for an end of input that never comes.
HANGS = READY + "read(); sys.stdin.buffer.read()"
# Never reads, so that a large card fills the pipe.
DEAF = READY + "import threading; threading.Event().wait()"
ENDS = READY + "read()"
HALF = READY + 'read(); sys.stdout.buffer.write(b"\\0\\0\\0\\x09{}"); sys.stdout.buffer.flush()'
ENDS_AT_ONCE = "raise SystemExit(3)"
SAYS_OTHERWISE = READY.replace('"ready"', '"other"')


def _python(source: str) -> tuple[str, ...]:
    return (sys.executable, "-c", source)


@pytest.fixture(scope="module")
def renderer() -> Iterator[RenderChild]:
    with closing(RenderChild()) as renderer:
        yield renderer


def test_values_and_messages_are_rendered_as_in_process(renderer: RenderChild) -> None:
    value = json.dumps("# Hi\n\n```python\nx = 1\n```")
    assert renderer.render(value, "card") == render_card(value, "card")
    assert renderer.render_markdown("*hi*[^1]\n\n[^1]: x", "m-1") == render_markdown(
        "*hi*[^1]\n\n[^1]: x", "m-1"
    )


@pytest.mark.parametrize("text", ["\ud800", "\x00", "漢字 😀", ""])
def test_any_text_survives_the_pipe(renderer: RenderChild, text: str) -> None:
    assert renderer.render_markdown(text, text) == render_markdown(text, text)


def test_pictures_come_through(renderer: RenderChild) -> None:
    inside = f"![a](data:image/png;base64,{PIXEL})"
    card = renderer.render_markdown(f"{inside} ![b](b.png) {inside}", "card")
    first, file, again = card.pictures
    assert (file.words, file.path, file.made) == ("b", "b.png", None)
    assert first.made is not None
    assert first.made.content.startswith(b"RIFF")
    assert first.made is again.made


def test_reasons_come_through(renderer: RenderChild) -> None:
    card = renderer.render("{broken", "card")
    assert card == render_card("{broken", "card")
    assert card.error is not None


def test_settings_reach_the_process() -> None:
    with closing(RenderChild(RenderSettings(max_chars=3))) as renderer:
        assert renderer.render('"four"', "card").error == "Shown as text: longer than 3 characters."


def test_threads_share_one_process(renderer: RenderChild) -> None:
    results: dict[int, CardHTML] = {}

    def work(n: int) -> None:
        results[n] = renderer.render_markdown(f"text *{n}*", "card")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n: card.html for n, card in results.items()} == {
        n: f"<p>text <em>{n}</em></p>\n" for n in range(8)
    }


@pytest.mark.parametrize("source", [HANGS, DEAF])
def test_a_card_that_takes_too_long_is_its_source_and_why(source: str) -> None:
    text = "the *text* " * 20_000
    with closing(RenderChild(time_limit_s=0.1, command=_python(source))) as renderer:
        card = renderer.render(json.dumps(text), "card")
        assert card.error == "Shown as text: rendering took longer than 0.1 s."
        assert markup.text(card.html) == card.error + text


@pytest.mark.parametrize("source", [ENDS, HALF])
def test_a_card_that_ends_the_process_is_its_source_and_why(source: str) -> None:
    with closing(RenderChild(command=_python(source))) as renderer:
        card = renderer.render_markdown("the *text*", "card")
        assert card.error == "Shown as text: the renderer ended while it was at work."
        assert markup.text(card.html) == card.error + "the *text*"


@pytest.mark.parametrize("source", [ENDS_AT_ONCE, SAYS_OTHERWISE])
def test_a_process_that_does_not_start_is_reported(source: str) -> None:
    with closing(RenderChild(command=_python(source))) as renderer:
        assert renderer.render("1", "card").error == "Shown as text: the renderer did not start."


def test_a_command_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    with closing(RenderChild(command=(str(tmp_path / "missing"),))) as renderer:
        card = renderer.render('{"a":1}', "card")
        assert card.error == "Shown as text: the renderer could not be started (No such file or directory)."
        assert '"a": 1' in markup.text(card.html)


def test_the_card_after_a_killed_one_gets_a_new_process(tmp_path: Path) -> None:
    mark = tmp_path / "first"
    mark.touch()
    source = f"""
import os, sys
from memory.rendering.child import main
if os.path.exists({str(mark)!r}):
    os.remove({str(mark)!r})
    exec({HANGS!r})
main()
"""
    with closing(RenderChild(time_limit_s=1, command=_python(source))) as renderer:
        assert renderer.render("1", "card").error == "Shown as text: rendering took longer than 1 s."
        assert renderer.render("1", "card").error is None


def test_a_process_that_ended_between_two_cards_is_replaced_unseen() -> None:
    with closing(RenderChild()) as renderer:
        first = renderer.render("1", "card")
        process = _process(renderer)
        process.kill()
        process.wait()
        assert renderer.render("1", "card") == first
        assert _process(renderer).pid != process.pid


@pytest.mark.parametrize("source", [HANGS, ENDS])
def test_no_process_is_left_behind(source: str) -> None:
    started: list[subprocess.Popen[bytes]] = []
    renderer = RenderChild(time_limit_s=0.1, command=_python(source))
    with closing(renderer):
        start = renderer._start
        renderer._start = lambda: started.append(start()) or started[-1]  # type: ignore[func-returns-value,method-assign]
        for _ in range(2):
            renderer.render("1", "card")
    assert len({process.pid for process in started}) == 2
    for process in started:
        assert process.returncode is not None
        with pytest.raises(ProcessLookupError):
            os.kill(process.pid, 0)


def test_closing_ends_the_process_and_later_cards_say_so() -> None:
    renderer = RenderChild()
    renderer.render("1", "card")
    process = _process(renderer)
    renderer.close()
    assert process.returncode is not None
    assert renderer.render("1", "card").error == "Shown as text: rendering has been shut down."
    renderer.close()


def test_a_timer_that_comes_too_late_kills_nothing(renderer: RenderChild) -> None:
    renderer.render("1", "card")
    process = _process(renderer)
    with child._Watchdog(process, 3600) as watchdog:
        pass
    watchdog._fire()
    assert not watchdog.fired
    assert process.poll() is None


def test_frames_arrive_whole_or_not_at_all() -> None:
    stream = io.BytesIO()
    write_frame(stream, {"a": "ä"})
    whole = stream.getvalue()
    assert read_frame(io.BytesIO(whole)) == {"a": "ä"}
    for length in range(len(whole)):
        assert read_frame(io.BytesIO(whole[:length])) is None


def _requests() -> io.BytesIO:
    requests = io.BytesIO()
    settings = {**vars(DEFAULT_SETTINGS), "max_chars": 9}
    for kind, text in (("card", "1"), ("markdown", "*x*"), ("markdown", "too long for it")):
        write_frame(requests, {"kind": kind, "text": text, "card_id": "card", "settings": settings})
    requests.seek(0)
    return requests


def _replies(stream: io.BytesIO) -> list[object]:
    stream.seek(0)
    return [
        frame["ready"] if "ready" in frame else frame["error"] or frame["html"]
        for frame in iter(lambda: read_frame(stream) or {}, {})
    ]


ANSWERS = [
    True,
    '<p class="md-scalar"><span class="num">1</span></p>\n',
    "<p><em>x</em></p>\n",
    "Shown as text: longer than 9 characters.",
]


def test_it_answers_until_the_other_side_ends() -> None:
    replies = io.BytesIO()
    serve(_requests(), replies)
    assert _replies(replies) == ANSWERS


def test_run_as_a_module_it_keeps_prints_out_of_the_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    replies = io.BytesIO()
    stdout = io.TextIOWrapper(replies)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(_requests()))
    monkeypatch.setattr(sys, "stdout", stdout)
    monkeypatch.delitem(sys.modules, "memory.rendering.child")
    runpy.run_module("memory.rendering.child", run_name="__main__")
    assert sys.stdout is sys.stderr
    assert not stdout.closed
    assert _replies(replies) == ANSWERS


def _process(renderer: RenderChild) -> subprocess.Popen[bytes]:
    process = renderer._process
    assert process is not None
    return process


def test_a_growing_text_is_split_there(renderer: RenderChild) -> None:
    assert renderer.split("one\n\ntwo\n") == (["one\n\n"], "two\n")


def test_a_growing_text_has_no_finished_blocks_when_the_process_is_lost() -> None:
    with closing(RenderChild(command=_python(ENDS))) as renderer:
        assert renderer.split("one\n\ntwo\n") == ([], "one\n\ntwo\n")
