"""Game records in ReplayGame: from their text to a line of moves, and back for a viewer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from tablier.v1 import game_service_pb2 as pb
from tablier_client.errors import InvalidRecord
from tablier_client.records import Record, RecordedMove, read_lines, record_lines
from tablier_core.errors import TablierError
from tablier_core.position import REFEREE, Game, Position

from tablier_service.calls.answer_size import AnswerSize
from tablier_service.calls.slices import Work, collect
from tablier_service.calls.use_cases import PlayedMove, UseCases
from tablier_service.errors import (
    InvalidField,
    RecordIncomplete,
    RecordMalformed,
    RecordUnsupported,
)

# The fields of a request that a record stands for, and whether a request has them.
CONTAINED: Mapping[str, Callable[[pb.ReplayGameRequest], object]] = {
    "options": lambda request: request.HasField("options"),
    "seed": attrgetter("seed"),
    "moves": attrgetter("moves"),
}
# Where nothing is hidden, the seed decides little more than who begins.
MAX_START = 64


def read_replayed(request: pb.ReplayGameRequest, text: str, game: Game) -> Work[Record]:
    """Read the text of a request's record, and check that the game can be replayed from it."""
    for name, is_given in CONTAINED.items():
        if is_given(request):
            raise InvalidField(name, "must be absent: the record contains it")
    try:
        record = yield from read_lines(text)
    except InvalidRecord as error:
        kind = RecordUnsupported if error.reason == RecordUnsupported.reason else RecordMalformed
        raise kind(error.field, error.message) from None
    if record.game != game.name:
        raise InvalidField("game", "is not the game of the record")
    if record.rules != game.rules_version:
        raise RecordUnsupported(
            "record.Rules", f"this service has version {game.rules_version} of the rules"
        )
    check_complete(record)
    return record


def check_complete(record: Record) -> None:
    """Raise RecordIncomplete for a record without a seed or with hidden moves."""
    missing = [] if record.seed is not None or record.start is not None else ["it has no seed"]
    if record.hidden_moves:
        missing.append(f"{record.hidden_moves} of its {len(record.moves)} moves are hidden")
    if missing:
        whose = "" if record.viewer is None else f"this is what seat {record.viewer} saw: "
        raise RecordIncomplete("record", f"cannot be replayed; {whose}{' and '.join(missing)}")


def seed_of(record: Record) -> int:
    """The seed of a complete record, or one that gives the same game."""
    return (record.start or 0) if record.seed is None else record.seed


def play_recorded(
    use_cases: UseCases, position: Position, moves: Sequence[RecordedMove]
) -> Iterator[PlayedMove]:
    """Play the moves of a record; an error names the line of the text."""
    for move in moves:
        try:
            played = use_cases.play_one(position, (move.seat, move.notation, None))
        except TablierError as error:
            raise type(error)("record.moves", f"line {move.line}: {error.message}") from None
        position = played.after
        yield played


def check_variations(
    use_cases: UseCases, first: Position, line: Sequence[PlayedMove], record: Record
) -> Work[None]:
    """Raise an error for an illegal move in a variation, or for an evaluation of other seats."""
    # The position before a line, and the line.
    waiting: list[tuple[Position, Sequence[RecordedMove]]] = []
    before = first
    for played, move in zip(line, record.moves, strict=True):
        check_values(first, move)
        waiting.extend((before, variation) for variation in move.variations)
        before = played.after
        yield
    while waiting:
        position, variation = waiting.pop()
        for move, played in zip(
            variation, play_recorded(use_cases, position, variation), strict=True
        ):
            check_values(first, move)
            waiting.extend((position, nested) for nested in move.variations)
            position = played.after
            yield


def check_values(first: Position, move: RecordedMove) -> None:
    """Raise RecordMalformed unless an evaluation has one value per seat."""
    if move.values and len(move.values) != first.seats:
        raise RecordMalformed(
            "record.moves", f"line {move.line}: the evaluation needs {first.seats} values"
        )


def check_outcome(last: Position, record: Record) -> None:
    """Raise RecordMalformed if a record contradicts the position after its moves.

    An unfinished game may have a result: players can agree on one, or resign.
    """
    if record.scores and list(record.scores) != last.scores:
        raise RecordMalformed("record.Scores", f"the moves lead to other scores: {last.scores}")
    if record.result and last.over and list(record.result) != last.returns:
        raise RecordMalformed("record.Result", f"the moves lead to another result: {last.returns}")
    if record.result and len(record.result) != last.seats:
        raise RecordMalformed("record.Result", f"the game has {last.seats} seats")
    for seat in record.players:
        if seat >= last.seats:
            raise RecordMalformed(f"record.Seat{seat}", f"the game has {last.seats} seats")


def write_replayed(
    given: Record, first: Position, line: Sequence[PlayedMove], viewer: int, size: AnswerSize
) -> Work[str]:
    """Write the record of a replayed game, for the referee or as a seat saw it.

    `given` has what the moves do not tell. A seat gets neither the seed nor what someone wrote who
    may know more: comments, evaluations, variations and other tags.
    """
    last = line[-1].after if line else first
    record = replace(
        given,
        moves=(yield from collect(recorded(given, line, viewer))),
        scores=tuple(last.scores),
        result=tuple(last.returns) or given.result,
    )
    if viewer != REFEREE:
        start = start_of(first, given)
        record = replace(record, viewer=viewer, seed=None, start=start, tags=(), comment="")
    lines = []
    for text in record_lines(record):
        lines.append(f"{text}\n")
        size.add(len(text) + 1)
        yield
    return "".join(lines)


def recorded(given: Record, line: Sequence[PlayedMove], viewer: int) -> Iterator[RecordedMove]:
    """The moves of a line with what is noted about them, or as a seat saw them."""
    for number, played in enumerate(line):
        notation = played.after.game.write_move(played.action)
        noted = given.moves[number] if given.moves else RecordedMove(played.seat, notation)
        if viewer != REFEREE:
            notation = notation if played.is_known_to(viewer) else ""
            times = noted.clock, noted.elapsed
            noted = RecordedMove(played.seat, notation, (), *times)
        yield noted


def start_of(first: Position, given: Record) -> int | None:
    """The smallest seed with the same first position; None if the game hides something.

    It is a function of the first position, which every seat then knows. The seed itself would not
    be.
    """
    game = first.game
    if game.has_hidden_information:
        return None
    return next((i for i in range(MAX_START) if game.start(given.options, i) == first), None)
