"""A provider for products under test: it speaks OpenAI's Chat API and answers as the model's name says.

Started as ``python -m tests.browser.talker PORT``. ``wait-2000`` answers "Done." after 2,000 ms.
``tell-40-50`` tells 40 words, one each 50 ms; the first is the time it was sent in epoch milliseconds.
``tell-40-50-10`` begins a new paragraph every 10 words.
``refuse-2`` is overloaded twice for each message and then answers. ``break`` breaks off in the middle of
an answer.
"""

import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

from tests.providers.answers import Answer
from tests.providers.chat_format import chunks

PARAGRAPH = "\n\n"
# As providers do, the connection is kept for the next request.
HEAD = b"HTTP/1.1 %d OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
_refused: Counter[str] = Counter()


class BrokenOff(Exception):
    """The answer ends in the middle."""


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one request after the other."""
    with suppress(ConnectionError, asyncio.IncompleteReadError, BrokenOff):
        while True:
            await _answer(reader, writer)
    writer.close()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = int(head.partition("content-length:")[2].split("\r\n")[0])
    request = json.loads(await reader.readexactly(length))
    kind, *numbers = request["model"].split("-")
    amounts = [int(number) for number in numbers]
    asked = json.dumps(request["messages"][-1])
    if kind == "refuse" and _refused[asked] < amounts[0]:
        _refused[asked] += 1
        writer.write(HEAD % 529 + _chunk(b'{"error":{"message":"overloaded"}}'))
    else:
        writer.write(HEAD % 200)
        async for piece in _pieces(kind, amounts):
            writer.write(_chunk(piece))
            await writer.drain()
    writer.write(_chunk(b""))
    await writer.drain()


def _chunk(piece: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(piece), piece)


async def _pieces(kind: str, amounts: Sequence[int]) -> AsyncIterator[bytes]:
    if kind == "wait":
        await asyncio.sleep(amounts[0] / 1000)
    words = ["Done."]
    if kind == "tell":
        length = amounts[2] if len(amounts) > 2 else amounts[0]
        words = [f"{time.time() * 1000:.0f} "]
        words += [f"word{number}{' ' if number % length else PARAGRAPH}" for number in range(1, amounts[0])]
    # The first word leaves with what providers send before it.
    head, first, *rest = chunks(Answer(text=tuple(words)))
    yield head + first
    if kind == "break":
        raise BrokenOff
    for piece in rest:
        if kind == "tell":
            await asyncio.sleep(amounts[1] / 1000)
        yield piece


async def main(port: int) -> None:
    """Serve for ever."""
    server = await asyncio.start_server(serve, "127.0.0.1", port, backlog=500, limit=2**24)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
