"""Valid and invalid calls and their outcomes, which are tried on both transports."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct
from tablier.v1 import advisor_service_pb2 as advisor
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.position import Position
from tablier_core.registry import GAMES

GAME = "contigo-alignment"
# Iterations alone, so that the same request has the same answer.
BUDGET = advisor.Budget(iterations=60)


@dataclass(frozen=True)
class Scenario:
    """A call and its outcome: the code, reason and field of an error, or OK."""

    name: str
    method: str
    request: Message
    code: str = "OK"
    reason: str = ""
    field: str = ""


def position(moves: int = 0, **options: object) -> Position:
    """The position after playing the first legal move a number of times."""
    here = GAMES[GAME].start({"first": 0, **options}, 7)
    for _ in range(moves):
        seat = here.actors[0]
        here = here.apply(seat, here.moves(seat)[0])
    return here


def move(notation: str = "", **fields: int) -> game_pb2.Move:
    return game_pb2.Move(notation=notation, **fields)


def options(**values: Any) -> Struct:
    chosen = Struct()
    chosen.update(values)
    return chosen


def forged(token: bytes, at: int, value: int) -> bytes:
    """A token with one byte changed and a correct checksum."""
    changed = bytearray(token[:-4])
    changed[at] = value
    return bytes(changed) + struct.pack("<I", zlib.crc32(changed))


START = codec.encode(position())
SOW = codec.encode(position(1))
VIEW_OF_MOVER = codec.encode(position().view_of(0))
VIEW = codec.encode(position().view_of(1))
OVER = codec.encode(position(2, turn_limit=1))
# The state begins after the fixed fields and the name of the game.
STATE_AT = 13 + len(GAME)


def apply(state: bytes, *moves: game_pb2.Move) -> pb.ApplyMovesRequest:
    return pb.ApplyMovesRequest(state=state, moves=moves)


def interpret(
    state: bytes, text: str, seat: int | None = None, language: str = ""
) -> pb.InterpretMoveRequest:
    return pb.InterpretMoveRequest(state=state, text=text, seat=seat, language=language)


def suggest(state: bytes, **fields: int) -> advisor.SuggestMovesRequest:
    return advisor.SuggestMovesRequest(state=state, budget=BUDGET, seed=3, **fields)  # type: ignore[arg-type]


def simulate(state: bytes) -> advisor.SimulateGameRequest:
    return advisor.SimulateGameRequest(state=state, games=2, seed=3, levels=[1, 1])


def analyse(state: bytes, **fields: int) -> advisor.StreamAnalysisRequest:
    return advisor.StreamAnalysisRequest(state=state, budget=BUDGET, seed=3, **fields)  # type: ignore[arg-type]


def wrong(name: str, method: str, request: Message, code: str, reason: str, field: str) -> Scenario:
    return Scenario(name, method, request, code, reason, field)


BAD = "INVALID_ARGUMENT"
NOT_NOW = "FAILED_PRECONDITION"

RIGHT = [
    Scenario("catalogue", "ListGames", pb.ListGamesRequest()),
    Scenario("one game", "GetGame", pb.GetGameRequest(game=GAME)),
    Scenario("games in French", "ListGames", pb.ListGamesRequest(language="fr")),
    Scenario("a game in French", "GetGame", pb.GetGameRequest(game=GAME, language="fr-CA")),
    Scenario("rules", "GetGame", pb.GetGameRequest(game=GAME, include_rules=True)),
    Scenario("start", "StartGame", pb.StartGameRequest(game=GAME, seed=7)),
    Scenario(
        "start with options",
        "StartGame",
        pb.StartGameRequest(game=GAME, seed=2**64 - 1, options=options(advanced=True, first=1)),
    ),
    Scenario("pawn moves", "EnumerateMoves", pb.EnumerateMovesRequest(state=START)),
    Scenario("sowings", "EnumerateMoves", pb.EnumerateMovesRequest(state=SOW)),
    Scenario(
        "count", "EnumerateMoves", pb.EnumerateMovesRequest(state=SOW, detail=pb.MOVE_DETAIL_COUNT)
    ),
    Scenario(
        "actions of a seat",
        "EnumerateMoves",
        pb.EnumerateMovesRequest(state=SOW, seat=0, detail=pb.MOVE_DETAIL_ACTIONS),
    ),
    Scenario(
        "no moves of the other", "EnumerateMoves", pb.EnumerateMovesRequest(state=SOW, seat=1)
    ),
    Scenario("moves of a finished game", "EnumerateMoves", pb.EnumerateMovesRequest(state=OVER)),
    Scenario("an exact text", "InterpretMove", interpret(START, "a6-a4")),
    Scenario("a sloppy text", "InterpretMove", interpret(START, "My move: A6 to A4!")),
    Scenario("a French text", "InterpretMove", interpret(START, "de a6 en a4", language="fr")),
    Scenario("two moves in a text", "InterpretMove", interpret(START, "a6-a4 or the other, f1-d1")),
    Scenario("an illegal text", "InterpretMove", interpret(START, "a6-a5", seat=0)),
    Scenario("no move at all", "InterpretMove", interpret(SOW, "\u00bfqu\u00e9?")),
    Scenario("a text for a view", "InterpretMove", interpret(VIEW_OF_MOVER, "option 2")),
    Scenario("a move", "ApplyMoves", apply(START, move("a6-a4"))),
    Scenario("a line", "ApplyMoves", apply(START, move("a6-a4", seat=0), move("13+0.2"))),
    Scenario("an action", "ApplyMoves", apply(START, move(action=42))),
    Scenario(
        "steps",
        "ApplyMoves",
        pb.ApplyMovesRequest(state=START, moves=[move("a6-a4"), move("13-1")], include_steps=True),
    ),
    Scenario("referee's view", "DescribeState", pb.DescribeStateRequest(state=START)),
    Scenario("seat's view", "DescribeState", pb.DescribeStateRequest(state=START, seat=1)),
    Scenario("view of a view", "DescribeState", pb.DescribeStateRequest(state=VIEW)),
    Scenario(
        "numbers for a learner",
        "DescribeState",
        pb.DescribeStateRequest(state=START, seat=1, include_observation=True),
    ),
    Scenario("picture", "RenderState", pb.RenderStateRequest(state=START)),
    Scenario(
        "words and paths",
        "EnumerateMoves",
        pb.EnumerateMovesRequest(
            state=START, detail=pb.MOVE_DETAIL_WORDS, include_paths=True, language="fr"
        ),
    ),
    Scenario(
        "steps in words",
        "ApplyMoves",
        pb.ApplyMovesRequest(
            state=START, moves=[move("a6-a4")], include_steps=True, include_words=True, viewer=1
        ),
    ),
    Scenario(
        "dark picture",
        "RenderState",
        pb.RenderStateRequest(
            state=START,
            theme=pb.RENDER_THEME_DARK,
            width=360,
            arrows=["a6>a4"],
        ),
    ),
    Scenario(
        "a bot",
        "PlaySeat",
        advisor.PlaySeatRequest(state=START, level=1, seed=3, viewer=1),
    ),
    Scenario("text", "RenderState", pb.RenderStateRequest(state=SOW, format=pb.RENDER_FORMAT_TEXT)),
    Scenario(
        "replay",
        "ReplayGame",
        pb.ReplayGameRequest(
            game=GAME,
            options=options(first=0),
            seed=7,
            moves=[move("a6-a4"), move("13-1")],
            include_steps=True,
            include_transcript=True,
        ),
    ),
    Scenario(
        "replay for a seat",
        "ReplayGame",
        pb.ReplayGameRequest(
            game="contrat500",
            seed=7,
            moves=[move(action=9), move(action=9)],
            include_steps=True,
            include_transcript=True,
            viewer=1,
        ),
    ),
    Scenario("advice", "SuggestMoves", suggest(START)),
    Scenario("advice on a view", "SuggestMoves", suggest(VIEW_OF_MOVER)),
    Scenario("simulation", "SimulateGame", simulate(START)),
    Scenario("analysis", "StreamAnalysis", analyse(START)),
    Scenario(
        "batch with one bad operation",
        "Batch",
        pb.BatchRequest(
            operations=[
                pb.Operation(get_game=pb.GetGameRequest(game=GAME)),
                pb.Operation(apply_moves=apply(START, move("a6-a5"))),
                pb.Operation(),
                pb.Operation(render_state=pb.RenderStateRequest(state=START)),
            ]
        ),
    ),
]

TOKENS = [
    ("no token", b"", BAD, "TOKEN_MALFORMED"),
    ("three bytes", b"TB\x01", BAD, "TOKEN_MALFORMED"),
    ("other magic", b"XX" + START[2:], BAD, "TOKEN_MALFORMED"),
    ("truncated", START[:-1], BAD, "TOKEN_MALFORMED"),
    ("one flipped bit", START[:40] + bytes([START[40] ^ 1]) + START[41:], BAD, "TOKEN_MALFORMED"),
    ("oversized", START + bytes(4096), BAD, "TOKEN_MALFORMED"),
    ("other format", forged(START, 2, 9), NOT_NOW, "TOKEN_UNSUPPORTED"),
    ("other rules", forged(START, 5 + len(GAME), 99), NOT_NOW, "TOKEN_UNSUPPORTED"),
    ("no such viewer", forged(START, 3, 2), BAD, "TOKEN_INVALID"),
    ("unknown game inside", forged(START, 5, ord("x")), "NOT_FOUND", "UNKNOWN_GAME"),
    ("forged phase", forged(START, STATE_AT, 1 + 1), BAD, "TOKEN_INVALID"),
    ("forged beads", forged(START, STATE_AT + 22, 7), BAD, "TOKEN_INVALID"),
]

WRONG = [
    wrong(
        "a bot on a view",
        "PlaySeat",
        advisor.PlaySeatRequest(state=VIEW_OF_MOVER),
        NOT_NOW,
        "VIEW_TOKEN",
        "state",
    ),
    *(
        wrong(f"{name} ({method})", method, request, code, reason, "state")
        for name, token, code, reason in TOKENS
        for method, request in (
            ("EnumerateMoves", pb.EnumerateMovesRequest(state=token)),
            ("InterpretMove", interpret(token, "a6-a4")),
            ("ApplyMoves", apply(token, move("a6-a4"))),
            ("DescribeState", pb.DescribeStateRequest(state=token)),
            ("RenderState", pb.RenderStateRequest(state=token)),
        )
    ),
    wrong("no text", "InterpretMove", interpret(START, ""), BAD, "INVALID_FIELD", "text"),
    wrong(
        "a long text", "InterpretMove", interpret(START, "a" * 2049), BAD, "INVALID_FIELD", "text"
    ),
    wrong(
        "a text for a seat that waits",
        "InterpretMove",
        interpret(START, "a6-a4", seat=1),
        NOT_NOW,
        "WRONG_SEAT",
        "seat",
    ),
    wrong(
        "a text in a finished game",
        "InterpretMove",
        interpret(OVER, "a6-a4"),
        NOT_NOW,
        "GAME_OVER",
        "state",
    ),
    wrong(
        "a text for another seat than the view's",
        "InterpretMove",
        interpret(VIEW_OF_MOVER, "a6-a4", seat=1),
        NOT_NOW,
        "VIEW_TOKEN",
        "seat",
    ),
    wrong(
        "unknown game", "GetGame", pb.GetGameRequest(game="go"), "NOT_FOUND", "UNKNOWN_GAME", "game"
    ),
    wrong(
        "start of an unknown game",
        "StartGame",
        pb.StartGameRequest(game="go"),
        "NOT_FOUND",
        "UNKNOWN_GAME",
        "game",
    ),
    wrong(
        "bad option",
        "StartGame",
        pb.StartGameRequest(game=GAME, options=options(first=2)),
        BAD,
        "INVALID_OPTION",
        "options.first",
    ),
    wrong(
        "bad layout",
        "StartGame",
        pb.StartGameRequest(game=GAME, options=options(layout="RRRR")),
        BAD,
        "INVALID_OPTION",
        "options.layout",
    ),
    wrong(
        "unparsable move",
        "ApplyMoves",
        apply(START, move("a6-b5")),
        BAD,
        "MOVE_UNPARSABLE",
        "moves[0].notation",
    ),
    wrong(
        "action out of range",
        "ApplyMoves",
        apply(START, move(action=10**9)),
        BAD,
        "MOVE_UNPARSABLE",
        "moves[0].action",
    ),
    wrong(
        "notation and action differ",
        "ApplyMoves",
        apply(START, move("a6-a4", action=1)),
        BAD,
        "MOVE_UNPARSABLE",
        "moves[0].action",
    ),
    wrong(
        "empty move",
        "ApplyMoves",
        apply(START, move()),
        BAD,
        "MOVE_UNPARSABLE",
        "moves[0].notation",
    ),
    wrong("no moves", "ApplyMoves", apply(START), BAD, "INVALID_FIELD", "moves"),
    wrong(
        "too many moves",
        "ApplyMoves",
        apply(START, *[move(action=0)] * 1025),
        BAD,
        "INVALID_FIELD",
        "moves",
    ),
    wrong(
        "illegal move",
        "ApplyMoves",
        apply(START, move("a6-a5")),
        NOT_NOW,
        "MOVE_ILLEGAL",
        "moves[0]",
    ),
    wrong(
        "illegal second move",
        "ApplyMoves",
        apply(START, move("a6-a4"), move("b6-b4")),
        NOT_NOW,
        "MOVE_ILLEGAL",
        "moves[1]",
    ),
    wrong(
        "seat not to move",
        "ApplyMoves",
        apply(START, move("a6-a4", seat=1)),
        NOT_NOW,
        "WRONG_SEAT",
        "moves[0].seat",
    ),
    wrong(
        "no such seat",
        "ApplyMoves",
        apply(START, move("a6-a4", seat=2)),
        NOT_NOW,
        "WRONG_SEAT",
        "moves[0].seat",
    ),
    wrong(
        "moves of no such seat",
        "EnumerateMoves",
        pb.EnumerateMovesRequest(state=START, seat=-2),
        NOT_NOW,
        "WRONG_SEAT",
        "seat",
    ),
    wrong(
        "view of no such seat",
        "DescribeState",
        pb.DescribeStateRequest(state=START, seat=5),
        NOT_NOW,
        "WRONG_SEAT",
        "seat",
    ),
    wrong(
        "numbers for the referee",
        "DescribeState",
        pb.DescribeStateRequest(state=START, include_observation=True),
        BAD,
        "INVALID_FIELD",
        "include_observation",
    ),
    wrong("finished game", "ApplyMoves", apply(OVER, move("a6-a4")), NOT_NOW, "GAME_OVER", "state"),
    wrong(
        "game that ends within the line",
        "ApplyMoves",
        apply(codec.encode(position(1, turn_limit=1)), move("13-1"), move("a6-a4")),
        NOT_NOW,
        "GAME_OVER",
        "moves[1].state",
    ),
    wrong(
        "move on a view token",
        "ApplyMoves",
        apply(VIEW, move("a6-a4")),
        NOT_NOW,
        "VIEW_TOKEN",
        "state",
    ),
    wrong(
        "another seat's moves",
        "EnumerateMoves",
        pb.EnumerateMovesRequest(state=VIEW, seat=0),
        NOT_NOW,
        "VIEW_TOKEN",
        "seat",
    ),
    wrong(
        "another seat's view",
        "DescribeState",
        pb.DescribeStateRequest(state=VIEW, seat=0),
        NOT_NOW,
        "VIEW_TOKEN",
        "seat",
    ),
    wrong(
        "referee's view of a view",
        "RenderState",
        pb.RenderStateRequest(state=VIEW, seat=-1),
        NOT_NOW,
        "VIEW_TOKEN",
        "seat",
    ),
    wrong(
        "too long for a transcript",
        "ReplayGame",
        pb.ReplayGameRequest(game=GAME, moves=[move("a6-a4")] * 1025, include_transcript=True),
        BAD,
        "INVALID_FIELD",
        "moves",
    ),
    wrong(
        "advice to a seat not to move",
        "SuggestMoves",
        suggest(START, seat=1),
        NOT_NOW,
        "WRONG_SEAT",
        "seat",
    ),
    wrong(
        "analysis of a finished game",
        "StreamAnalysis",
        analyse(OVER),
        NOT_NOW,
        "GAME_OVER",
        "state",
    ),
    wrong(
        "simulation of a finished game",
        "SimulateGame",
        simulate(OVER),
        NOT_NOW,
        "GAME_OVER",
        "state",
    ),
    wrong("no operations", "Batch", pb.BatchRequest(), BAD, "INVALID_FIELD", "operations"),
    wrong(
        "too many operations",
        "Batch",
        pb.BatchRequest(operations=[pb.Operation()] * 1025),
        BAD,
        "INVALID_FIELD",
        "operations",
    ),
    wrong(
        "too many bytes",
        "ApplyMoves",
        apply(START, move("x" * 70_000)),
        "RESOURCE_EXHAUSTED",
        "TOO_LARGE",
        "",
    ),
]

SCENARIOS = [*RIGHT, *WRONG]
