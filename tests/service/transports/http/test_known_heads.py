"""Requests whose heads were seen before are answered unparsed, and no differently."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import Iterator

import pytest
from tablier_core.registry import GAMES
from tablier_service.transports.http.connection import MAX_HEADS
from tablier_service.transports.http.server import RestServer

from tests.service.transports.http.connections import (
    DOOR,
    ENGINE,
    SETTINGS,
    TOKEN,
    Caller,
    moves_request,
    post,
    served,
)

PATH = "/v1/states:enumerateMoves"
OTHER = b64encode(ENGINE.tokens.write(GAMES["contigo-alignment"].start({"first": 1}, 7))).decode()


@pytest.fixture(autouse=True)
def _nothing_is_known() -> Iterator[None]:
    DOOR.heads.clear()
    yield
    DOOR.heads.clear()


def asking(token: str, *headers: str) -> bytes:
    return post(PATH, json.dumps({"state": token}).encode(), *headers)


async def first_actor(caller: Caller) -> int:
    status, _, body = await caller.answer()
    assert status == 200
    return int(json.loads(body)["situation"].get("actors", [0])[0])


def test_each_body_behind_a_known_head_has_its_own_answer() -> None:
    async def scenario(caller: Caller, server: RestServer) -> None:
        for token, actor in ((TOKEN, 0), (OTHER, 1), (TOKEN, 0)):
            caller.send(asking(token))
            assert await first_actor(caller) == actor
        assert len(DOOR.heads) == 1

    served(scenario)


def test_a_known_head_may_come_in_pieces_or_with_the_next_request() -> None:
    async def scenario(caller: Caller, server: RestServer) -> None:
        request = asking(TOKEN)
        caller.send(request)
        assert await first_actor(caller) == 0
        for cut in (10, request.index(b"\r\n\r\n") + 4, len(request) - 5):
            caller.send(request[:cut])
            # Let it arrive alone.
            await asyncio.sleep(0.02)
            caller.send(request[cut:])
            assert await first_actor(caller) == 0
        caller.send(asking(TOKEN) + asking(OTHER) + asking(TOKEN))
        assert [await first_actor(caller) for _ in range(3)] == [0, 1, 0]

    served(scenario)


def test_a_body_is_waited_for_to_its_last_byte() -> None:
    async def scenario(caller: Caller, server: RestServer) -> None:
        request = post(PATH, json.dumps({"state": TOKEN}).encode() + b"   ")
        caller.send(request)
        assert await first_actor(caller) == 0
        caller.send(request[:-3])
        await asyncio.sleep(0.02)
        caller.send(request[-3:] + asking(OTHER))
        assert [await first_actor(caller) for _ in range(2)] == [0, 1]

    served(scenario)


def test_answers_keep_the_order_of_requests() -> None:
    async def scenario(caller: Caller, server: RestServer) -> None:
        caller.send(asking(TOKEN))
        assert await first_actor(caller) == 0
        thinking = json.dumps({"state": TOKEN, "budget": {"milliseconds": 200}}).encode()
        caller.send(post("/v1/states:suggestMoves", thinking))
        await asyncio.sleep(0.02)
        caller.send(asking(TOKEN))
        assert b'"suggestions"' in (await caller.answer())[2]
        assert await first_actor(caller) == 0

    served(scenario)


def test_what_fails_behind_a_known_head_is_told_as_ever() -> None:
    async def scenario(caller: Caller, server: RestServer) -> None:
        caller.send(asking(TOKEN))
        assert await first_actor(caller) == 0
        wrong = asking("A" * len(TOKEN))
        caller.send(wrong)
        assert (await caller.answer())[0] == 400
        caller.send(asking(TOKEN))
        assert await first_actor(caller) == 0

    served(scenario)


def test_a_head_that_ends_its_connection_or_is_not_whole_is_not_kept() -> None:
    async def scenario(caller: Caller, server: RestServer) -> None:
        chunked = (
            f"POST {PATH} HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\n"
            "transfer-encoding: chunked\r\n\r\n"
        ).encode()
        body = json.dumps({"state": TOKEN}).encode()
        caller.send(chunked + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))
        assert await first_actor(caller) == 0
        caller.send(asking(TOKEN) + asking(TOKEN))
        assert [await first_actor(caller) for _ in range(2)] == [0, 0]
        assert not DOOR.heads
        caller.send(moves_request("enumerateMoves", "connection: close"))
        assert (await caller.answer())[1]["connection"] == "close"
        assert await caller.is_closed()
        assert not DOOR.heads

    served(scenario)


def test_heads_that_never_come_again_do_not_pile_up() -> None:
    async def scenario(caller: Caller, server: RestServer) -> None:
        for number in range(MAX_HEADS + 3):
            caller.send(asking(TOKEN, f"x-request-id: {number}"))
            _, headers, _ = await caller.answer()
            assert headers["x-request-id"] == str(number)
        assert len(DOOR.heads) == 3
        long = "x-long: " + "a" * 2000
        caller.send(asking(TOKEN, long))
        assert await first_actor(caller) == 0
        assert len(DOOR.heads) == 3

    served(scenario)


def test_a_connection_is_closed_when_it_has_been_idle_and_not_while_it_is_used() -> None:
    async def run() -> None:
        DOOR.leaving = False
        server = RestServer(DOOR, SETTINGS)
        server._server.config.timeout_keep_alive = 1
        await server.start()
        loop = asyncio.get_running_loop()
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        caller = Caller(reader, writer)
        try:
            begun = loop.time()
            while loop.time() - begun < 1.5:
                caller.send(asking(TOKEN))
                assert await first_actor(caller) == 0
                await asyncio.sleep(0.1)
            assert await asyncio.wait_for(caller.is_closed(), 20)
        finally:
            writer.close()
            await server.stop(1)

    asyncio.run(run())
