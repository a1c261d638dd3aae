"""Answers that are written as bytes are those that protobuf's own encoder writes, byte for byte."""

from __future__ import annotations

import random

import pytest
from google.protobuf import wrappers_pb2
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.position import Position
from tablier_core.registry import GAMES
from tablier_core.wire import ListingWriter, SituationWriter, write_field, write_number
from tablier_service.calls.methods import wire_of
from tablier_service.calls.servicer import GameServicer
from tablier_service.calls.slices import at_once
from tablier_service.calls.use_cases import UseCases
from tablier_service.security.sealing import PlainTokens

from tests.core import laws
from tests.core.variants import VARIANTS

SERVICER = GameServicer(UseCases(GAMES, PlainTokens(GAMES)))

every_game = pytest.mark.parametrize("name", sorted(GAMES))
some_games = settings(max_examples=8)
seeds = st.integers(0, 2**32)


def situation(position: Position) -> game_pb2.Situation:
    """Where a position stands, from the core's own answers."""
    return game_pb2.Situation(
        game=position.game.name,
        seats=position.seats,
        ply=position.ply,
        phase=position.phase,
        actors=position.actors,
        over=position.over,
        scores=position.scores,
        returns=position.returns,
    )


def listing(
    position: Position, seat: int | None, detail: pb.MoveDetail.ValueType
) -> pb.EnumerateMovesResponse:
    """The legal moves, from the core's own lists."""
    answer = pb.EnumerateMovesResponse(situation=situation(position))
    for mover in position.actors if seat is None else [seat]:
        moves = answer.seats.add(seat=mover, count=len(position.moves(mover)))
        if detail not in (pb.MOVE_DETAIL_COUNT, pb.MOVE_DETAIL_NOTATIONS):
            moves.actions.extend(position.moves(mover))
        if detail not in (pb.MOVE_DETAIL_COUNT, pb.MOVE_DETAIL_ACTIONS):
            moves.notations.extend(position.notations(mover))
    return answer


def samples(name: str, seed: int) -> list[Position]:
    """Positions of a random game with options of a random variant: first, last, and between."""
    options = random.Random(seed).choice(VARIANTS[name])
    return laws.sample(GAMES[name], options, seed, count=4)


@every_game
@some_games
@given(seed=seeds)
def test_listings_are_what_protobuf_writes(name: str, seed: int):
    for position in samples(name, seed):
        state = codec.encode(position)
        for seat in (None, *range(-1, position.seats)):
            for detail in pb.MoveDetail.values():
                request = pb.EnumerateMovesRequest(state=state, seat=seat, detail=detail)
                expected = listing(position, seat, detail).SerializeToString(deterministic=True)
                assert SERVICER.EnumerateMoves(request) == expected


@every_game
@some_games
@given(seed=seeds, steps=st.booleans(), count=st.integers(1, 90))
def test_lines_are_what_protobuf_writes(name: str, seed: int, steps: bool, count: int):
    """Short lines, which are played at once, and long ones, which pause."""
    chance = random.Random(seed)
    position = first = GAMES[name].start({}, seed)
    moves: list[game_pb2.Move] = []
    expected = pb.ApplyMovesResponse()
    while not position.over and len(moves) < count:
        seat = chance.choice(position.actors)
        action = chance.choice(position.moves(seat))
        notation = GAMES[name].write_move(action)
        moves.append(game_pb2.Move(seat=seat, notation=notation, action=action))
        position = position.apply(seat, action)
        if steps:
            step = expected.steps.add(move=moves[-1], state=codec.encode(position))
            step.situation.CopyFrom(situation(position))
    expected.state = codec.encode(position)
    expected.situation.CopyFrom(situation(position))
    wire = expected.SerializeToString(deterministic=True)
    request = pb.ApplyMovesRequest(state=codec.encode(first), moves=moves, include_steps=steps)
    answer = SERVICER.ApplyMoves(request)
    assert (answer if isinstance(answer, bytes) else at_once(answer)) == wire
    replay = pb.ReplayGameRequest(game=name, seed=seed, moves=moves, include_steps=steps)
    assert at_once(SERVICER.ReplayGame(replay)) == wire


