"""The messages of Mafia de Cuba: views from which a game can be replayed."""

from __future__ import annotations

import random

import pytest
from tablier.v1 import mafia_de_cuba_pb2 as pb
from tablier_core.games.mafia_de_cuba.observe import View
from tablier_core.position import REFEREE, Position
from tablier_core.registry import GAMES
from tablier_service.views.mafia_de_cuba import MESSAGES

from tests.core.variants import VARIANTS, Options, label

GAME = GAMES["mafia-de-cuba"]
LETTERS = {"loyal": "L", "fbi": "F", "cia": "C", "driver": "D", "cleaner": "N"}


def write_view(view: View) -> pb.MafiaDeCubaView:
    """The message of a view."""
    return pb.MafiaDeCubaView.FromString(MESSAGES.writer.write(view))


def spell_tokens(tokens: pb.MafiaDeCubaTokens) -> str:
    counts = {kind: getattr(tokens, kind) for kind in LETTERS}
    return "".join(f"{LETTERS[kind]}{count}" for kind, count in counts.items() if count) or "-"


def spell_take(take: pb.MafiaDeCubaTake) -> str:
    return str(take.diamonds) if take.diamonds else take.token or "nothing"


def spell_claim(event: pb.MafiaDeCubaEvent) -> str:
    if not event.HasField("claim"):
        return "silent"
    claim = event.claim
    said = {"diamonds": str(claim.diamonds), "tokens": spell_tokens(claim.tokens)}
    said["took"] = spell_take(claim.took)
    which = claim.WhichOneof("claim")
    assert which is not None
    return f"say {event.question} {said[which]}"


def play(position: Position, seat: int, notation: str) -> Position:
    return position.apply(seat, GAME.read_move(notation))


def replay(view: pb.MafiaDeCubaView) -> Position:
    """Play the game that a referee's view describes from its start."""
    options = {
        "seats": len(view.seats), "jokers": view.jokers, "questions": view.questions,
        "statements": view.statements,
        "tokens": {kind: getattr(view.tokens, kind) for kind in LETTERS},
    }  # fmt: skip
    position = GAME.start(options, 0)
    if view.HasField("hidden"):
        position = play(position, 0, f"hide {view.hidden}")
    if view.pouch:
        position = play(position, 1, f"pouch {view.pouch}")
    for number, seat in enumerate(view.seats):
        if seat.HasField("take"):
            position = play(position, number, f"take {spell_take(seat.take)}")
    for event in view.events:
        position = replay_event(position, event)
    for number, seat in enumerate(view.seats):
        if seat.reacted:
            position = play(position, number, seat.reaction)
    return position


def replay_event(position: Position, event: pb.MafiaDeCubaEvent) -> Position:
    if event.kind == "unasked":
        return play(position, event.seat, spell_claim(event))
    if event.kind == "asked":
        position = play(position, 0, f"ask {event.seat} {event.question}")
        return position if event.open else play(position, event.seat, spell_claim(event))
    position = play(position, 0, f"accuse {event.seat}")
    if not event.open and position.phase == "react":
        for seat in position.actors:
            fired = event.HasField("shooter") and event.shooter == seat
            position = play(position, seat, "bang" if fired else "hold")
    return position


@pytest.mark.parametrize("options", VARIANTS["mafia-de-cuba"], ids=label)
def test_the_referees_view_determines_the_game(options: Options):
    for seed in range(5):
        chance = random.Random(seed)
        position = GAME.start(options, seed)
        while True:
            replayed = replay(write_view(position.observe(REFEREE)))
            assert replayed.pack() == position.pack()
            if position.over:
                break
            seat = chance.choice(position.actors)
            position = position.apply(seat, chance.choice(position.moves(seat)))


def test_a_seats_view_leaks_no_hidden_information():
    position = GAME.start({"seats": 5}, 0)
    for seat, move in enumerate(("hide 1", "take 4", "take fbi", "take 2", "take nothing")):
        position = play(position, seat, move)
        if seat == 0:
            position = play(position, 1, "pouch loyal")
    third = write_view(position.observe(3))
    assert not third.HasField("hidden")
    assert third.pouch == ""
    assert [seat.HasField("take") for seat in third.seats] == [False] * 3 + [True, False]
    assert [seat.HasField("received") for seat in third.seats] == [False] * 3 + [True, False]
    assert third.seats[3].received == pb.MafiaDeCubaBox(diamonds=10, tokens=pb.MafiaDeCubaTokens())
    last = write_view(position.observe(4))
    assert last.seats[4].take == pb.MafiaDeCubaTake()
    assert last.seats[4].HasField("take")
