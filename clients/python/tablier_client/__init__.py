"""The client of the Tablier game-state service.

`Client` for ordinary code, `AsyncClient` for asyncio; both give states that know how to go on. What
can go wrong is in `tablier_client.errors`.
"""

from tablier.v1.game_pb2 import Game, GameView

from tablier_client.aio import AsyncClient, AsyncState
from tablier_client.calls import Call
from tablier_client.client import Client, State
from tablier_client.errors import TablierError
from tablier_client.session import AsyncSession, Session
from tablier_client.state import (
    Advice,
    Move,
    Outcome,
    Replay,
    Simulation,
    Step,
    Suggestion,
    token_hash,
)

__all__ = [
    "Advice",
    "AsyncClient",
    "AsyncSession",
    "AsyncState",
    "Call",
    "Client",
    "Game",
    "GameView",
    "Move",
    "Outcome",
    "Replay",
    "Session",
    "Simulation",
    "State",
    "Step",
    "Suggestion",
    "TablierError",
    "token_hash",
]
