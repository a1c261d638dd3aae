"""InterpretMove: what the call returns, to whom, and how long it runs without a pause."""

from __future__ import annotations

import random

import pytest
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.errors import GameOver, InvalidField, ViewToken, WrongSeat
from tablier_core.languages import catalogue
from tablier_core.position import Position
from tablier_core.registry import GAMES
from tablier_service.calls.slices import run_slice
from tablier_service.service import Service

from tests.service.assembly import Ask

every_game = pytest.mark.parametrize("name", sorted(GAMES))
FRENCH = catalogue("fr")


def request(position: Position, text: str, **fields: object) -> pb.InterpretMoveRequest:
    return pb.InterpretMoveRequest(state=codec.encode(position), text=text, **fields)  # type: ignore[arg-type]


def asked(ask: Ask, position: Position, text: str, **fields: object) -> pb.InterpretMoveResponse:
    answer = ask(request(position, text, **fields))
    assert isinstance(answer, pb.InterpretMoveResponse)
    return answer


@every_game
def test_returns_the_move_with_its_words(name: str, ask: Ask):
    position = GAMES[name].start({}, 5)
    seat = position.actors[0]
    notation, action = position.notations(seat)[0], position.moves(seat)[0]
    exact = asked(ask, position, notation, seat=seat)
    assert exact.outcome == pb.INTERPRETATION_OUTCOME_EXACT
    sloppy = asked(ask, position, f"**{notation.upper()}**!", seat=seat, language="fr")
    assert sloppy.outcome == pb.INTERPRETATION_OUTCOME_NORMALISED
    for answer, language in ((exact, catalogue("en")), (sloppy, FRENCH)):
        move = answer.understood.move
        assert (move.seat, move.notation, move.action) == (seat, notation, action)
        assert answer.understood.words == position.words(seat, language)[0]
        assert not answer.candidates
        assert not answer.forms
        assert not answer.reason


@every_game
def test_returns_the_forms_of_the_game_if_there_is_no_move(name: str, ask: Ask):
    position = GAMES[name].start({}, 5)
    answer = asked(ask, position, "qwertz", seat=position.actors[0], language="fr")
    assert answer.outcome == pb.INTERPRETATION_OUTCOME_NONE
    assert not answer.HasField("understood")
    forms = [(form.example, form.meaning) for form in answer.forms]
    assert forms == [(form, FRENCH.gettext(meaning)) for form, meaning in GAMES[name].notation]


def test_returns_candidates_and_reasons(ask: Ask):
    position = GAMES["contigo-alignment"].start({"first": 0}, 7)
    unsure = asked(ask, position, "a6-a4 or a6-c6")
    assert unsure.outcome == pb.INTERPRETATION_OUTCOME_AMBIGUOUS
    assert [each.move.notation for each in unsure.candidates] == ["a6-a4", "a6-c6"]
    assert all(each.words.startswith("Red moves") for each in unsure.candidates)
    illegal = asked(ask, position, "a6-a5", language="fr")
    assert illegal.outcome == pb.INTERPRETATION_OUTCOME_NONE
    action = position.game.read_move("a6-a5")
    assert illegal.reason == position.reason(0, action, FRENCH)
    assert illegal.candidates[0].move.notation == "a6-a4"


def test_needs_a_seat_where_several_can_move(ask: Ask):
    position = GAMES["contrast"].start({"seats": 3}, 1)
    with pytest.raises(WrongSeat):
        asked(ask, position, "red")
    assert asked(ask, position, "red", seat=1).outcome == pb.INTERPRETATION_OUTCOME_EXACT
    view = position.view_of(1)
    assert asked(ask, view, "RED").understood.move.seat == 1
    with pytest.raises(ViewToken):
        asked(ask, view, "red", seat=0)


def test_refuses_what_it_cannot_read(ask: Ask):
    position = GAMES["contrat500"].start({}, 1)
    for text in ("", "a" * 2049):
        with pytest.raises(InvalidField) as failure:
            asked(ask, position, text)
        assert failure.value.field == "text"
    waiting = next(seat for seat in range(position.seats) if seat not in position.actors)
    with pytest.raises(WrongSeat):
        asked(ask, position, "bid 5", seat=waiting)
    chance = random.Random(1)
    while not position.over:
        seat = chance.choice(position.actors)
        position = position.apply(seat, chance.choice(position.moves(seat)))
    with pytest.raises(GameOver):
        asked(ask, position, "bid 5")


def test_answers_in_batches_in_the_language_of_the_batch(ask: Ask):
    position = GAMES["contrat500"].start({}, 1)
    operations = [pb.Operation(interpret_move=request(position, text)) for text in ("BID 5", "")]
    answer = ask(pb.BatchRequest(operations=operations, language="fr"))
    assert isinstance(answer, pb.BatchResponse)
    read, failed = answer.results
    assert read.interpret_move.understood.words.startswith("La place")
    assert failed.WhichOneof("outcome") == "error"


def test_yields_to_other_calls(service: Service):
    position = GAMES["contigo-capture"].start({}, 0)
    chance = random.Random(0)
    while position.count_moves(position.actors[0]) < 1000:
        seat = position.actors[0]
        position = position.apply(seat, chance.choice(position.moves(seat)))
    work = service.method("InterpretMove").handler(request(position, "I don't know"))
    assert run_slice(work) is None
