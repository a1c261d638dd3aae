"""A program that type checkers must understand: with the installed client, and nothing else.

`make client-types` checks it in an empty environment. Each `type: ignore` is a mistake that must be
found: without it, mypy reports the comment as unused.
"""

from __future__ import annotations

from typing import assert_type

import grpc
from tablier.v1.contigo_alignment_pb2 import ContigoAlignmentView
from tablier_client import Advice, AsyncClient, AsyncState, Client, Game, GameView, Move, State
from tablier_client.errors import IllegalMove, TablierError


def play(client: Client) -> None:
    """Use the synchronous client."""
    assert_type(client.games(), list[Game])
    state = assert_type(client.start("contigo-alignment", seed=7), State)
    view = assert_type(state.view(0), GameView)
    assert_type(view.contigo_alignment, ContigoAlignmentView)
    assert_type(view.contigo_alignment.turns, int)
    view.nonsense  # type: ignore[attr-defined]  # noqa: B018
    view.contigo_alignment.nonsense  # type: ignore[attr-defined]  # noqa: B018
    state.nonsense  # type: ignore[attr-defined]  # noqa: B018
    move = assert_type(state.moves()[0], Move)
    state.play(move, "a6-a4")
    state.play(7)  # type: ignore[arg-type]
    assert_type(state.suggest().suggestions[0].move.notation, str)
    assert_type(client.batch([client.calls.moves(state)]), list[list[Move] | TablierError])
    assert_type(state.attach(client), State)
    try:
        state.play("a6-a4")
    except IllegalMove as error:
        assert_type(error.code, grpc.StatusCode)
        error.code.nonsense  # type: ignore[attr-defined]  # noqa: B018


async def play_async(client: AsyncClient) -> None:
    """Use the asyncio client."""
    state = assert_type(await client.start("contigo-alignment"), AsyncState)
    (await state.view()).nonsense  # type: ignore[attr-defined]  # noqa: B018
    async for report in state.analyze(milliseconds=100):
        assert_type(report, Advice)
    async with client.session() as session:
        assert_type(await session.submit(client.calls.count_moves(state)), int)


Client("127.0.0.1:50051", credentials=grpc.ssl_channel_credentials())
Client("127.0.0.1:50051", credentials="nonsense")  # type: ignore[arg-type]
