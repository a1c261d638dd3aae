"""What the costly calls answer, beyond what both doors are tried with in tests/contract."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pytest
from tablier.v1 import advisor_service_pb2, game_pb2
from tablier_core import advice, codec
from tablier_core.advice import Cancel, Report
from tablier_core.errors import GameOver, ViewToken, WrongSeat
from tablier_core.position import REFEREE, Position
from tablier_core.registry import GAMES
from tablier_core.simulation import simulate
from tablier_service.calls import advisor
from tablier_service.calls.advisor import AdvisorServicer
from tablier_service.calls.messages import write_situation
from tablier_service.calls.use_cases import UseCases
from tablier_service.errors import InvalidField
from tablier_service.security.sealing import PlainTokens

from tests.core import laws

ADVISOR = AdvisorServicer(UseCases(GAMES, PlainTokens(GAMES)), max_search_seconds=5.0)
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


# A call, a field, the last value of it that is taken and the first that is not.
LIMITS: list[tuple[str, str, object, object]] = [
    ("SuggestMoves", "level", 10, 11),
    ("SuggestMoves", "max_suggestions", 1024, 1025),
    ("SuggestMoves", "budget.iterations", 10_000_000, 10_000_001),
    ("SuggestMoves", "budget.milliseconds", 5000, 5001),
    ("StreamAnalysis", "interval_milliseconds", 10, 9),
    ("StreamAnalysis", "max_suggestions", 1024, 1025),
    ("StreamAnalysis", "budget.iterations", 10_000_000, 10_000_001),
    ("StreamAnalysis", "budget.milliseconds", 5000, 5001),
    ("SimulateGame", "games", 10_000, 10_001),
    ("SimulateGame", "levels", [10, 10], [10, 11]),
    ("SimulateGame", "levels", [1], [1, 1, 1]),
    ("SimulateGame", "milliseconds", 5000, 5001),
]


@pytest.mark.parametrize(("call", "field", "last", "beyond"), LIMITS)
def test_what_may_be_asked_for_has_its_limits(call: str, field: str, last: object, beyond: object):
    state = codec.encode(GAMES[ALIGNMENT].start({}, 1))
    request_type: Any = getattr(advisor_service_pb2, f"{call}Request")

    def ask(value: object) -> None:
        *within, name = field.split(".")
        fields: dict[str, object] = {name: value}
        getattr(ADVISOR, call)(
            request_type(state=state, **({within[0]: fields} if within else fields))
        )

    ask(last)
    with pytest.raises(InvalidField) as failure:
        ask(beyond)
    assert failure.value.field == field


@pytest.mark.parametrize("level", [1, 3, 6])
def test_a_level_thinks_twice_as_long_as_the_one_below(level: int):
    state = codec.encode(GAMES[ALIGNMENT].start({}, 1))
    assert suggest(state, level=level).iterations == 8 * 2**level


def test_what_is_not_asked_for_has_its_default():
    state = codec.encode(GAMES[ALIGNMENT].start({}, 1))
    budget = advisor_service_pb2.Budget(iterations=100)
    assert len(suggest(state, budget=budget).suggestions) == 5
    assert len(suggest(state, budget=budget, max_suggestions=2).suggestions) == 2
    simulation = advisor_service_pb2.SimulateGameRequest(state=state)
    assert ADVISOR.SimulateGame(simulation)(Cancel()).games == 100


def test_advice_is_refused_where_there_is_none():
    position = GAMES[ALIGNMENT].start({"first": 0, "turn_limit": 1}, 1)
    state = codec.encode(position)
    with pytest.raises(WrongSeat):
        suggest(state, seat=1)
    with pytest.raises(ViewToken):
        suggest(codec.encode(position.view_of(0)), seat=1)
    for _ in range(2):
        position = position.apply(0, position.moves(0)[0])
    with pytest.raises(GameOver):
        suggest(codec.encode(position))


def test_the_reports_of_an_analysis_share_its_budget_of_iterations():
    request = advisor_service_pb2.StreamAnalysisRequest(
        state=codec.encode(GAMES[ALIGNMENT].start({}, 1)),
        budget=advisor_service_pb2.Budget(iterations=20_000),
        interval_milliseconds=10,
    )
    counted: list[int] = []
    servicer = AdvisorServicer(UseCases(GAMES, PlainTokens(GAMES)), 60.0, counted.append)
    made = [report.iterations for report in servicer.StreamAnalysis(request)(Cancel())]
    assert len(made) > 1
    assert made == sorted(set(made))
    assert made[-1] == 20_000
    # Each is counted once, when it is made.
    assert list(accumulate(counted)) == made


@pytest.mark.parametrize(("levels", "meant"), [([2, 1], [2, 1]), ([1], [1, 1]), ([], [0, 0])])
def test_a_simulation_tells_what_the_core_found(levels: list[int], meant: list[int]):
    position = GAMES[ALIGNMENT].start({"first": 0}, 4)
    request = advisor_service_pb2.SimulateGameRequest(
        state=codec.encode(position), games=12, seed=7, levels=levels, include_sample=True
    )
    told = ADVISOR.SimulateGame(request)(Cancel())
    found = simulate(position, meant, games=12, seed=7)
    assert (told.games, told.mean_length, told.shortest, told.longest) == (
        (12, found.mean_length, found.shortest, found.longest)
    )
    assert [(move.seat, move.action) for move in told.sample] == [*found.sample]
    for seat, outcome in zip(told.seats, found.outcomes, strict=True):
        assert (seat.mean_return, seat.mean_score) == (outcome.mean_return, outcome.mean_score)
        assert (seat.wins, seat.win_rate) == (outcome.wins, outcome.wins / 12)
        assert tuple(seat.histogram) == tuple(outcome.histogram)
    request.include_sample = False
    assert not ADVISOR.SimulateGame(request)(Cancel()).sample


@pytest.mark.parametrize("name", ["contrat500", "contract"])
def test_a_simulation_for_a_seat_rests_on_what_the_seat_knows(name: str):
    position = GAMES[name].start({}, 4)
    seat = position.actors[0]

    def told(of: Position, seat: int | None = None) -> bytes:
        request = advisor_service_pb2.SimulateGameRequest(
            state=codec.encode(of), games=20, seed=1, include_sample=True, seat=seat
        )
        return ADVISOR.SimulateGame(request)(Cancel()).SerializeToString()

    believed = told(position, seat=seat)
    assert believed == told(position.view_of(seat))
    assert believed != told(position)


def test_where_several_seats_are_to_move_one_must_be_named():
    position = GAMES["contrast"].start({}, 1)
    assert len(position.actors) > 1
    with pytest.raises(WrongSeat, match="one must be named") as failure:
        suggest(codec.encode(position))
    assert failure.value.field == "seat"
    assert suggest(codec.encode(position), seat=1).suggestions[0].move.seat == 1


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
