"""What calls answer, beyond what both doors are tried with in tests/contract."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.message import Message
from tablier.v1 import advisor_service_pb2, contigo_alignment_pb2, game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_client import token_hash as client_hash
from tablier_core import codec
from tablier_core.errors import (
    OptionError,
    TablierError,
    TokenMalformed,
    WrongSeat,
)
from tablier_core.position import REFEREE, Position
from tablier_core.registry import GAMES
from tablier_service.calls.advisor import AdvisorServicer
from tablier_service.calls.servicer import GameServicer
from tablier_service.calls.use_cases import UseCases
from tablier_service.errors import InvalidField
from tablier_service.security.sealing import PlainTokens, SealedTokens, token_hash
from tablier_service.views import MESSAGES

from tests.core import laws
from tests.core.variants import VARIANTS

ENGINE = UseCases(GAMES, PlainTokens(GAMES))
SERVICER = GameServicer(ENGINE)
SEALED = SealedTokens(GAMES, {1: bytes(32)})
SEALED_SERVICER = GameServicer(UseCases(GAMES, SEALED))
SEALED_ADVISOR = AdvisorServicer(UseCases(GAMES, SEALED), max_search_seconds=5.0)
ALIGNMENT = "contigo-alignment"

every_game = pytest.mark.parametrize("name", sorted(GAMES))


def ask(request: Message, servicer: GameServicer | AdvisorServicer = SERVICER) -> Any:
    """What a service answers to a request."""
    methods = {method.request_type: method for method in servicer.methods}
    return methods[type(request)].ask(request)


def random_line(position: Position, seed: int, limit: int) -> Iterator[tuple[int, int]]:
    """A random game from here: who plays what."""
    chance = random.Random(seed)
    for _ in range(limit):
        if position.over:
            return
        seat = chance.choice(position.actors)
        action = chance.choice(position.moves(seat))
        yield seat, action
        position = position.apply(seat, action)


def options(name: str, **values: object) -> game_pb2.GameOptions:
    return game_pb2.GameOptions(**{MESSAGES[name].field: values})  # type: ignore[arg-type]


@every_game
def test_every_game_is_played_through_the_calls(name: str):
    """Whole random games, by action and by notation in turns; each step is what the core says."""
    started = ask(pb.StartGameRequest(game=name, seed=5))
    position = GAMES[name].start({}, 5)
    assert started.state == codec.encode(position)
    state = started.state
    for seat, action in random_line(position, 5, limit=60):
        listed = ask(pb.EnumerateMovesRequest(state=state))
        assert [moves.seat for moves in listed.seats] == position.actors
        for moves in listed.seats:
            assert list(moves.actions) == position.moves(moves.seat)
            assert list(moves.notations) == position.notations(moves.seat)
            assert moves.count == len(moves.actions)
        move = (
            game_pb2.Move(seat=seat, action=action)
            if position.ply % 2
            else game_pb2.Move(seat=seat, notation=GAMES[name].write_move(action))
        )
        played = ask(pb.ApplyMovesRequest(state=state, moves=[move]))
        position = position.apply(seat, action)
        state = played.state
        assert state == codec.encode(position)
        assert list(played.situation.actors) == position.actors
        assert played.situation.phase == position.phase
        assert list(played.situation.scores) == position.scores
        assert list(played.situation.returns) == position.returns
        assert played.situation.ply == position.ply


@every_game
def test_every_view_has_a_message(name: str):
    """Each seat's and the referee's, and a view token that tells its seat the same."""
    for given in VARIANTS[name]:
        for position in laws.sample(GAMES[name], given, 3, count=5):
            state = codec.encode(position)
            for seat in range(REFEREE, position.seats):
                told = ask(pb.DescribeStateRequest(state=state, seat=seat))
                assert told.view.WhichOneof("game") == MESSAGES[name].field
                assert bool(told.view_token) == (seat != REFEREE)
                if seat != REFEREE:
                    again = ask(pb.DescribeStateRequest(state=told.view_token))
                    assert again == told


@every_game
def test_options_of_another_game_are_refused(name: str):
    other = next(
        field for field in (m.field for m in MESSAGES.values()) if field != MESSAGES[name].field
    )
    wrong = game_pb2.GameOptions()
    getattr(wrong, other).SetInParent()
    with pytest.raises(OptionError) as failure:
        ask(pb.StartGameRequest(game=name, options=wrong))
    assert failure.value.field == f"options.{other}"


def test_a_seed_is_drawn_when_none_is_given():
    first, second = (ask(pb.StartGameRequest(game=ALIGNMENT)) for _ in range(2))
    assert first.seed != second.seed
    again = ask(pb.StartGameRequest(game=ALIGNMENT, seed=first.seed))
    assert again.state == first.state


def test_seed_zero_is_a_seed():
    started = ask(pb.StartGameRequest(game=ALIGNMENT, seed=0))
    assert started.seed == 0
    assert started.state == codec.encode(GAMES[ALIGNMENT].start({}, 0))


def test_options_reach_the_game():
    beads = [1] * 27 + [0]
    started = ask(
        pb.StartGameRequest(
            game=ALIGNMENT,
            seed=1,
            options=options(ALIGNMENT, advanced=True, first=1, turn_limit=9, beads=beads),
        )
    )
    view = ask(pb.DescribeStateRequest(state=started.state)).view
    told = view.contigo_alignment
    assert isinstance(told, contigo_alignment_pb2.ContigoAlignmentView)
    assert (told.advanced, told.to_move, told.turn_limit) == (True, 1, 9)
    assert list(told.beads) == beads


def test_replay_gives_what_playing_gave():
    position = GAMES[ALIGNMENT].start({}, 11)
    moves = []
    for seat, action in random_line(position, 11, limit=40):
        moves.append(game_pb2.Move(seat=seat, action=action))
        position = position.apply(seat, action)
    replayed = ask(
        pb.ReplayGameRequest(
            game=ALIGNMENT, seed=11, moves=moves, include_steps=True, include_transcript=True
        )
    )
    assert replayed.state == codec.encode(position)
    assert len(replayed.steps) == len(moves)
    assert replayed.steps[-1].state == replayed.state
    for step in replayed.steps:
        assert f"seat {step.move.seat}: {step.move.notation}" in replayed.transcript


@every_game
def test_replay_shows_what_a_viewer_saw(name: str):
    """At the start and after every move, as DescribeState tells it."""
    position = GAMES[name].start({}, 3)
    line = list(random_line(position, 3, limit=12))
    moves = [game_pb2.Move(seat=seat, action=action) for seat, action in line]
    positions = [position, *(position := position.apply(*move) for move in line)]
    for viewer in range(REFEREE, position.seats):
        replayed = ask(pb.ReplayGameRequest(game=name, seed=3, moves=moves, viewer=viewer))
        assert list(replayed.views) == [
            ask(pb.DescribeStateRequest(state=codec.encode(each), seat=viewer)).view
            for each in positions
        ]
    assert not ask(pb.ReplayGameRequest(game=name, seed=3, moves=moves)).views


@pytest.mark.parametrize(
    ("fields", "at_fault"),
    [
        ({"viewer": 2}, "viewer"),
        ({"viewer": -2}, "viewer"),
        ({"viewer": 0, "moves": [{}] * 1025}, "moves"),
        ({"include_transcript": True, "moves": [{}] * 1025}, "moves"),
        ({"moves": [{}] * 16385}, "moves"),
    ],
)
def test_what_replay_cannot_show_is_named(fields: dict[str, Any], at_fault: str):
    with pytest.raises(TablierError) as failure:
        ask(pb.ReplayGameRequest(game=ALIGNMENT, **fields))
    assert failure.value.field == at_fault


def test_a_transcript_ends_with_the_result():
    replayed = ask(
        pb.ReplayGameRequest(
            game=ALIGNMENT,
            options=options(ALIGNMENT, first=0, turn_limit=1),
            moves=[game_pb2.Move(notation="a6-a4"), game_pb2.Move(notation="13-1")],
            include_transcript=True,
        )
    )
    assert replayed.situation.over
    assert replayed.transcript.rstrip().endswith("Result: seat 0 0 (+0), seat 1 0 (+0)")


def test_a_line_that_fails_returns_nothing():
    state = ask(pb.StartGameRequest(game=ALIGNMENT, seed=1)).state
    with pytest.raises(WrongSeat) as failure:
        ask(pb.ApplyMovesRequest(state=state, moves=[game_pb2.Move(seat=9, action=0)]))
    assert failure.value.field == "moves[0].seat"


def test_unknown_enum_numbers_are_named():
    state = ask(pb.StartGameRequest(game=ALIGNMENT, seed=1)).state
    with pytest.raises(InvalidField) as failure:
        ask(pb.EnumerateMovesRequest(state=state, detail=99))  # type: ignore[arg-type]
    assert failure.value.field == "detail"
    with pytest.raises(InvalidField) as failure:
        ask(pb.RenderStateRequest(state=state, format=99))  # type: ignore[arg-type]
    assert failure.value.field == "format"


def test_batch_operations_do_not_see_each_other():
    state = ask(pb.StartGameRequest(game=ALIGNMENT, seed=1)).state
    operation = pb.Operation(enumerate_moves=pb.EnumerateMovesRequest(state=state))
    answers = ask(pb.BatchRequest(operations=[operation] * 3)).results
    assert answers[0] == answers[1] == answers[2]
    assert answers[0].enumerate_moves == ask(operation.enumerate_moves)


# Every call that takes a state, with the least request that it needs.
STATE_CALLS: dict[str, tuple[GameServicer | AdvisorServicer, Any]] = {
    "EnumerateMoves": (SEALED_SERVICER, pb.EnumerateMovesRequest()),
    "ApplyMoves": (SEALED_SERVICER, pb.ApplyMovesRequest(moves=[game_pb2.Move(action=0)])),
    "DescribeState": (SEALED_SERVICER, pb.DescribeStateRequest(seat=0)),
    "RenderState": (SEALED_SERVICER, pb.RenderStateRequest(seat=0)),
    "SuggestMoves": (SEALED_ADVISOR, advisor_service_pb2.SuggestMovesRequest()),
    "StreamAnalysis": (SEALED_ADVISOR, advisor_service_pb2.StreamAnalysisRequest()),
    "SimulateGame": (SEALED_ADVISOR, advisor_service_pb2.SimulateGameRequest()),
}


def test_every_call_with_a_state_is_listed_here():
    methods = {
        method.descriptor.name
        for method in (*SEALED_SERVICER.methods, *SEALED_ADVISOR.methods)
        if "state" in method.descriptor.input_type.fields_by_name
    }
    assert methods == set(STATE_CALLS)


@pytest.mark.parametrize("call", sorted(STATE_CALLS))
def test_a_token_of_a_match_is_no_token_of_another(call: str):
    servicer, least = STATE_CALLS[call]
    started = ask(pb.StartGameRequest(game=ALIGNMENT, seed=1, match="A"), SEALED_SERVICER)
    listed = ask(pb.EnumerateMovesRequest(state=started.state, match="A"), SEALED_SERVICER)
    request = type(least)()
    request.CopyFrom(least)
    request.state = started.state
    if isinstance(request, pb.ApplyMovesRequest):
        request.moves[0].action = listed.seats[0].actions[0]
    request.match = "A"
    answer = ask(request, servicer)
    for other in ("", "B"):
        request.match = other
        with pytest.raises(TokenMalformed):
            ask(request, servicer)
        # What is made from it is bound to the same match.
        for token in filter(
            None, (getattr(answer, "state", b""), getattr(answer, "view_token", b""))
        ):
            with pytest.raises(TokenMalformed):
                SEALED.open(token, other)
            assert SEALED.open(token, "A")
    request.match = "x" * 129
    with pytest.raises(InvalidField) as failure:
        ask(request, servicer)
    assert failure.value.field == "match"


@pytest.mark.parametrize("servicer", [SERVICER, SEALED_SERVICER])
@pytest.mark.parametrize("steps", [False, True])
def test_the_names_of_matches_are_short_wherever_tokens_are_written(
    servicer: GameServicer, steps: bool
):
    requests: list[Any] = [
        pb.StartGameRequest(game=ALIGNMENT),
        pb.ReplayGameRequest(game=ALIGNMENT, include_steps=steps),
    ]
    for request in requests:
        request.match = "x" * 128
        ask(request, servicer)
        request.match = "\u00e9" * 65
        with pytest.raises(InvalidField) as failure:
            ask(request, servicer)
        assert failure.value.field == "match"


def test_sealed_tokens_follow_one_another():
    """A host that keeps the last token sees by `previous` whether another follows it."""
    first = ask(pb.StartGameRequest(game="contrat500", seed=4), SEALED_SERVICER)
    line = random_line(GAMES["contrat500"].start({}, 4), 4, limit=3)
    moves = [game_pb2.Move(seat=seat, action=action) for seat, action in line]
    played = ask(
        pb.ApplyMovesRequest(state=first.state, moves=moves, include_steps=True), SEALED_SERVICER
    )
    chain = [first.state, *(step.state for step in played.steps)]
    assert played.state == chain[-1]
    assert played.previous == b""
    assert SEALED.open(chain[0]).previous == b""
    for before, after in itertools.pairwise(chain):
        told = ask(pb.DescribeStateRequest(state=after, seat=0), SEALED_SERVICER)
        assert told.previous == token_hash(before) == client_hash(before)
    # Without steps, a line is one link.
    again = ask(pb.ApplyMovesRequest(state=chain[1], moves=moves[1:]), SEALED_SERVICER)
    assert again.previous == token_hash(chain[0])
    assert SEALED.open(again.state).previous == token_hash(chain[1])
    # A fork: two tokens of the same ply that follow the same one, or not the one that was kept.
    assert SEALED.open(again.state).position == SEALED.open(chain[-1]).position
    assert SEALED.open(again.state).previous != SEALED.open(chain[-1]).previous
    replayed = ask(
        pb.ReplayGameRequest(game="contrat500", seed=4, moves=moves, include_steps=True),
        SEALED_SERVICER,
    )
    assert SEALED.open(replayed.steps[0].state).previous == b""
    assert SEALED.open(replayed.state).previous == token_hash(replayed.steps[1].state)


@every_game
def test_a_view_token_follows_nothing_and_plain_tokens_neither(name: str):
    """What is inside a view token is a function of what the seat knows, sealed or not."""
    first = ask(pb.StartGameRequest(game=name, seed=4), SEALED_SERVICER)
    seat, action = next(random_line(GAMES[name].start({}, 4), 4, limit=1))
    played = ask(
        pb.ApplyMovesRequest(state=first.state, moves=[game_pb2.Move(seat=seat, action=action)]),
        SEALED_SERVICER,
    )
    view = ask(pb.DescribeStateRequest(state=played.state, seat=0), SEALED_SERVICER)
    assert SEALED.open(view.view_token) == (SEALED.open(played.state).position.view_of(0), b"")
    described = ask(pb.DescribeStateRequest(state=view.view_token), SEALED_SERVICER)
    assert described.previous == b""
    plain = codec.encode(SEALED.open(played.state).position)
    assert ask(pb.DescribeStateRequest(state=plain, seat=0)).previous == b""
