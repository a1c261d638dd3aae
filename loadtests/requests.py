"""What callers ask: the requests of every call, and the scenarios that are made of them.

A scenario is an endless stream of requests about games that the in-process core plays. No request
needs the answer to an earlier one, so a generator can send each of them when it is due, whatever
happened to the others.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

from google.protobuf.message import Message
from tablier.v1 import advisor_service_pb2, game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core.position import Position
from tablier_core.registry import GAMES
from tablier_service.security.sealing import PlainTokens, Tokens

from tests.core.variants import VARIANTS

# The share of each scenario in `mixed`.
WEIGHTS = tomllib.loads(Path(__file__).with_name("mixed.toml").read_text())["weights"]
# Longer games are abandoned, so that more positions are visited.
LONGEST = 200
BATCHED = 64
# Operations in a message of a Play stream.
PER_MESSAGE = 8
# Small enough that a call takes about a millisecond.
ITERATIONS = 100
SIMULATED_GAMES = 2


class Request(NamedTuple):
    """A call and its request; bytes that are not a message are sent as they are, over gRPC."""

    call: str
    message: Message | bytes


class Turn(NamedTuple):
    """A position of a random game, the move that is played there, and the game so far."""

    position: Position
    seat: int
    action: int
    options: Mapping[str, object]
    seed: int
    line: list[game_pb2.Move]


Requests = Iterator[Request]

# What only gRPC can carry.
STREAMS = ("Play", "StreamAnalysis")


class Source:
    """Random games, and their tokens; two sources with equal seeds play the same games."""

    def __init__(self, tokens: Tokens, seed: int) -> None:
        self.tokens = tokens
        self.chance = random.Random(seed)
        self._variants = cycle(
            [
                (name, options)
                for place in range(max(map(len, VARIANTS.values())))
                for name in GAMES
                for options in VARIANTS[name][place : place + 1]
            ]
        )
        self._turns = self._play()

    def turn(self) -> Turn:
        """The next turn of the current game, or the first of another one."""
        return next(self._turns)

    def token(self, position: Position) -> bytes:
        """The token of a position."""
        return self.tokens.write(position)

    def _play(self) -> Iterator[Turn]:
        while True:
            name, options = next(self._variants)
            seed = self.chance.getrandbits(63)
            position = GAMES[name].start(options, seed)
            line: list[game_pb2.Move] = []
            while not position.over and len(line) < LONGEST:
                seat = self.chance.choice(position.actors)
                action = self.chance.choice(position.moves(seat))
                yield Turn(position, seat, action, options, seed, line)
                line.append(game_pb2.Move(seat=seat, action=action))
                position = position.apply(seat, action)


# ---- The request of each call, about a turn ------------------------------------------------------


def list_games(source: Source, turn: Turn) -> Message:
    return pb.ListGamesRequest()


def get_game(source: Source, turn: Turn) -> Message:
    return pb.GetGameRequest(game=turn.position.game.name)


def start_game(source: Source, turn: Turn) -> Message:
    request = pb.StartGameRequest(game=turn.position.game.name, seed=turn.seed)
    request.options.update(turn.options)  # type: ignore[arg-type]
    return request


def enumerate_moves(source: Source, turn: Turn) -> Message:
    detail = source.chance.choice(pb.MoveDetail.values()[: pb.MOVE_DETAIL_FULL + 1])
    return pb.EnumerateMovesRequest(state=source.token(turn.position), detail=detail)


def interpret_move(source: Source, turn: Turn) -> Message:
    return pb.InterpretMoveRequest(
        state=source.token(turn.position),
        seat=turn.seat,
        text=turn.position.game.write_move(turn.action),
    )


def apply_moves(source: Source, turn: Turn) -> Message:
    move = game_pb2.Move(seat=turn.seat, notation=turn.position.game.write_move(turn.action))
    return pb.ApplyMovesRequest(state=source.token(turn.position), moves=[move])


def describe_state(source: Source, turn: Turn) -> Message:
    return pb.DescribeStateRequest(state=source.token(turn.position), seat=turn.seat)


def replay_game(source: Source, turn: Turn) -> Message:
    request = pb.ReplayGameRequest(game=turn.position.game.name, seed=turn.seed, moves=turn.line)
    request.options.update(turn.options)  # type: ignore[arg-type]
    return request


def render_state(source: Source, turn: Turn) -> Message:
    return pb.RenderStateRequest(
        state=source.token(turn.position),
        seat=turn.seat,
        format=source.chance.choice((pb.RENDER_FORMAT_SVG, pb.RENDER_FORMAT_TEXT)),
    )


def suggest_moves(source: Source, turn: Turn) -> Message:
    return advisor_service_pb2.SuggestMovesRequest(
        state=source.token(turn.position),
        seat=turn.seat,
        budget=advisor_service_pb2.Budget(iterations=ITERATIONS),
        seed=turn.seed,
    )


def stream_analysis(source: Source, turn: Turn) -> Message:
    return advisor_service_pb2.StreamAnalysisRequest(
        state=source.token(turn.position),
        seat=turn.seat,
        budget=advisor_service_pb2.Budget(iterations=ITERATIONS),
        seed=turn.seed,
    )


def simulate_game(source: Source, turn: Turn) -> Message:
    return advisor_service_pb2.SimulateGameRequest(
        state=source.token(turn.position),
        seat=turn.seat,
        games=SIMULATED_GAMES,
        levels=[1],
        seed=turn.seed,
    )


def play_seat(source: Source, turn: Turn) -> Message:
    return advisor_service_pb2.PlaySeatRequest(
        state=source.token(turn.position),
        seat=turn.seat,
        budget=advisor_service_pb2.Budget(iterations=ITERATIONS),
        seed=turn.seed,
        max_moves=1,
        viewer=turn.seat,
    )


# The cheap calls that an operation of a batch or a stream can contain, by its field.
OPERATIONS: Mapping[str, Callable[[Source, Turn], Message]] = {
    "enumerate_moves": enumerate_moves,
    "apply_moves": apply_moves,
    "describe_state": describe_state,
}


def operations(source: Source, count: int, fields: list[str] | None = None) -> list[pb.Operation]:
    """Operations with ids that no other request of this source has."""
    found = []
    for _ in range(count):
        field = source.chance.choice(fields or list(OPERATIONS))
        asked: Any = {field: OPERATIONS[field](source, source.turn())}
        found.append(pb.Operation(id=source.chance.getrandbits(63), **asked))
    return found


def batch(source: Source, turn: Turn) -> Message:
    return pb.BatchRequest(operations=operations(source, BATCHED))


def play(source: Source, turn: Turn) -> Message:
    return pb.PlayRequest(operations=operations(source, PER_MESSAGE))


CALLS: Mapping[str, Callable[[Source, Turn], Message]] = {
    "ListGames": list_games,
    "GetGame": get_game,
    "StartGame": start_game,
    "EnumerateMoves": enumerate_moves,
    "InterpretMove": interpret_move,
    "ApplyMoves": apply_moves,
    "DescribeState": describe_state,
    "ReplayGame": replay_game,
    "RenderState": render_state,
    "Batch": batch,
    "Play": play,
    "SuggestMoves": suggest_moves,
    "StreamAnalysis": stream_analysis,
    "SimulateGame": simulate_game,
    "PlaySeat": play_seat,
}


# ---- Scenarios -----------------------------------------------------------------------------------


def only(call: str, source: Source) -> Requests:
    """One call again and again."""
    while True:
        yield Request(call, CALLS[call](source, source.turn()))


def within(call: str, field: str, source: Source) -> Requests:
    """Batches or messages of a stream in which every operation is the same call."""
    kind, count = (pb.BatchRequest, BATCHED) if call == "Batch" else (pb.PlayRequest, PER_MESSAGE)
    while True:
        yield Request(call, kind(operations=operations(source, count, [field])))


def playout(source: Source) -> Requests:
    """Whole games: start, list the moves and play one of them, and now and then look at it."""
    while True:
        turn = source.turn()
        if not turn.line:
            yield Request("StartGame", start_game(source, turn))
        yield Request("EnumerateMoves", enumerate_moves(source, turn))
        yield Request("ApplyMoves", apply_moves(source, turn))
        if len(turn.line) % 10 == 0:
            yield Request("DescribeState", describe_state(source, turn))
            yield Request("RenderState", render_state(source, turn))


def advice(source: Source) -> Requests:
    """Everything that searches."""
    for call in cycle(("SuggestMoves", "PlaySeat", "SimulateGame", "SuggestMoves")):
        yield Request(call, CALLS[call](source, source.turn()))


def hostile(source: Source) -> Requests:
    """Requests that are wrong in many ways, each of which has one right answer: its error."""
    while True:
        turn = source.turn()
        token = source.token(turn.position)
        chance = source.chance
        place = chance.randrange(len(token))
        flipped = bytes([token[place] ^ (1 << chance.randrange(8))])
        damaged = token[:place] + flipped + token[place + 1 :]
        yield Request("EnumerateMoves", pb.EnumerateMovesRequest(state=damaged))
        yield Request("DescribeState", pb.DescribeStateRequest(state=token[:place], seat=0))
        yield Request("EnumerateMoves", pb.EnumerateMovesRequest(state=token, seat=99))
        illegal = game_pb2.Move(seat=turn.seat, notation="no such move")
        yield Request("ApplyMoves", pb.ApplyMovesRequest(state=token, moves=[illegal]))
        yield Request("StartGame", pb.StartGameRequest(game="no-such-game", seed=1))
        unknown = pb.StartGameRequest(game=turn.position.game.name, seed=1)
        unknown.options.update({"no such option": 1})
        yield Request("StartGame", unknown)
        yield Request("Batch", pb.BatchRequest())
        yield Request("EnumerateMoves", chance.randbytes(40))
        # Callers that do nothing wrong get their answers all the same.
        yield Request("ApplyMoves", apply_moves(source, turn))


def mixed(source: Source) -> Requests:
    """The other scenarios, by weight."""
    parts = {name: SCENARIOS[name](source) for name in WEIGHTS}
    while True:
        [name] = source.chance.choices(list(WEIGHTS), list(WEIGHTS.values()))
        yield next(parts[name])


SCENARIOS: Mapping[str, Callable[[Source], Requests]] = {
    "playout": playout,
    "enumerate": partial(only, "EnumerateMoves"),
    "batch": partial(only, "Batch"),
    "play": partial(only, "Play"),
    "advice": advice,
    "hostile": hostile,
    "mixed": mixed,
}


def scenario(name: str) -> Callable[[Source], Requests]:
    """A scenario by name, or a single call: `ApplyMoves`, `Batch/apply_moves`."""
    call, _, field = name.partition("/")
    if field in OPERATIONS and call in ("Batch", "Play"):
        return partial(within, call, field)
    if call in CALLS and not field:
        return partial(only, call)
    if name not in SCENARIOS:
        known = ", ".join((*SCENARIOS, *CALLS))
        raise ValueError(f"there is no scenario {name}; there are: {known}")
    return SCENARIOS[name]


def needs_grpc(name: str) -> bool:
    """Whether REST can carry nothing of a scenario."""
    requests = scenario(name)(Source(PlainTokens(GAMES), seed=1))
    return all(request.call in STREAMS for request in islice(requests, 50))
