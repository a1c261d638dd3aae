"""What the costly calls answer, beyond the scenarios in tests/transports."""

from __future__ import annotations

from collections.abc import Callable
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
from tablier_service.calls.messages import write_situation
from tablier_service.calls.use_cases import UseCases
from tablier_service.errors import InvalidField
from tablier_service.service import Service

from tests.core import laws
from tests.service.assembly import Ask, Assemble

ALIGNMENT = "contigo-alignment"

every_game = pytest.mark.parametrize("name", sorted(GAMES))


Suggest = Callable[..., advisor_service_pb2.SuggestMovesResponse]


@pytest.fixture(scope="module")
def suggest(ask: Ask) -> Suggest:
    """Ask for suggestions."""

    def suggest(state: bytes, **fields: Any) -> advisor_service_pb2.SuggestMovesResponse:
        answer = ask(advisor_service_pb2.SuggestMovesRequest(state=state, **fields))
        assert isinstance(answer, advisor_service_pb2.SuggestMovesResponse)
        return answer

    return suggest


@every_game
def test_advice_is_the_same_for_a_state_and_its_view_token(name: str, suggest: Suggest):
    budget = advisor_service_pb2.Budget(iterations=30)
    for position in laws.sample(GAMES[name], {}, 4, count=3):
        if position.over:
            continue
        seat = position.actors[0]
        first = suggest(codec.encode(position), seat=seat, budget=budget)
        again = suggest(codec.encode(position.view_of(seat)), budget=budget)
        assert first.SerializeToString() == again.SerializeToString()
        assert first.milliseconds == 0
        # An engine may settle the matter without a search.
        assert (first.iterations, first.stopped) in (
            (30, advisor_service_pb2.STOP_REASON_ITERATIONS),
            (0, advisor_service_pb2.STOP_REASON_SETTLED),
        )
        legal = position.moves(seat)
        assert all(suggestion.move.action in legal for suggestion in first.suggestions)


@pytest.mark.parametrize("level", [0, 9, 10])
def test_suggests_a_winning_pawn_move_first(level: int, suggest: Suggest):
    layout = "RRR.../....../...R../.B..../.....B/BB...."
    state = codec.encode(GAMES[ALIGNMENT].start({"layout": layout, "first": 0}, 1))
    answer = suggest(state, level=level)
    assert answer.suggestions[0].move.notation == "d4-d6"
    assert answer.stopped == advisor_service_pb2.STOP_REASON_SETTLED


