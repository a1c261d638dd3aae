"""What the costly calls answer, beyond what both doors are tried with in tests/contract."""

from __future__ import annotations

from typing import Any

import pytest
from tablier.v1 import advisor_service_pb2, game_pb2
from tablier_core import advice, codec
from tablier_core.advice import Cancel, Report
from tablier_core.errors import GameOver, ViewToken, WrongSeat
from tablier_core.position import REFEREE, Position
from tablier_core.registry import GAMES
from tablier_service import advisor
from tablier_service.advisor import AdvisorServicer
from tablier_service.engine import Engine
from tablier_service.errors import InvalidField
from tablier_service.messages import write_situation
from tablier_service.sealing import PlainTokens

from tests.core import laws

ADVISOR = AdvisorServicer(Engine(GAMES, PlainTokens(GAMES)), max_search_seconds=5.0)
ALIGNMENT = "contigo-alignment"

every_game = pytest.mark.parametrize("name", sorted(GAMES))


def suggest(state: bytes, **fields: object) -> advisor_service_pb2.SuggestMovesResponse:
    request = advisor_service_pb2.SuggestMovesRequest(state=state, **fields)  # type: ignore[arg-type]
    return ADVISOR.SuggestMoves(request)(Cancel())


@every_game
def test_advice_is_the_same_from_a_state_and_from_a_view_token(name: str):
    budget = advisor_service_pb2.Budget(iterations=30)
    for position in laws.sample(GAMES[name], {}, 4, count=3):
        if position.over:
            continue
        seat = position.actors[0]
        told = suggest(codec.encode(position), seat=seat, budget=budget)
        again = suggest(codec.encode(position.view_of(seat)), budget=budget)
        assert told.SerializeToString() == again.SerializeToString()
        assert told.milliseconds == 0
        # An engine may settle the matter without a search.
        assert (told.iterations, told.stopped) in (
            (30, advisor_service_pb2.STOP_REASON_ITERATIONS),
            (0, advisor_service_pb2.STOP_REASON_SETTLED),
        )
        legal = position.moves(seat)
        assert all(suggestion.move.action in legal for suggestion in told.suggestions)


@pytest.mark.parametrize("level", [0, 9, 10])
def test_a_win_in_one_pawn_move_is_the_first_suggestion(level: int):
    layout = "RRR.../....../...R../.B..../.....B/BB...."
    state = codec.encode(GAMES[ALIGNMENT].start({"layout": layout, "first": 0}, 1))
    answer = suggest(state, level=level)
    assert answer.suggestions[0].move.notation == "d4-d6"
    assert answer.stopped == advisor_service_pb2.STOP_REASON_SETTLED


@pytest.mark.parametrize(("milliseconds", "thought"), [(0, 98), (100, 98), (10, 8), (5, 4)])
def test_the_way_to_the_search_comes_off_the_time_that_is_given(
    milliseconds: int, thought: float, monkeypatch: pytest.MonkeyPatch
):
    asked: list[float] = []

    def advise(*args: Any, seconds: float, **options: Any) -> Report:
        asked.append(seconds * 1000)
        return advice.advise(*args, seconds=seconds, **options)

    monkeypatch.setattr(advisor, "advise", advise)
    state = codec.encode(GAMES[ALIGNMENT].start({}, 1))
    answer = suggest(state, budget=advisor_service_pb2.Budget(milliseconds=milliseconds))
    assert asked == [pytest.approx(thought)]
    assert answer.stopped == advisor_service_pb2.STOP_REASON_TIME


def test_advice_is_refused_where_there_is_none():
    position = GAMES[ALIGNMENT].start({"first": 0, "turn_limit": 1}, 1)
    state = codec.encode(position)
    with pytest.raises(WrongSeat):
        suggest(state, seat=1)
    with pytest.raises(ViewToken):
        suggest(codec.encode(position.view_of(0)), seat=1)
    with pytest.raises(InvalidField) as failure:
        suggest(state, budget=advisor_service_pb2.Budget(milliseconds=5001))
    assert failure.value.field == "budget.milliseconds"
    with pytest.raises(InvalidField) as failure:
        suggest(state, max_suggestions=2000)
    assert failure.value.field == "max_suggestions"
    for _ in range(2):
        position = position.apply(0, position.moves(0)[0])
    with pytest.raises(GameOver):
        suggest(codec.encode(position))


@every_game
def test_situations_in_advice_are_told_from_what_their_seat_knows(
    name: str, monkeypatch: pytest.MonkeyPatch
):
    """Though all that the situations of these games tell is public today."""
    viewers = []

    def tell(position: Position) -> game_pb2.Situation:
        viewers.append(position.viewer)
        return write_situation(position)

    monkeypatch.setattr(advisor, "write_situation", tell)
    position = GAMES[name].start({}, 4)
    seat, state = position.actors[0], codec.encode(position)
    common: dict[str, Any] = {"state": state, "seat": seat}
    budget = advisor_service_pb2.Budget(iterations=1)
    suggestion = advisor_service_pb2.SuggestMovesRequest(**common, budget=budget)
    analysis = advisor_service_pb2.StreamAnalysisRequest(**common, budget=budget)
    ADVISOR.SuggestMoves(suggestion)(Cancel())
    *_, last = ADVISOR.StreamAnalysis(analysis)(Cancel())
    ADVISOR.SimulateGame(advisor_service_pb2.SimulateGameRequest(**common, games=1))(Cancel())
    assert viewers
    assert set(viewers) == {seat}
    assert last.situation == write_situation(position)
    viewers.clear()
    ADVISOR.SimulateGame(advisor_service_pb2.SimulateGameRequest(state=state, games=1))(Cancel())
    assert viewers == [REFEREE]
