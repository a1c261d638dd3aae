"""The costly calls: each checks its request at once and gives back the search to run."""

from __future__ import annotations

from collections.abc import Callable

from tablier.v1 import advisor_service_pb2 as pb
from tablier_core.advice import Cancel, Report, advise
from tablier_core.errors import GameOver, WrongSeat
from tablier_core.position import Position

from tablier_service.engine import Engine
from tablier_service.errors import InvalidField
from tablier_service.servicer import methods_of, seat_of, write_move, write_situation

ADVISOR_SERVICE = pb.DESCRIPTOR.services_by_name["AdvisorService"]
DEFAULT_MILLISECONDS = 100
DEFAULT_SUGGESTIONS = 5
MAX_SUGGESTIONS = 1024
MAX_ITERATIONS = 10_000_000

STOPPED = {
    "iterations": pb.STOP_REASON_ITERATIONS,
    "time": pb.STOP_REASON_TIME,
    "settled": pb.STOP_REASON_SETTLED,
    # Nobody reads the answer of a cancelled call: what is read was ended by the call's deadline.
    "cancelled": pb.STOP_REASON_TIME,
}


class AdvisorServicer:
    """AdvisorService. Its methods are named as in the proto."""

    def __init__(
        self,
        engine: Engine,
        max_search_seconds: float,
        count_iterations: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._engine = engine
        self._count_iterations = count_iterations
        self._max_seconds = max_search_seconds
        self.methods = methods_of(ADVISOR_SERVICE, self, costly=True)

    def SuggestMoves(  # noqa: N802
        self, request: pb.SuggestMovesRequest
    ) -> Callable[[Cancel], pb.SuggestMovesResponse]:
        """Ranked moves of a seat."""
        position, _ = self._engine.open(request.state, request.match)
        seat = self._advised(position, seat_of(request))
        if request.max_suggestions > MAX_SUGGESTIONS:
            raise InvalidField("max_suggestions", f"must be at most {MAX_SUGGESTIONS}")
        iterations, seconds = self._budget(request.budget)
        limit = request.max_suggestions or DEFAULT_SUGGESTIONS

        def search(cancel: Cancel) -> pb.SuggestMovesResponse:
            report = advise(
                position,
                seat,
                iterations=iterations,
                seconds=seconds,
                seed=request.seed,
                cancel=cancel,
            )
            self._count_iterations(report.iterations)
            return write_report(position, seat, report, limit)

        return search

    def _advised(self, position: Position, seat: int | None) -> int:
        """The seat to advise; it has to be to move."""
        actors = position.actors
        if not actors:
            raise GameOver("state", "the game is over")
        listed = self._engine.seats_to_list(position, seat)
        if len(listed) > 1:
            raise WrongSeat("seat", f"several seats are to move, so one must be named: {listed}")
        if listed[0] not in actors:
            raise WrongSeat("seat", f"seat {listed[0]} is not to move; to move: {actors}")
        return listed[0]

    def _budget(self, budget: pb.Budget) -> tuple[int, float]:
        """Iterations (0: no limit) and seconds; time is always limited."""
        if budget.iterations > MAX_ITERATIONS:
            raise InvalidField("budget.iterations", f"must be at most {MAX_ITERATIONS}")
        longest = self._max_seconds
        if budget.milliseconds > longest * 1000:
            raise InvalidField("budget.milliseconds", f"must be at most {longest * 1000:g}")
        if budget.milliseconds:
            return budget.iterations, budget.milliseconds / 1000
        return budget.iterations, longest if budget.iterations else DEFAULT_MILLISECONDS / 1000


def write_report(
    position: Position, seat: int, report: Report, limit: int
) -> pb.SuggestMovesResponse:
    """A search's report as a message."""
    game = position.game
    return pb.SuggestMovesResponse(
        suggestions=[
            pb.Suggestion(
                move=write_move(game, seat, suggestion.action),
                visits=suggestion.visits,
                values=suggestion.values,
                spread=suggestion.spread,
                line=[write_move(game, *move) for move in suggestion.line],
                weight=suggestion.weight,
            )
            for suggestion in report.suggestions[:limit]
        ],
        iterations=report.iterations,
        milliseconds=report.seconds * 1000,
        stopped=STOPPED[report.stopped],
        situation=write_situation(position),
    )