@every_game
def test_results_are_what_protobuf_writes(name: str):
    state = codec.encode(GAMES[name].start({}, 1))
    call = pb.EnumerateMovesRequest(state=state)
    operations = [
        pb.Operation(enumerate_moves=call, id=2**64 - 1),
        pb.Operation(get_game=pb.GetGameRequest(game=name)),
        pb.Operation(render_state=pb.RenderStateRequest(state=b"?"), id=1),
    ]
    batch = at_once(SERVICER.Batch(pb.BatchRequest(operations=operations)))
    assert at_once(SERVICER.Play(pb.PlayRequest(operations=operations))) == batch
    results = pb.BatchResponse.FromString(batch)
    assert results.SerializeToString(deterministic=True) == batch
    listed, game, failed = results.results
    assert (listed.id, game.id, failed.id) == (2**64 - 1, 0, 1)
    assert listed.enumerate_moves.SerializeToString() == SERVICER.EnumerateMoves(call)
    assert game.get_game.game.name == name
    assert failed.WhichOneof("outcome") == "error"


# Where a number begins to take a byte more.
EDGES = [edge - less for edge in (2**7, 2**14, 2**21, 2**28) for less in (1, 0)]


@pytest.mark.parametrize("ply", [0, 1, *EDGES, 2**32 - 1])
def test_every_ply_is_what_protobuf_writes(ply: int):
    game = GAMES["contrast"]
    position = game.unpack(game.start({}, 1).pack(), ply)
    writer = SituationWriter(numbers(game_pb2.Situation))
    assert writer.write(position) == situation(position).SerializeToString()


@given(number=st.integers(1, 2**29 - 1), value=st.integers(0, 2**64 - 1), content=st.binary())
def test_fields_of_any_number(number: int, value: int, content: bytes):
    """Read back by protobuf as fields that a message does not know."""
    wire = write_field(number, content) + write_number(number, value)
    unknown = pb.ListGamesRequest.FromString(wire)
    assert unknown.SerializeToString() == wire
    assert bool(write_number(number, value)) == bool(value)


@pytest.mark.parametrize("value", [1, *EDGES, 2**35, 2**63 - 1, 2**63, 2**64 - 1])
def test_numbers_and_lengths_at_every_edge(value: int):
    assert write_number(1, value) == wrappers_pb2.UInt64Value(value=value).SerializeToString()
    if value < 2**22:
        content = bytes(value)
        assert write_field(1, content) == wrappers_pb2.BytesValue(value=content).SerializeToString()
    if value < 2**29:
        # Behind its first byte, which holds the type too, a tag is a number as any other.
        tagged = write_field(value, b"")
        assert tagged[:-1] == write_number(1, value << 3 | 2)[1:]


@pytest.mark.parametrize(
    ("seed", "ply", "edge"), [(5, 36, 127), (0, 4, 128), (7, 25, 16383), (7, 25, 16384)]
)
def test_actions_at_the_edges_are_what_protobuf_writes(seed: int, ply: int, edge: int):
    """States of random games in which the action is legal."""
    chance = random.Random(seed)
    position = GAMES["contigo-alignment"].start({}, seed)
    while position.ply < ply:
        seat = chance.choice(position.actors)
        position = position.apply(seat, chance.choice(position.moves(seat)))
    (seat,) = position.actors
    assert edge in position.moves(seat)
    request = pb.EnumerateMovesRequest(state=codec.encode(position))
    expected = listing(position, None, pb.MOVE_DETAIL_FULL)
    assert SERVICER.EnumerateMoves(request) == expected.SerializeToString()


def numbers(message: type[game_pb2.Situation]) -> dict[str, int]:
    return {field.name: field.number for field in message.DESCRIPTOR.fields}


def test_a_message_that_changed_is_refused_at_once():
    """A field that the writers do not know, or in another order, would be lost in silence."""
    right = numbers(game_pb2.Situation)
    for wrong in ({**right, "more": 99}, {**right, "game": 50}):
        with pytest.raises(ValueError, match="in order"):
            SituationWriter(wrong)
    with pytest.raises(ValueError, match="in order"):
        ListingWriter({"seats": 2, "situation": 1}, {}, SituationWriter(right))


def test_messages_and_bytes_are_both_answers():
    message = pb.GetGameRequest(game="contrast")
    assert wire_of(message) == wire_of(message.SerializeToString()) == b"\x0a\x08contrast"
