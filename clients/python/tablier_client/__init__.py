"""Client of the Tablier game-state service.

`Client` is synchronous, `AsyncClient` is for asyncio. Both return states, whose methods play, draw
and advise. `Match` keeps the history of a game. All exceptions are in `tablier_client.errors`.
"""

from tablier.v1.game_pb2 import Game, GameView

from tablier_client.aio import AsyncClient, AsyncState
from tablier_client.call import Call
from tablier_client.client import Client, State
from tablier_client.errors import TablierError
from tablier_client.game_options import GameName
from tablier_client.match import AsyncMatch, Match
from tablier_client.records import Record, RecordedMove, read_record, write_record
from tablier_client.session import AsyncSession, Session
from tablier_client.state import (
    Advice,
    BotTurn,
    Candidate,
    Drawing,
    Interpretation,
    Move,
    Outcome,
    Replay,
    ReplayStep,
    SeenMove,
    Simulation,
    Step,
    Suggestion,
    token_hash,
)

__all__ = [
    "Advice",
    "AsyncClient",
    "AsyncMatch",
    "AsyncSession",
    "AsyncState",
    "BotTurn",
    "Call",
    "Candidate",
    "Client",
    "Drawing",
    "Game",
    "GameName",
    "GameView",
    "Interpretation",
    "Match",
    "Move",
    "Outcome",
    "Record",
    "RecordedMove",
    "Replay",
    "ReplayStep",
    "SeenMove",
    "Session",
    "Simulation",
    "State",
    "Step",
    "Suggestion",
    "TablierError",
    "read_record",
    "token_hash",
    "write_record",
]
