"""Answers that are written as bytes equal those of protobuf's own encoder, byte for byte."""

from __future__ import annotations

import random

import pytest
from google.protobuf import empty_pb2, wrappers_pb2
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.position import Position
from tablier_core.registry import GAMES
from tablier_core.wire import ListingWriter, SituationWriter, write_field, write_number
from tablier_service.calls.methods import wire_of
from tablier_service.calls.slices import run_all
from tablier_service.service import Service

from tests.core import laws
from tests.core.variants import VARIANTS

every_game = pytest.mark.parametrize("name", sorted(GAMES))
some_games = settings(max_examples=8)
seeds = st.integers(0, 2**32)


def situation(position: Position) -> game_pb2.Situation:
    """The situation of a position, from the core."""
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
    """The legal moves, from the core."""
    answer = pb.EnumerateMovesResponse(situation=situation(position))
    for mover in position.actors if seat is None else [seat]:
        moves = answer.seats.add(seat=mover, count=len(position.moves(mover)))
        if detail not in (pb.MOVE_DETAIL_COUNT, pb.MOVE_DETAIL_NOTATIONS):
            moves.actions.extend(position.moves(mover))
        if detail not in (pb.MOVE_DETAIL_COUNT, pb.MOVE_DETAIL_ACTIONS):
            moves.notations.extend(position.notations(mover))
        if detail == pb.MOVE_DETAIL_WORDS:
            moves.words.extend(position.words(mover))
    return answer


def samples(name: str, seed: int) -> list[Position]:
    """The first, the last and other positions of a random game of a random variant."""
    options = random.Random(seed).choice(VARIANTS[name])
    return laws.sample(GAMES[name], options, seed, count=4)


@every_game
@some_games
@given(seed=seeds)
def test_writes_listings_as_protobuf_does(name: str, seed: int, service: Service):
    for position in samples(name, seed):
        state = codec.encode(position)
        for seat in (None, *range(-1, position.seats)):
            for detail in pb.MoveDetail.values():
                request = pb.EnumerateMovesRequest(state=state, seat=seat, detail=detail)
                expected = listing(position, seat, detail).SerializeToString(deterministic=True)
                answer = service.method("EnumerateMoves").ask(request)
                assert answer.SerializeToString(deterministic=True) == expected


@every_game
@some_games
@given(seed=seeds, steps=st.booleans(), count=st.integers(1, 90))
def test_writes_lines_as_protobuf_does(
    name: str, seed: int, steps: bool, count: int, service: Service
):
    """Short lines, which are played at once, and long ones, which may pause."""
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
    answer = service.method("ApplyMoves").handler(request)
    assert (answer if isinstance(answer, bytes) else run_all(answer)) == wire
    replay = pb.ReplayGameRequest(game=name, seed=seed, moves=moves, include_steps=steps)
    assert run_all(service.method("ReplayGame").handler(replay)) == wire


@every_game
def test_writes_results_as_protobuf_does(name: str, service: Service):
    state = codec.encode(GAMES[name].start({}, 1))
    call = pb.EnumerateMovesRequest(state=state)
    operations = [
        pb.Operation(enumerate_moves=call, id=2**64 - 1),
        pb.Operation(get_game=pb.GetGameRequest(game=name)),
        pb.Operation(render_state=pb.RenderStateRequest(state=b"?"), id=1),
    ]
    batch = run_all(service.method("Batch").handler(pb.BatchRequest(operations=operations)))
    assert run_all(service.method("Play").handler(pb.PlayRequest(operations=operations))) == batch
    results = pb.BatchResponse.FromString(batch)
    assert results.SerializeToString(deterministic=True) == batch
    listed, game, failed = results.results
    assert (listed.id, game.id, failed.id) == (2**64 - 1, 0, 1)
    assert listed.enumerate_moves.SerializeToString() == service.method("EnumerateMoves").handler(
        call
    )
    assert game.get_game.game.name == name
    assert failed.WhichOneof("outcome") == "error"


# The numbers at which a varint takes one more byte.
EDGES = [edge - less for edge in (2**7, 2**14, 2**21, 2**28) for less in (1, 0)]


@pytest.mark.parametrize("ply", [0, 1, *EDGES, 2**32 - 1])
def test_writes_every_ply_as_protobuf_does(ply: int):
    game = GAMES["contrast"]
    position = game.unpack(game.start({}, 1).pack(), ply)
    writer = SituationWriter(numbers(game_pb2.Situation))
    assert writer.write(position) == situation(position).SerializeToString()


@given(number=st.integers(1, 2**29 - 1), value=st.integers(0, 2**64 - 1), content=st.binary())
def test_writes_fields_of_any_number(number: int, value: int, content: bytes):
    """Protobuf reads them as unknown fields."""
    wire = write_field(number, content) + write_number(number, value)
    unknown = empty_pb2.Empty.FromString(wire)
    assert unknown.SerializeToString() == wire
    assert bool(write_number(number, value)) == bool(value)


@pytest.mark.parametrize("value", [1, *EDGES, 2**35, 2**63 - 1, 2**63, 2**64 - 1])
def test_writes_numbers_and_lengths_of_every_size(value: int):
    assert write_number(1, value) == wrappers_pb2.UInt64Value(value=value).SerializeToString()
    if value < 2**22:
        content = bytes(value)
        assert write_field(1, content) == wrappers_pb2.BytesValue(value=content).SerializeToString()
    if value < 2**29:
        # After its first byte, which also holds the type, a tag is an ordinary varint.
        tagged = write_field(value, b"")
        assert tagged[:-1] == write_number(1, value << 3 | 2)[1:]


@pytest.mark.parametrize(
    ("seed", "ply", "edge"), [(5, 36, 127), (0, 4, 128), (7, 25, 16383), (7, 25, 16384)]
)
def test_writes_actions_of_every_size_as_protobuf_does(
    seed: int, ply: int, edge: int, service: Service
):
    """In states of random games in which the action is legal."""
    chance = random.Random(seed)
    position = GAMES["contigo-alignment"].start({}, seed)
    while position.ply < ply:
        seat = chance.choice(position.actors)
        position = position.apply(seat, chance.choice(position.moves(seat)))
    (seat,) = position.actors
    assert edge in position.moves(seat)
    request = pb.EnumerateMovesRequest(state=codec.encode(position))
    expected = listing(position, None, pb.MOVE_DETAIL_FULL)
    assert service.method("EnumerateMoves").handler(request) == expected.SerializeToString()


def numbers(message: type[game_pb2.Situation]) -> dict[str, int]:
    return {field.name: field.number for field in message.DESCRIPTOR.fields}


def test_rejects_a_message_with_changed_fields():
    """A new field, or another order, would otherwise be lost silently."""
    right = numbers(game_pb2.Situation)
    for wrong in ({**right, "more": 99}, {**right, "game": 50}):
        with pytest.raises(ValueError, match="in order"):
            SituationWriter(wrong)
    with pytest.raises(ValueError, match="in order"):
        ListingWriter({"seats": 2, "situation": 1}, {}, SituationWriter(right))


def test_an_answer_is_a_message_or_its_bytes():
    message = pb.GetGameRequest(game="contrast")
    assert wire_of(message) == wire_of(message.SerializeToString()) == b"\x0a\x08contrast"