@pytest.mark.parametrize(("milliseconds", "thought"), [(0, 98), (100, 98), (10, 8), (5, 4)])
def test_subtracts_the_overhead_of_the_call_from_the_time_budget(
    milliseconds: int, thought: float, suggest: Suggest, monkeypatch: pytest.MonkeyPatch
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


# A call, a field, the last value that is accepted and the first that is not.
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
def test_limits_what_may_be_requested(
    call: str, field: str, last: object, beyond: object, assemble: Assemble
):
    state = codec.encode(GAMES[ALIGNMENT].start({}, 1))
    request_type: Any = getattr(advisor_service_pb2, f"{call}Request")
    method = assemble(max_search_seconds=5).method(call)

    def check(value: object) -> None:
        *within, name = field.split(".")
        fields: dict[str, object] = {name: value}
        method.handler(request_type(state=state, **({within[0]: fields} if within else fields)))

    check(last)
    with pytest.raises(InvalidField) as failure:
        check(beyond)
    assert failure.value.field == field


@pytest.mark.parametrize("level", [1, 3, 6])
def test_each_level_makes_twice_the_iterations_of_the_one_below(level: int, suggest: Suggest):
    state = codec.encode(GAMES[ALIGNMENT].start({}, 1))
    assert suggest(state, level=level).iterations == 8 * 2**level


def test_uses_defaults_for_omitted_fields(suggest: Suggest, ask: Ask):
    state = codec.encode(GAMES[ALIGNMENT].start({}, 1))
    budget = advisor_service_pb2.Budget(iterations=100)
    assert len(suggest(state, budget=budget).suggestions) == 5
    assert len(suggest(state, budget=budget, max_suggestions=2).suggestions) == 2
    simulation = advisor_service_pb2.SimulateGameRequest(state=state)
    assert ask(simulation).games == 100


def test_rejects_seats_that_are_not_to_move_and_finished_games(suggest: Suggest):
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


def test_the_reports_of_an_analysis_share_its_budget_of_iterations(service: Service):
    request = advisor_service_pb2.StreamAnalysisRequest(
        state=codec.encode(GAMES[ALIGNMENT].start({}, 1)),
        budget=advisor_service_pb2.Budget(iterations=20_000),
        interval_milliseconds=10,
    )
    counted: list[int] = []
    use_cases = UseCases(service.games, service.tokens)
    servicer = advisor.AdvisorServicer(use_cases, 60.0, counted.append)
    made = [report.iterations for report in servicer.StreamAnalysis(request)(Cancel())]
    assert len(made) > 1
    assert made == sorted(set(made))
    assert made[-1] == 20_000
    # Each iteration is counted once, when it is made.
    assert list(accumulate(counted)) == made


@pytest.mark.parametrize(("levels", "meant"), [([2, 1], [2, 1]), ([1], [1, 1]), ([], [0, 0])])
def test_reports_the_simulation_of_the_core(levels: list[int], meant: list[int], ask: Ask):
    position = GAMES[ALIGNMENT].start({"first": 0}, 4)
    request = advisor_service_pb2.SimulateGameRequest(
        state=codec.encode(position), games=12, seed=7, levels=levels, include_sample=True
    )
    simulated = ask(request)
    found = simulate(position, meant, games=12, seed=7)
    assert (simulated.games, simulated.mean_length, simulated.shortest, simulated.longest) == (
        (12, found.mean_length, found.shortest, found.longest)
    )
    assert [(move.seat, move.action) for move in simulated.sample] == [*found.sample]
    for seat, outcome in zip(simulated.seats, found.outcomes, strict=True):
        assert (seat.mean_return, seat.mean_score) == (outcome.mean_return, outcome.mean_score)
        assert (seat.wins, seat.win_rate) == (outcome.wins, outcome.wins / 12)
        assert tuple(seat.histogram) == tuple(outcome.histogram)
    request.include_sample = False
    assert not ask(request).sample


@pytest.mark.parametrize("name", ["contrat500", "contract"])
def test_a_simulation_for_a_seat_depends_only_on_what_the_seat_knows(name: str, ask: Ask):
    position = GAMES[name].start({}, 4)
    seat = position.actors[0]

    def simulated(of: Position, seat: int | None = None) -> bytes:
        request = advisor_service_pb2.SimulateGameRequest(
            state=codec.encode(of), games=20, seed=1, include_sample=True, seat=seat
        )
        answer: bytes = ask(request).SerializeToString()
        return answer

    believed = simulated(position, seat=seat)
    assert believed == simulated(position.view_of(seat))
    assert believed != simulated(position)


def test_requires_a_seat_if_several_are_to_move(suggest: Suggest):
    position = GAMES["contrast"].start({}, 1)
    assert len(position.actors) > 1
    with pytest.raises(WrongSeat, match="name one of") as failure:
        suggest(codec.encode(position))
    assert failure.value.field == "seat"
    assert suggest(codec.encode(position), seat=1).suggestions[0].move.seat == 1


@every_game
def test_the_situation_in_advice_depends_only_on_what_the_seat_knows(
    name: str, service: Service, monkeypatch: pytest.MonkeyPatch
):
    """Although the situations of all games are public today."""
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
    service.method("SuggestMoves").handler(suggestion)(Cancel())
    *_, last = service.method("StreamAnalysis").handler(analysis)(Cancel())
    simulate_game = service.method("SimulateGame").handler
    simulate_game(advisor_service_pb2.SimulateGameRequest(**common, games=1))(Cancel())
    assert viewers
    assert set(viewers) == {seat}
    assert last.situation == write_situation(position)
    viewers.clear()
    simulate_game(advisor_service_pb2.SimulateGameRequest(state=state, games=1))(Cancel())
    assert viewers == [REFEREE]
