import asyncio
import json

import httpx2
import pytest

from agents.connectors import transport
from agents.connectors.transport import RecordingTransport, open_client, recording

BODY = {"model": "m", "messages": []}
URL = "https://api.example/v1/chat/completions"


def client_of(sent: list[httpx2.Request], check: transport.BodyCheck | None = None) -> httpx2.AsyncClient:
    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(200, json={})

    return httpx2.AsyncClient(transport=RecordingTransport(httpx2.MockTransport(answer), check))


async def test_the_body_is_recorded_byte_for_byte_before_it_is_sent() -> None:
    sent: list[httpx2.Request] = []
    seen: list[tuple[bytes, int]] = []
    async with client_of(sent) as client:
        with recording(lambda body: seen.append((body, len(sent)))):
            await client.post(URL, json=BODY, headers={"Authorization": "Bearer secret"})
    assert seen == [(sent[0].content, 0)]
    assert json.loads(seen[0][0]) == BODY
    assert b"secret" not in seen[0][0]


async def test_the_type_of_what_comes_back_is_told() -> None:
    told: list[str] = []
    async with client_of([]) as client:
        with recording(lambda _body: None, told.append):
            await client.post(URL, json=BODY)
    assert told == ["application/json"]


async def test_nothing_is_recorded_where_nobody_asked() -> None:
    sent: list[httpx2.Request] = []
    seen: list[bytes] = []
    async with client_of(sent) as client:
        with recording(seen.append):
            pass
        await client.post(URL, json=BODY)
    assert (len(sent), seen) == (1, [])


async def test_tasks_that_share_the_transport_record_apart() -> None:
    sent: list[httpx2.Request] = []

    async def post(number: int) -> list[bytes]:
        seen: list[bytes] = []
        with recording(seen.append):
            await client.post(URL, json={"number": number})
        return seen

    async with client_of(sent) as client:
        found = await asyncio.gather(*(post(number) for number in range(5)))
    assert [[json.loads(body)["number"] for body in seen] for seen in found] == [[n] for n in range(5)]


async def test_a_body_that_fails_its_check_is_neither_recorded_nor_sent() -> None:
    sent: list[httpx2.Request] = []
    seen: list[bytes] = []

    def refuse(body: object) -> None:
        raise ValueError(f"wrong: {body}")

    async with client_of(sent, refuse) as client:
        with recording(seen.append), pytest.raises(ValueError, match="wrong: "):
            await client.post(URL, json=BODY)
    assert (sent, seen) == ([], [])


async def test_a_client_waits_long_for_thought_and_briefly_for_a_connection() -> None:
    async with open_client("https://api.example") as client:
        assert client.timeout.read == transport.SILENCE_TIMEOUT_S
        assert client.timeout.connect == transport.CONNECT_TIMEOUT_S


def test_the_proxies_of_the_environment_are_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    assert transport.proxy_for("https://api.example/v1") == "http://proxy.example:3128"
    assert transport.proxy_for("https://127.0.0.1:8000/v1") is None
    monkeypatch.delenv("https_proxy")
    assert transport.proxy_for("https://api.example/v1") is None
