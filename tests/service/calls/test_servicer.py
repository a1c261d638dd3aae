"""What calls answer, beyond the scenarios in tests/transports."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.struct_pb2 import Struct, Value
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
from tablier_service.calls.messages import write_struct
from tablier_service.errors import InvalidField
from tablier_service.security.sealing import token_hash
from tablier_service.service import Service
from tablier_service.views import MESSAGES

from tests.core import laws
from tests.core.variants import VARIANTS
from tests.service.assembly import Ask

ALIGNMENT = "contigo-alignment"

every_game = pytest.mark.parametrize("name", sorted(GAMES))


def random_line(position: Position, seed: int, limit: int) -> Iterator[tuple[int, int]]:
    """Seats and actions of a random game from here."""
    chance = random.Random(seed)
    for _ in range(limit):
        if position.over:
            return
        seat = chance.choice(position.actors)
        action = chance.choice(position.moves(seat))
        yield seat, action
        position = position.apply(seat, action)


@every_game
def test_plays_every_game_through_the_calls(name: str, ask: Ask):
    """Whole random games, by action and by notation in turn; every step agrees with the core."""
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
def test_writes_the_view_of_every_viewer(name: str, ask: Ask):
    """A view token shows its seat the same as the true state."""
    for given in VARIANTS[name]:
        for position in laws.sample(GAMES[name], given, 3, count=5):
            state = codec.encode(position)
            for seat in range(REFEREE, position.seats):
                described = ask(pb.DescribeStateRequest(state=state, seat=seat))
                assert described.view.WhichOneof("game") == MESSAGES[name].field
                assert bool(described.view_token) == (seat != REFEREE)
                if seat != REFEREE:
                    again = ask(pb.DescribeStateRequest(state=described.view_token))
                    assert again == described


def test_limits_the_size_of_options(ask: Ask):
    options = write_struct({"deck": [[0.5] * 12] * 600})
    with pytest.raises(OptionError, match="at most 32768 bytes") as failure:
        ask(pb.StartGameRequest(game="contrast", options=options))
    assert failure.value.field == "options"


def test_limits_the_values_in_options(ask: Ask):
    """Thousands of small values fit into the bytes, and would take too long to read."""
    options = write_struct({"deck": [[False] * 4000]})
    with pytest.raises(OptionError, match="too many values") as failure:
        ask(pb.StartGameRequest(game="contrast", options=options))
    assert failure.value.field == "options"


def test_rejects_a_value_without_a_kind(ask: Ask):
    options = Struct(fields={"deck": Value()})
    with pytest.raises(OptionError) as failure:
        ask(pb.StartGameRequest(game="contrast", options=options))
    assert failure.value.field == "options.deck"


@every_game
def test_the_catalogue_has_the_option_schema_of_every_game(name: str, ask: Ask):
    game = ask(pb.GetGameRequest(game=name)).game
    assert json_format.MessageToDict(game.options_schema) == GAMES[name].options.document
    listed = ask(pb.ListGamesRequest()).games
    assert [game.HasField("options_schema") for game in listed] == [False] * len(GAMES)


def test_draws_a_seed_if_none_is_given(ask: Ask):
    first, second = (ask(pb.StartGameRequest(game=ALIGNMENT)) for _ in range(2))
    assert first.seed != second.seed
    again = ask(pb.StartGameRequest(game=ALIGNMENT, seed=first.seed))
    assert again.state == first.state


def test_accepts_seed_zero(ask: Ask):
    started = ask(pb.StartGameRequest(game=ALIGNMENT, seed=0))
    assert started.seed == 0
    assert started.state == codec.encode(GAMES[ALIGNMENT].start({}, 0))


def test_passes_options_to_the_game(ask: Ask):
    beads = [1] * 27 + [0]
    started = ask(
        pb.StartGameRequest(
            game=ALIGNMENT,
            seed=1,
            options=write_struct({"advanced": True, "first": 1, "turn_limit": 9, "beads": beads}),
        )
    )
    view = ask(pb.DescribeStateRequest(state=started.state)).view
    described = view.contigo_alignment
    assert isinstance(described, contigo_alignment_pb2.ContigoAlignmentView)
    assert (described.advanced, described.to_move, described.turn_limit) == (True, 1, 9)
    assert list(described.beads) == beads


def test_replaying_a_game_gives_the_same_states(ask: Ask):
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
        assert f" ({step.move.notation})\n" in replayed.transcript


@every_game
def test_replay_shows_what_a_viewer_saw(name: str, ask: Ask):
    """At the start and after every move, as DescribeState shows it."""
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
def test_replay_names_the_field_at_fault(fields: dict[str, Any], at_fault: str, ask: Ask):
    with pytest.raises(TablierError) as failure:
        ask(pb.ReplayGameRequest(game=ALIGNMENT, **fields))
    assert failure.value.field == at_fault


def test_a_transcript_ends_with_the_result(ask: Ask):
    replayed = ask(
        pb.ReplayGameRequest(
            game=ALIGNMENT,
            options=write_struct({"first": 0, "turn_limit": 1}),
            moves=[game_pb2.Move(notation="a6-a4"), game_pb2.Move(notation="13-1")],
            include_transcript=True,
        )
    )
    assert replayed.situation.over
    assert replayed.transcript.rstrip().endswith("Result: seat 0: 0 (+0), seat 1: 0 (+0)")


def test_names_the_move_that_fails(ask: Ask):
    state = ask(pb.StartGameRequest(game=ALIGNMENT, seed=1)).state
    with pytest.raises(WrongSeat) as failure:
        ask(pb.ApplyMovesRequest(state=state, moves=[game_pb2.Move(seat=9, action=0)]))
    assert failure.value.field == "moves[0].seat"


def test_rejects_unknown_enum_values(ask: Ask):
    state = ask(pb.StartGameRequest(game=ALIGNMENT, seed=1)).state
    with pytest.raises(InvalidField) as failure:
        ask(pb.EnumerateMovesRequest(state=state, detail=99))  # type: ignore[arg-type]
    assert failure.value.field == "detail"
    with pytest.raises(InvalidField) as failure:
        ask(pb.RenderStateRequest(state=state, format=99))  # type: ignore[arg-type]
    assert failure.value.field == "format"


def test_operations_of_a_batch_are_independent(ask: Ask):
    state = ask(pb.StartGameRequest(game=ALIGNMENT, seed=1)).state
    operation = pb.Operation(enumerate_moves=pb.EnumerateMovesRequest(state=state))
    answers = ask(pb.BatchRequest(operations=[operation] * 3)).results
    assert answers[0] == answers[1] == answers[2]
    assert answers[0].enumerate_moves == ask(operation.enumerate_moves)


# Every call that takes a state, with the smallest request that it needs.
STATE_CALLS: dict[str, Any] = {
    "EnumerateMoves": pb.EnumerateMovesRequest(),
    "InterpretMove": pb.InterpretMoveRequest(text="1"),
    "ApplyMoves": pb.ApplyMovesRequest(moves=[game_pb2.Move(action=0)]),
    "DescribeState": pb.DescribeStateRequest(seat=0),
    "RenderState": pb.RenderStateRequest(seat=0),
    "SuggestMoves": advisor_service_pb2.SuggestMovesRequest(),
    "StreamAnalysis": advisor_service_pb2.StreamAnalysisRequest(),
    "SimulateGame": advisor_service_pb2.SimulateGameRequest(),
    "PlaySeat": advisor_service_pb2.PlaySeatRequest(level=1),
}


def test_lists_every_call_that_takes_a_state(service: Service):
    methods = {
        method.descriptor.name
        for method in service.methods
        if "state" in method.descriptor.input_type.fields_by_name
    }
    assert methods == set(STATE_CALLS)


@pytest.mark.parametrize("call", sorted(STATE_CALLS))
def test_a_token_is_bound_to_its_match(call: str, ask_sealed: Ask, sealed_service: Service):
    smallest = STATE_CALLS[call]
    started = ask_sealed(pb.StartGameRequest(game=ALIGNMENT, seed=1, match="A"))
    listed = ask_sealed(pb.EnumerateMovesRequest(state=started.state, match="A"))
    request = type(smallest)()
    request.CopyFrom(smallest)
    request.state = started.state
    if isinstance(request, pb.ApplyMovesRequest):
        request.moves[0].action = listed.seats[0].actions[0]
    request.match = "A"
    answer = ask_sealed(request)
    for other in ("", "B"):
        request.match = other
        with pytest.raises(TokenMalformed):
            ask_sealed(request)
        # What is made from it is bound to the same match.
        for token in filter(
            None, (getattr(answer, "state", b""), getattr(answer, "view_token", b""))
        ):
            with pytest.raises(TokenMalformed):
                sealed_service.tokens.open(token, other)
            assert sealed_service.tokens.open(token, "A")
    request.match = "x" * 129
    with pytest.raises(InvalidField) as failure:
        ask_sealed(request)
    assert failure.value.field == "match"


@pytest.mark.parametrize("tokens", ["ask", "ask_sealed"])
@pytest.mark.parametrize("steps", [False, True])
def test_limits_the_names_of_matches(tokens: str, steps: bool, request: pytest.FixtureRequest):
    ask: Ask = request.getfixturevalue(tokens)
    requests: list[Any] = [
        pb.StartGameRequest(game=ALIGNMENT),
        pb.ReplayGameRequest(game=ALIGNMENT, include_steps=steps),
    ]
    for message in requests:
        message.match = "x" * 128
        ask(message)
        message.match = "\u00e9" * 65
        with pytest.raises(InvalidField) as failure:
            ask(message)
        assert failure.value.field == "match"


def test_sealed_tokens_name_their_predecessor(ask_sealed: Ask, sealed_service: Service):
    """A host that keeps the last token can tell by `previous` whether another one follows it."""
    opened = sealed_service.tokens.open
    first = ask_sealed(pb.StartGameRequest(game="contrat500", seed=4))
    line = random_line(GAMES["contrat500"].start({}, 4), 4, limit=3)
    moves = [game_pb2.Move(seat=seat, action=action) for seat, action in line]
    played = ask_sealed(pb.ApplyMovesRequest(state=first.state, moves=moves, include_steps=True))
    chain = [first.state, *(step.state for step in played.steps)]
    assert played.state == chain[-1]
    assert played.previous == b""
    assert opened(chain[0]).previous == b""
    for before, after in itertools.pairwise(chain):
        described = ask_sealed(pb.DescribeStateRequest(state=after, seat=0))
        assert described.previous == token_hash(before) == client_hash(before)
    # Without steps, a line is one link.
    again = ask_sealed(pb.ApplyMovesRequest(state=chain[1], moves=moves[1:]))
    assert again.previous == token_hash(chain[0])
    assert opened(again.state).previous == token_hash(chain[1])
    # A fork: two tokens of the same ply that follow the same one, or not the one that was kept.
    assert opened(again.state).position == opened(chain[-1]).position
    assert opened(again.state).previous != opened(chain[-1]).previous
    replayed = ask_sealed(
        pb.ReplayGameRequest(game="contrat500", seed=4, moves=moves, include_steps=True)
    )
    assert opened(replayed.steps[0].state).previous == b""
    assert opened(replayed.state).previous == token_hash(replayed.steps[1].state)


@every_game
def test_view_tokens_and_plain_tokens_name_no_predecessor(
    name: str, ask: Ask, ask_sealed: Ask, sealed_service: Service
):
    """The content of a view token is a function of what the seat knows, sealed or not."""
    opened = sealed_service.tokens.open
    first = ask_sealed(pb.StartGameRequest(game=name, seed=4))
    seat, action = next(random_line(GAMES[name].start({}, 4), 4, limit=1))
    played = ask_sealed(
        pb.ApplyMovesRequest(state=first.state, moves=[game_pb2.Move(seat=seat, action=action)])
    )
    view = ask_sealed(pb.DescribeStateRequest(state=played.state, seat=0))
    assert opened(view.view_token) == (
        opened(played.state).position.view_of(0),
        b"",
    )
    described = ask_sealed(pb.DescribeStateRequest(state=view.view_token))
    assert described.previous == b""
    plain = codec.encode(opened(played.state).position)
    assert ask(pb.DescribeStateRequest(state=plain, seat=0)).previous == b""
