"""Views are written as protobuf would write them, byte for byte."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier.v1 import contrat500_pb2, game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.position import REFEREE
from tablier_core.registry import GAMES
from tablier_core.wire import MessageWriter
from tablier_service.calls.slices import run_all
from tablier_service.service import Service
from tablier_service.views import MESSAGES
from tablier_service.views.message import compile_writer

from tests.core import laws
from tests.core.variants import VARIANTS
from tests.service.calls.test_wire import situation

every_game = pytest.mark.parametrize("name", sorted(GAMES))


# ---- The same views, written by protobuf ---------------------------------------------------------


def take(spelled: str | None) -> dict[str, Any] | None:
    """A take of Mafia de Cuba."""
    if spelled is None:
        return None
    if spelled.isdigit():
        return {"diamonds": int(spelled)}
    return {} if spelled == "nothing" else {"token": spelled}


def claim(said: Any) -> dict[str, Any] | None:
    """A claim of Mafia de Cuba."""
    if said is None:
        return None
    if isinstance(said, int):
        return {"diamonds": said}
    return {"took": take(said)} if isinstance(said, str) else {"tokens": said}


def contrat500_seats(view: Any) -> list[dict[str, Any]]:
    """The seats of Contrat 500."""
    return [
        {
            "score": view.scores[seat],
            "contracts": view.contracts[seat],
            "hand_size": view.hand_sizes[seat],
            "hand": view.hands[seat] or (),
            "known": view.known[seat],
        }
        for seat in range(view.seats)
    ]


# By message and field: values that a view has in another form.
DIFFERENT: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("Contrat500View", "seats"): contrat500_seats,
    ("Contrat500View", "last_settlement"): lambda view: view.last,
    ("MafiaDeCubaSeat", "take"): lambda seat: take(seat.take),
    ("MafiaDeCubaEvent", "claim"): lambda event: claim(event.claim),
}


def named(descriptor: Descriptor, value: Any) -> dict[str, Any]:
    """A part of a view as arguments for its message class."""
    if not isinstance(value, Mapping):
        names = getattr(value, "_fields", None) or [field.name for field in descriptor.fields]
        entries = dict(zip(names, value, strict=True))
        for field in descriptor.fields:
            if (descriptor.name, field.name) in DIFFERENT:
                entries[field.name] = DIFFERENT[descriptor.name, field.name](value)
        value = entries
    return {
        field.name: argument(field, value[field.name])
        for field in descriptor.fields
        if value.get(field.name) is not None
    }


def argument(field: FieldDescriptor, value: Any) -> Any:
    """The value of a field as an argument for the message class."""
    message = field.message_type
    if message is not None:
        return [named(message, x) for x in value] if field.is_repeated else named(message, value)
    if field.is_repeated:
        return ["" if each is None else each for each in value]
    return value


def expected_view(name: str, view: Any) -> game_pb2.GameView:
    """The message of a view."""
    field = game_pb2.GameView.DESCRIPTOR.fields_by_name[MESSAGES[name].field]
    content: dict[str, Any] = {field.name: argument(field, view)}
    return game_pb2.GameView(**content)


@every_game
@settings(max_examples=8)
@given(seed=st.integers(0, 2**32))
def test_writes_descriptions_and_replays_as_protobuf_does(name: str, seed: int, service: Service):
    options = random.Random(seed).choice(VARIANTS[name])
    for position in laws.sample(GAMES[name], options, seed, count=4):
        state = codec.encode(position)
        for viewer in range(REFEREE, position.seats):
            request = pb.DescribeStateRequest(state=state, seat=viewer)
            expected = pb.DescribeStateResponse(
                situation=situation(position),
                view=expected_view(name, position.observe(viewer)),
                view_token=codec.encode(position.view_of(viewer)) if viewer != REFEREE else b"",
            )
            if viewer != REFEREE:
                request.include_observation = True
                expected.observation.features = position.features(viewer)
                expected.observation.mask = position.mask(viewer)
                expected.observation.features_version = position.game.features_version
            answer = service.method("DescribeState").handler(request)
            assert answer == expected.SerializeToString(deterministic=True)


@every_game
def test_writes_the_views_and_transcript_of_a_replay_as_protobuf_does(name: str, service: Service):
    chance, position = random.Random(1), GAMES[name].start({}, 1)
    views = [position.observe(0)]
    moves: list[game_pb2.Move] = []
    while len(moves) < 8:
        seat = chance.choice(position.actors)
        action = chance.choice(position.moves(seat))
        moves.append(game_pb2.Move(seat=seat, action=action))
        position = position.apply(seat, action)
        views.append(position.observe(0))
    request = pb.ReplayGameRequest(
        game=name, seed=1, moves=moves, viewer=0, include_transcript=True
    )
    wire = run_all(service.method("ReplayGame").handler(request))
    answer = pb.ReplayGameResponse.FromString(wire)
    assert list(answer.views) == [expected_view(name, view) for view in views]
    assert position.draw_text(0) in answer.transcript
    assert answer.SerializeToString(deterministic=True) == wire


# ---- Writers of other messages -------------------------------------------------------------------


class Situation(NamedTuple):
    """The fields of a situation, in another order, and one more."""

    returns: tuple[float, ...] | None
    scores: tuple[float, ...]
    more: object
    over: bool
    actors: tuple[int, ...]
    phase: str
    ply: int
    seats: int
    game: str


SITUATION = game_pb2.Situation.DESCRIPTOR
texts = st.text(max_size=5000)
int32s = st.integers(-(2**31), 2**31 - 1)
doubles = st.lists(st.floats(allow_nan=False)).map(tuple)


@given(
    st.builds(
        Situation,
        st.none() | doubles,
        doubles,
        st.none(),
        st.booleans(),
        st.lists(int32s).map(tuple),
        texts,
        st.integers(0, 2**32 - 1),
        int32s,
        texts,
    )
)
def test_writes_fields_of_every_size_as_protobuf_does(value: Situation):
    written = compile_writer(SITUATION, Situation, {}).write(value)
    fields = {name: each for name, each in value._asdict().items() if name != "more"}
    expected = game_pb2.Situation(**{name: x for name, x in fields.items() if x is not None})
    assert written == expected.SerializeToString(deterministic=True)


@given(state=st.integers(0, 2**64 - 1), increment=st.integers(0, 2**64 - 1))
def test_writes_tuples_and_mappings_as_protobuf_does(state: int, increment: int):
    message = contrat500_pb2.Contrat500Rng.DESCRIPTOR
    expected = contrat500_pb2.Contrat500Rng(state=state, increment=increment).SerializeToString()
    of_tuples = compile_writer(message, tuple[int, int], {})
    assert of_tuples.write((state, increment)) == expected
    of_mappings = compile_writer(message, Mapping[str, int], {})
    assert of_mappings.write({"increment": increment, "state": state}) == expected


def test_rejects_a_view_that_lacks_a_field_of_its_message():
    class Less(NamedTuple):
        state: int

    message = contrat500_pb2.Contrat500Rng.DESCRIPTOR
    with pytest.raises(TypeError, match=r"Less.* must have the fields of .*Contrat500Rng"):
        compile_writer(message, Less, {})
    with pytest.raises(TypeError, match="must have the fields"):
        compile_writer(message, Less, {Less: {"increment": len, "unknown": len}})


@pytest.mark.parametrize(
    ("kind", "repeated", "value"),
    [
        ("number", False, "1"),
        ("number", False, 1.0),
        ("number", True, [1]),
        ("number", True, (1, None)),
        ("double", False, "1"),
        ("text", False, b"1"),
        ("bytes", False, "1"),
        ("message", False, [1, 2]),
        ("message", False, (1, 2, 3)),
        ("message", True, ((1, 2), None)),
    ],
)
def test_rejects_values_of_wrong_types(kind: str, repeated: bool, value: object):
    pair = MessageWriter(
        [(1, "number", False, False, 0, None), (2, "number", False, False, 1, None)], 2
    )
    part = pair if kind == "message" else None
    writer = MessageWriter([(1, kind, repeated, False, 0, part)], 1)
    with pytest.raises(TypeError):
        writer.write((value,))


def test_rejects_impossible_fields():
    number = (2, "number", False, False, 0, None)
    for wrong in ((1, *number[1:]), (2, *number[1:])):
        with pytest.raises(ValueError, match="ascend"):
            MessageWriter([number, wrong], 1)
    with pytest.raises(ValueError, match="none at 0"):
        MessageWriter([number], 0)
    with pytest.raises(ValueError, match="need a writer"):
        MessageWriter([(1, "message", False, False, 0, None)], 1)
