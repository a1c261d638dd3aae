"""The costly calls: each checks its request at once and returns the search to run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import TypeVar

from tablier.v1 import advisor_service_pb2 as pb
from tablier_core.advice import STRONGEST, Analysis, Cancel, Report, advise
from tablier_core.errors import ViewToken
from tablier_core.languages import Language
from tablier_core.position import REFEREE, Position
from tablier_core.simulation import Simulation, simulate

from tablier_service.calls.language import wanted_language
from tablier_service.calls.messages import seat_of, write_move, write_situation
from tablier_service.calls.methods import methods_of
from tablier_service.calls.use_cases import PlayedMove, UseCases
from tablier_service.errors import InvalidField

ADVISOR_SERVICE = pb.DESCRIPTOR.services_by_name["AdvisorService"]
DEFAULT_MILLISECONDS = 100
DEFAULT_SUGGESTIONS = 5
MAX_SUGGESTIONS = 1024
MAX_ITERATIONS = 10_000_000
DEFAULT_INTERVAL = 250
SHORTEST_INTERVAL = 10
DEFAULT_GAMES = 100
MAX_GAMES = 10_000
MAX_BOT_MOVES = 64
# The tree of an analysis. Streams take turns, so many of them can be in memory at the same time.
ANALYSIS_BYTES = 8 * 1024 * 1024
# A time budget includes the overhead of the call: this much, or a fifth of a short budget.
OVERHEAD_SECONDS = 0.002

STOPPED = {
    "iterations": pb.STOP_REASON_ITERATIONS,
    "time": pb.STOP_REASON_TIME,
    "settled": pb.STOP_REASON_SETTLED,
    # The caller of a cancelled call reads no answer, so this search was ended by its deadline.
    "cancelled": pb.STOP_REASON_TIME,
}

Advice = TypeVar("Advice", pb.SuggestMovesResponse, pb.StreamAnalysisResponse)


class AdvisorServicer:
    """AdvisorService. Its methods have the names of the proto."""

    def __init__(
        self,
        use_cases: UseCases,
        max_search_seconds: float,
        count_iterations: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._use_cases = use_cases
        self._count_iterations = count_iterations
        self._max_seconds = max_search_seconds
        self.methods = methods_of(ADVISOR_SERVICE, self, costly=True)

    def SuggestMoves(  # noqa: N802
        self, request: pb.SuggestMovesRequest
    ) -> Callable[[Cancel], pb.SuggestMovesResponse]:
        """Rank the moves of a seat."""
        position, seat = self._advised(request)
        limit, language = suggestions_of(request), words_of(request)
        by_iterations = bool(request.budget.iterations or request.level)
        budget = self._bot_seconds(request)
        seconds = budget - min(OVERHEAD_SECONDS, budget / 5)

        def search(cancel: Cancel) -> pb.SuggestMovesResponse:
            report = advise(
                position,
                seat,
                iterations=request.budget.iterations,
                seconds=seconds,
                seed=request.seed,
                level=request.level,
                cancel=cancel,
            )
            self._count_iterations(report.iterations)
            answer = pb.SuggestMovesResponse(stopped=STOPPED[report.stopped])
            if request.budget.milliseconds or not by_iterations:
                answer.milliseconds = report.seconds * 1000
            return write_report(answer, seat, report, limit, language)

        return search

    def StreamAnalysis(  # noqa: N802
        self, request: pb.StreamAnalysisRequest
    ) -> Callable[[Cancel], Iterator[pb.StreamAnalysisResponse]]:
        """Rank the moves of a seat repeatedly, while the search goes on."""
        position, seat = self._advised(request)
        limit, language = suggestions_of(request), words_of(request)
        seconds = self._budget(request.budget, self._max_seconds)
        interval = request.interval_milliseconds or DEFAULT_INTERVAL
        if interval < SHORTEST_INTERVAL:
            raise InvalidField("interval_milliseconds", f"must be at least {SHORTEST_INTERVAL}")

        def search(cancel: Cancel) -> Iterator[pb.StreamAnalysisResponse]:
            analysis = Analysis(position, seat, seed=request.seed, memory=ANALYSIS_BYTES)
            iterations = request.budget.iterations
            # With a budget of iterations, the interval must not change what the engine thinks.
            analysis.consult(
                iterations=iterations,
                seconds=seconds if iterations else min(interval / 1000, seconds),
                cancel=cancel,
            )
            made, thought = 0, 0.0
            last = False
            while not last:
                report = analysis.think(
                    iterations=iterations - made if iterations else 0,
                    seconds=min(interval / 1000, seconds - thought),
                    cancel=cancel,
                )
                self._count_iterations(report.iterations - made)
                made, thought = report.iterations, report.seconds
                last = report.stopped != "time" or thought >= seconds
                answer = pb.StreamAnalysisResponse(milliseconds=thought * 1000)
                if last:
                    answer.stopped = STOPPED[report.stopped]
                yield write_report(answer, seat, report, limit, language)

        return search

    def SimulateGame(  # noqa: N802
        self, request: pb.SimulateGameRequest
    ) -> Callable[[Cancel], pb.SimulateGameResponse]:
        """Let bots play games to the end, and report the results."""
        position, _ = self._use_cases.open(request.state, request.match)
        viewer = self._use_cases.viewer(position, seat_of(request))
        position.check_running()
        if request.games > MAX_GAMES:
            raise InvalidField("games", f"must be at most {MAX_GAMES}")
        levels = levels_of(request.levels, position.seats)
        seconds = self._seconds("milliseconds", request.milliseconds) or self._max_seconds

        def search(cancel: Cancel) -> pb.SimulateGameResponse:
            found = simulate(
                position,
                levels,
                viewer=viewer,
                games=request.games or DEFAULT_GAMES,
                seed=request.seed,
                seconds=seconds,
                cancel=cancel,
            )
            return write_simulation(found, request.include_sample)

        return search

    def PlaySeat(  # noqa: N802
        self, request: pb.PlaySeatRequest
    ) -> Callable[[Cancel], pb.PlaySeatResponse]:
        """Play for a seat, and tell a viewer what it may see of it."""
        first, previous = self._use_cases.open(request.state, request.match)
        seat = self._seat_to_advise(first, request)
        if first.viewer != REFEREE:
            raise ViewToken("state", "is a view token; a bot can only play on a true state")
        viewer = request.viewer if request.HasField("viewer") else REFEREE
        first.check_viewer(viewer, "viewer")
        if viewer == REFEREE:
            self._use_cases.check_referee(first.game, "viewer")
        if request.max_moves > MAX_BOT_MOVES:
            raise InvalidField("max_moves", f"must be at most {MAX_BOT_MOVES}")
        seconds = self._bot_seconds(request)
        language = wanted_language(request.language)

        def search(cancel: Cancel) -> pb.PlaySeatResponse:
            answer = pb.PlaySeatResponse(previous=previous)
            position, token = first, request.state
            end = monotonic() + self._max_seconds
            for number in range(request.max_moves or 1):
                report = advise(
                    position,
                    seat,
                    iterations=request.budget.iterations,
                    seconds=min(seconds, max(0.0, end - monotonic())),
                    # A bot that errs must not err alike in every move.
                    seed=(request.seed + number) % 2**64,
                    level=request.level,
                    cancel=cancel,
                )
                self._count_iterations(report.iterations)
                action = report.suggestions[0].action
                played = PlayedMove(seat, action, position.apply(seat, action), position)
                token = self._use_cases.tokens.write(played.after, request.match, token)
                answer.moves.append(write_seen(played, viewer, language))
                position = played.after
                if seat not in position.actors or monotonic() >= end:
                    break
            answer.state = token
            answer.situation.CopyFrom(write_situation(position))
            return answer

        return search

    def _bot_seconds(self, request: pb.SuggestMovesRequest | pb.PlaySeatRequest) -> float:
        """The seconds for a move of a bot; raises InvalidField for a level that does not exist."""
        if request.level > STRONGEST:
            raise InvalidField("level", f"must be at most {STRONGEST}")
        by_iterations = bool(request.budget.iterations or request.level)
        return self._budget(
            request.budget, self._max_seconds if by_iterations else DEFAULT_MILLISECONDS / 1000
        )

    def _advised(
        self, request: pb.SuggestMovesRequest | pb.StreamAnalysisRequest
    ) -> tuple[Position, int]:
        """The position, and the seat to advise."""
        position, _ = self._use_cases.open(request.state, request.match)
        return position, self._seat_to_advise(position, request)

    def _seat_to_advise(
        self,
        position: Position,
        request: pb.SuggestMovesRequest | pb.StreamAnalysisRequest | pb.PlaySeatRequest,
    ) -> int:
        """The seat that a request asks advice for, which must be to move."""
        position.check_running()
        seat = self._use_cases.mover(position, seat_of(request))
        position.check_actor(seat)
        return seat

    def _budget(self, budget: pb.Budget, default: float) -> float:
        """The seconds of a budget, or `default` if it has none: time is always limited."""
        if budget.iterations > MAX_ITERATIONS:
            raise InvalidField("budget.iterations", f"must be at most {MAX_ITERATIONS}")
        return self._seconds("budget.milliseconds", budget.milliseconds) or default

    def _seconds(self, field: str, milliseconds: int) -> float:
        if milliseconds > self._max_seconds * 1000:
            raise InvalidField(field, f"must be at most {self._max_seconds * 1000:g}")
        return milliseconds / 1000


def suggestions_of(request: pb.SuggestMovesRequest | pb.StreamAnalysisRequest) -> int:
    """The number of moves to suggest."""
    if request.max_suggestions > MAX_SUGGESTIONS:
        raise InvalidField("max_suggestions", f"must be at most {MAX_SUGGESTIONS}")
    return request.max_suggestions or DEFAULT_SUGGESTIONS


def words_of(request: pb.SuggestMovesRequest | pb.StreamAnalysisRequest) -> Language | None:
    """The language of the words of lines; None if the request wants no words."""
    return wanted_language(request.language) if request.include_words else None


def tell_line(
    world: Position, line: Sequence[tuple[int, int]], language: Language | None
) -> Iterator[str]:
    """Describe a line that starts in a world, as far as it is possible there.

    The world is one that the advised seat cannot distinguish from the true state, so describing all
    of it reveals nothing.
    """
    if language is None:
        return
    for seat, action in line:
        if not world.is_legal(seat, action):
            return
        after = world.apply(seat, action)
        yield world.story(after, seat, action, REFEREE, language)
        world = after


def levels_of(levels: Sequence[int], seats: int) -> list[int]:
    """The level of each seat."""
    if max(levels, default=0) > STRONGEST:
        raise InvalidField("levels", f"must be at most {STRONGEST} each")
    if len(levels) not in (0, 1, seats):
        raise InvalidField("levels", f"must be one level for all seats, or one for each of {seats}")
    return list(levels) if len(levels) == seats else [*levels, 0][:1] * seats


def write_report(
    answer: Advice, seat: int, report: Report, limit: int, language: Language | None
) -> Advice:
    """Write what a search found into an answer."""
    game = report.world.game
    answer.iterations = report.iterations
    # The world that the search drew, not the true state: the answer must not depend on secrets.
    answer.situation.CopyFrom(write_situation(report.world))
    for suggestion in report.suggestions[:limit]:
        answer.suggestions.add(
            move=write_move(game, seat, suggestion.action),
            visits=suggestion.visits,
            values=suggestion.values,
            spread=suggestion.spread,
            line=[write_move(game, *move) for move in suggestion.line],
            weight=suggestion.weight,
            words=tell_line(report.world, suggestion.line, language),
        )
    return answer


def write_seen(played: PlayedMove, viewer: int, language: Language) -> pb.SeenMove:
    """Write what a viewer saw of a move."""
    seen = pb.SeenMove(
        seat=played.seat,
        words=played.story(viewer, language),
        situation=write_situation(played.after),
    )
    if played.is_known_to(viewer):
        seen.move.CopyFrom(write_move(played.after.game, played.seat, played.action))
    return seen


def write_simulation(found: Simulation, with_sample: bool) -> pb.SimulateGameResponse:
    """Write the results of simulated games into an answer."""
    game = found.world.game
    return pb.SimulateGameResponse(
        games=found.games,
        seats=[
            pb.SimulatedSeat(
                mean_return=outcome.mean_return,
                mean_score=outcome.mean_score,
                wins=outcome.wins,
                win_rate=outcome.wins / found.games if found.games else 0.0,
                histogram=outcome.histogram,
            )
            for outcome in found.outcomes
        ],
        mean_length=found.mean_length,
        shortest=found.shortest,
        longest=found.longest,
        sample=[write_move(game, *move) for move in found.sample] if with_sample else [],
        situation=write_situation(found.world),
    )
