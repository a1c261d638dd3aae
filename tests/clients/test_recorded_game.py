"""A whole game with recorded answers, so that it can be played on every system with a client."""

import asyncio
import random
from typing import Final

import pytest
from tablier_client import AsyncClient, Client
from tablier_client.errors import TablierError

from tests.clients.recording import Recording
from tests.live_server import LiveServer

GAME: Final = "contigo-alignment"


def play(address: str) -> list[str]:
    """Play a short game with everything that a player sees; return it as text."""
    chance = random.Random(5)
    seen = []
    with Client(address) as client:
        state = client.start(GAME, seed=7, turn_limit=4)
        while not state.over:
            move = chance.choice(state.moves())
            state = state.play(move)
            seen.append(move.notation)
        return [*seen, state.draw(), str(state.view(0)), str(state.returns)]


async def play_async(address: str) -> list[str]:
    """Play the same game with the other client."""
    chance = random.Random(5)
    seen = []
    async with AsyncClient(address) as client:
        state = await client.start(GAME, seed=7, turn_limit=4)
        while not state.over:
            move = chance.choice(await state.moves())
            state = await state.play(move)
            seen.append(move.notation)
        view = await state.view(0)
        return [*seen, await state.draw(), str(view), str(state.returns)]


def test_the_service_answers_as_recorded(live_server: LiveServer, update_golden: bool) -> None:
    address = live_server.grpc_address
    current = Recording(address)
    with current.serving() as recorder:
        seen = play(recorder)
        assert seen == play(address)
    if update_golden:
        current.save()
    assert Recording.load().answers == current.answers


def test_both_clients_play_the_recorded_game() -> None:
    with Recording.load().serving() as address:
        seen = play(address)
        assert len(seen) > 6
        assert asyncio.run(play_async(address)) == seen


def test_other_calls_fail() -> None:
    with (
        Recording.load().serving() as address,
        Client(address) as client,
        pytest.raises(TablierError, match="was not recorded"),
    ):
        client.start(GAME, seed=8)
