"""The cheap calls: decode the request, ask the use cases, write the answer. No rules here."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import repeat
from types import GeneratorType

from tablier.v1 import game_service_pb2 as pb
from tablier_client.records import Record
from tablier_core.advice import Cancel
from tablier_core.errors import MoveIllegal, OptionError, TablierError
from tablier_core.languages import ENGLISH, catalogue
from tablier_core.position import REFEREE, Game, Position
from tablier_core.rulebook import text_page
from tablier_core.wire import ListingWriter, write_field, write_head, write_number

from tablier_service.calls.answer_size import AnswerSize
from tablier_service.calls.interpretation import interpret
from tablier_service.calls.language import choose_language, has_language, prefer, wanted_language
from tablier_service.calls.messages import (
    SITUATIONS,
    field_numbers,
    read_move,
    read_options,
    seat_of,
    write_game,
    write_move,
    write_observation,
    write_situation,
    write_struct,
    write_view,
)
from tablier_service.calls.methods import methods_of, wire_of
from tablier_service.calls.pictures import draw
from tablier_service.calls.records import (
    check_outcome,
    check_variations,
    play_recorded,
    read_replayed,
    seed_of,
    write_replayed,
)
from tablier_service.calls.slices import Work, collect
from tablier_service.calls.telling import list_described
from tablier_service.calls.transcript import write_transcript
from tablier_service.calls.use_cases import PlayedMove, UseCases, checked_match
from tablier_service.errors import AnswerTooLarge, InvalidField, status_of
from tablier_service.security.callers import CALLER

MAX_MOVES = 1024
MAX_REPLAY = 16384
# Views and drawings cost far more than moves.
MAX_VIEWS = 1024
MAX_OPERATIONS = 1024
# Lines of up to this many moves are played without a pause.
SHORT_LINE = 64

GAME_SERVICE = pb.DESCRIPTOR.services_by_name["GameService"]
# ApplyMoves and ReplayGame report a line of moves in fields with the same names and numbers, so the
# same bytes serve both.
LINE_FIELDS = field_numbers(pb.ApplyMovesResponse.DESCRIPTOR)
STATE, SITUATION, STEPS = (LINE_FIELDS[name] for name in ("state", "situation", "steps"))
STEP_FIELDS = field_numbers(pb.Step.DESCRIPTOR)
REPLAY = field_numbers(pb.ReplayGameResponse.DESCRIPTOR)
DESCRIPTION = field_numbers(pb.DescribeStateResponse.DESCRIPTOR)
RESULT_FIELDS = field_numbers(pb.OperationResult.DESCRIPTOR)
SEAT_FIELDS = field_numbers(pb.SeatMoves.DESCRIPTOR)
LISTINGS = ListingWriter(
    field_numbers(pb.EnumerateMovesResponse.DESCRIPTOR),
    # Words and paths are added afterwards, by the calls that ask for them.
    {name: SEAT_FIELDS[name] for name in ("seat", "count", "actions", "notations")},
    SITUATIONS,
)
# Whether to list actions, and whether to list notations.
LISTED_PARTS = {
    pb.MOVE_DETAIL_UNSPECIFIED: (True, True),
    pb.MOVE_DETAIL_COUNT: (False, False),
    pb.MOVE_DETAIL_ACTIONS: (True, False),
    pb.MOVE_DETAIL_NOTATIONS: (False, True),
    pb.MOVE_DETAIL_FULL: (True, True),
    pb.MOVE_DETAIL_WORDS: (True, True),
}


class GameServicer:
    """GameService. Its methods have the names and messages of the proto."""

    def __init__(self, use_cases: UseCases, max_answer_bytes: int = sys.maxsize) -> None:
        self._use_cases = use_cases
        self._max_answer_bytes = max_answer_bytes
        # Writing a schema takes as long as hundreds of other calls, and rules as thousands.
        self._write_details = cache(write_details)
        self._details = {
            name: write_details(game, ENGLISH, False) for name, game in use_cases.games.items()
        }
        self.methods = methods_of(GAME_SERVICE, self, costly=False)
        by_request = {method.descriptor.input_type: method.handler for method in self.methods}
        # The handler of an operation, the field number of its answer in the result, and whether it
        # names a language.
        self._operations = {
            field.name: (
                by_request[field.message_type],
                RESULT_FIELDS[field.name],
                has_language(field.message_type),
            )
            for field in pb.Operation.DESCRIPTOR.oneofs_by_name["call"].fields
            if field.message_type
        }

    def ListGames(self, request: pb.ListGamesRequest) -> pb.ListGamesResponse:  # noqa: N802
        """List the games."""
        games, language = self._use_cases.games, choose_language(request.language)
        return pb.ListGamesResponse(
            games=[write_game(games[name], language) for name in sorted(games)]
        )

    def GetGame(self, request: pb.GetGameRequest) -> bytes:  # noqa: N802
        """Describe one game."""
        game = self._use_cases.game(request.game)
        language, rules = request.language, request.include_rules
        if not (language or rules):
            return self._details[game.name]
        return self._write_details(game, choose_language(language), rules)

    def StartGame(self, request: pb.StartGameRequest) -> pb.StartGameResponse:  # noqa: N802
        """Start a game."""
        seed = request.seed if request.HasField("seed") else secrets.randbits(64)
        game = self._use_cases.game(request.game)
        position = start(game, read_options(request.options), seed)
        return pb.StartGameResponse(
            state=self._use_cases.tokens.write(position, checked_match(request.match)),
            situation=write_situation(position),
            # The seed reveals everything hidden: only for callers that chose it or may see all.
            seed=seed
            if request.HasField("seed")
            or not self._use_cases.tokens.sealed
            or self._use_cases.may_see_all(position.game)
            else 0,
        )

    def EnumerateMoves(  # noqa: N802
        self, request: pb.EnumerateMovesRequest
    ) -> bytes | Work[bytes]:
        """List legal moves in the requested detail."""
        position, _ = self._use_cases.open(request.state, request.match)
        detail = request.detail
        parts = LISTED_PARTS.get(detail)
        if parts is None:
            raise InvalidField("detail", f"{detail} is not a MoveDetail")
        seats = self._use_cases.seats_to_list(position, seat_of(request))
        listed = LISTINGS.write(position, seats, *parts)
        if detail != pb.MOVE_DETAIL_WORDS and not request.include_paths:
            return listed
        return self._list_described(position, seats, listed, request)

    def _list_described(
        self,
        position: Position,
        seats: Sequence[int],
        listed: bytes,
        request: pb.EnumerateMovesRequest,
    ) -> Work[bytes]:
        """Add words and paths to a listing."""
        size = AnswerSize(self._max_answer_bytes)
        size.add(len(listed))
        worded = request.detail == pb.MOVE_DETAIL_WORDS
        language = wanted_language(request.language) if worded else None
        described = yield from list_described(
            position, seats, language, request.include_paths, size
        )
        answer = pb.EnumerateMovesResponse.FromString(listed)
        for entry, extra in zip(answer.seats, described.seats, strict=True):
            entry.words.extend(extra.words)
            entry.paths.extend(extra.paths)
            yield
        return wire_of(answer)

    def InterpretMove(  # noqa: N802
        self, request: pb.InterpretMoveRequest
    ) -> Work[pb.InterpretMoveResponse]:
        """Read a text as a move."""
        position, _ = self._use_cases.open(request.state, request.match)
        seat = self._use_cases.mover(position, seat_of(request))
        return interpret(position, seat, request.text, wanted_language(request.language))

    def ApplyMoves(self, request: pb.ApplyMovesRequest) -> bytes | Work[bytes]:  # noqa: N802
        """Play a line of moves."""
        # Reading a field of a message costs as much as playing a move, so read each once.
        token, match, moves = request.state, request.match, request.moves
        position, previous = self._use_cases.open(token, match)
        count = len(moves)
        if not 1 <= count <= MAX_MOVES:
            raise InvalidField("moves", f"must be 1 to {MAX_MOVES} moves")
        if count > SHORT_LINE or request.include_steps:
            return self._apply_long(position, previous, request)
        try:
            if count == 1:
                # Nearly all calls play one move: avoid the generator and the list.
                last = self._use_cases.play_one(position, read_move(moves[0])).after
            else:
                last = list(self._use_cases.play(position, map(read_move, moves)))[-1].after
        except TablierError as error:
            raise error.in_language(wanted_language(request.language)) from None
        line_fields = self._write_line(last, match, token)
        return line_fields + write_previous(previous) if previous else line_fields

    def DescribeState(self, request: pb.DescribeStateRequest) -> bytes:  # noqa: N802
        """Describe what a viewer may know."""
        match = request.match
        position, previous = self._use_cases.open(request.state, match)
        viewer = self._use_cases.viewer(position, seat_of(request))
        situation = write_field(DESCRIPTION["situation"], SITUATIONS.write(position))
        written = situation + write_field(DESCRIPTION["view"], write_view(position, viewer))
        if viewer != REFEREE:
            # It names no previous token: that would be more than the seat knows.
            token = self._use_cases.tokens.write(position.view_of(viewer), match)
            written += write_field(DESCRIPTION["view_token"], token)
        if request.include_observation:
            written += write_field(DESCRIPTION["observation"], write_observation(position, viewer))
        if previous:
            written += write_field(DESCRIPTION["previous"], previous)
        return written

    def ReplayGame(self, request: pb.ReplayGameRequest) -> Work[bytes]:  # noqa: N802
        """Play a whole game again."""
        has_views = request.HasField("viewer")
        viewer = request.viewer if has_views else REFEREE
        maximum = MAX_VIEWS if has_views or request.include_transcript else MAX_REPLAY
        game = self._use_cases.game(request.game)
        # Read once: it may have a megabyte.
        text = request.record
        record = (yield from read_replayed(request, text, game)) if text else None
        if len(record.moves if record else request.moves) > maximum:
            raise InvalidField("moves", f"must be at most {maximum} moves")
        options = record.options if record else read_options(request.options)
        first = start(game, options, seed_of(record) if record else request.seed)
        first.check_viewer(viewer, "viewer")
        size = AnswerSize(self._max_answer_bytes)
        if viewer != REFEREE:
            line, line_fields = yield from self._play_seen(first, viewer, request, record, size)
        else:
            if has_views:
                self._use_cases.check_referee(first.game, "viewer")
            if request.include_transcript:
                self._use_cases.check_referee(first.game, "include_transcript")
            moves = self._replay(first, request, record)
            line, line_fields = yield from self._play_long(first, b"", request, moves, viewer, size)
            if record:
                yield from check_variations(self._use_cases, first, line, record)
        if record:
            check_outcome(line[-1].after if line else first, record)
        # The fields in the order of their numbers.
        fields = [line_fields]
        if request.include_transcript:
            language = wanted_language(request.language)
            transcript = yield from write_transcript(first, line, viewer, language, size)
            fields.append(write_field(REPLAY["transcript"], transcript.encode()))
        if has_views:
            for position in (first, *(played.after for played in line)):
                fields.append(write_field(REPLAY["views"], write_view(position, viewer)))
                size.add(len(fields[-1]))
                yield
        if request.include_record:
            given = record or Record(game.name, game.rules_version, (), options, request.seed)
            written = yield from write_replayed(given, first, line, viewer, size)
            fields.append(write_field(REPLAY["record"], written.encode()))
        return b"".join(fields)

    def RenderState(  # noqa: N802
        self, request: pb.RenderStateRequest
    ) -> bytes | Callable[[Cancel], pb.RenderStateResponse]:
        """Draw what a viewer sees."""
        position, _ = self._use_cases.open(request.state, request.match)
        return draw(position, self._use_cases.viewer(position, seat_of(request)), request)

    def Batch(self, request: pb.BatchRequest) -> Work[bytes]:  # noqa: N802
        """Carry out many operations, each with its own outcome."""
        return self._operate(request, pb.BatchResponse.RESULTS_FIELD_NUMBER)

    def Play(self, request: pb.PlayRequest) -> Work[bytes]:  # noqa: N802
        """Carry out one message of a stream of operations."""
        return self._operate(request, pb.PlayResponse.RESULTS_FIELD_NUMBER)

    def _operate(self, request: pb.BatchRequest | pb.PlayRequest, field: int) -> Work[bytes]:
        """Carry out operations; `field` is the number of the repeated field for their results."""
        operations, language = request.operations, request.language
        if not 1 <= len(operations) <= MAX_OPERATIONS:
            raise InvalidField("operations", f"must be 1 to {MAX_OPERATIONS} operations")
        if len(operations) > 1:
            # The lifecycle of the call has counted the first.
            CALLER.get().quotas.count(len(operations) - 1)
        results: list[bytes] = []
        size, limit = 0, self._max_answer_bytes
        # A slice is a list: iterating over a repeated field itself costs an IndexError at its end.
        for operation in operations[:]:
            if results:
                yield
            call = operation.WhichOneof("call")
            try:
                if call is None:
                    raise InvalidField("call", "an operation must contain a call")
                handler, number, has_words = self._operations[call]
                asked = getattr(operation, call)
                answer = handler(prefer(asked, language) if has_words else asked)
                if isinstance(answer, GeneratorType):
                    answer = yield from answer
                elif callable(answer):
                    raise InvalidField("format", "PNG is only available in single calls")
            except TablierError as error:
                # A failed operation must not fail the others.
                number, answer = pb.OperationResult.ERROR_FIELD_NUMBER, status_of(error)
            # Pictures are large, so an answer is only copied when all are joined.
            content = wire_of(answer)
            head = write_head(number, len(content))
            name = write_number(pb.OperationResult.ID_FIELD_NUMBER, operation.id)
            length = len(head) + len(content) + len(name)
            results += write_head(field, length), head, content, name
            size += length
            if size > limit:
                raise AnswerTooLarge.of(limit)
        return b"".join(results)

    def _apply_long(
        self, position: Position, previous: bytes, request: pb.ApplyMovesRequest
    ) -> Work[bytes]:
        size = AnswerSize(self._max_answer_bytes)
        viewer = request.viewer if request.HasField("viewer") else REFEREE
        position.check_viewer(viewer, "viewer")
        if request.include_words and viewer == REFEREE:
            self._use_cases.check_referee(position.game, "viewer")
        token, moves = request.state, self._use_cases.play(position, map(read_move, request.moves))
        _, line_fields = yield from self._play_long(position, token, request, moves, viewer, size)
        return line_fields + write_previous(previous) if previous else line_fields

    def _play_long(
        self,
        first: Position,
        token: bytes,
        request: pb.ApplyMovesRequest | pb.ReplayGameRequest,
        moves: Iterable[PlayedMove],
        viewer: int,
        size: AnswerSize,
    ) -> Work[tuple[list[PlayedMove], bytes]]:
        """Play the moves of a request; returns them, and the fields that report them.

        The words of the steps are for `viewer`.
        """
        match = checked_match(request.match)
        try:
            line = yield from collect(moves)
        except TablierError as error:
            raise error.in_language(wanted_language(request.language)) from None
        steps = []
        if request.include_steps:
            words = self._words(line, viewer, request)
            steps = yield from collect_steps(self._steps(line, match, token, words), size)
        return line, self._write_line(line[-1].after if line else first, match, token, steps)

    def _replay(
        self, first: Position, request: pb.ReplayGameRequest, record: Record | None
    ) -> Iterator[PlayedMove]:
        """Play the moves of a replay."""
        if record:
            return play_recorded(self._use_cases, first, record.moves)
        return self._use_cases.play(first, map(read_move, request.moves))

    def _play_seen(
        self,
        first: Position,
        viewer: int,
        request: pb.ReplayGameRequest,
        record: Record | None,
        size: AnswerSize,
    ) -> Work[tuple[list[PlayedMove], bytes]]:
        """Play the moves of a replay; returns them, and the fields that report them to a seat.

        These are a function of what the seat knew at each time.
        """
        match = checked_match(request.match)
        try:
            line = yield from collect(self._replay(first, request, record))
        except TablierError:
            if not first.game.has_hidden_information:
                raise
            # Which move is wrong, and why, depends on hidden information.
            message = "a move is wrong; replay the game without `viewer` to learn more"
            raise MoveIllegal("moves", message) from None
        steps = []
        if request.include_steps:
            words = self._words(line, viewer, request)
            steps = yield from collect_steps(self._seen_steps(line, viewer, match, words), size)
        last = line[-1].after if line else first
        return line, self._write_line(last.view_of(viewer), match, b"", steps)

    def _words(
        self,
        line: Sequence[PlayedMove],
        viewer: int,
        request: pb.ApplyMovesRequest | pb.ReplayGameRequest,
    ) -> Iterator[str]:
        """What a viewer saw of each move in words, if the request asks for it; otherwise empty."""
        if not request.include_words:
            return repeat("")
        language = wanted_language(request.language)
        return (played.story(viewer, language) for played in line)

    def _seen_steps(
        self, line: Sequence[PlayedMove], viewer: int, match: str, words: Iterator[str]
    ) -> Iterator[tuple[bytes, bytes]]:
        """Do the same as `_steps` for a seat."""
        for played, story in zip(line, words, strict=False):
            # A view token names no previous one.
            token = self._use_cases.tokens.write(played.after.view_of(viewer), match)
            yield token, write_step(played, token, story, viewer)

    def _steps(
        self, line: Sequence[PlayedMove], match: str, token: bytes, words: Iterator[str]
    ) -> Iterator[tuple[bytes, bytes]]:
        """The token after every move, and its entry in the field `steps`."""
        for played, story in zip(line, words, strict=False):
            # Each token names the one before it.
            token = self._use_cases.tokens.write(played.after, match, token)
            yield token, write_step(played, token, story)

    def _write_line(
        self, last: Position, match: str, token: bytes, steps: Sequence[tuple[bytes, bytes]] = ()
    ) -> bytes:
        """Write the fields in which ApplyMoves and ReplayGame report a line of moves."""
        state = steps[-1][0] if steps else self._use_cases.tokens.write(last, match, token)
        written = SITUATIONS.write_state(STATE, state, SITUATION, last)
        return b"".join((written, *(step for _, step in steps))) if steps else written


def start(game: Game, options: Mapping[str, object], seed: int) -> Position:
    """Start a game; an error names the option."""
    try:
        return game.start(options, seed)
    except OptionError as error:
        raise error.within("options") from None


def write_details(game: Game, language: str, rules: bool) -> bytes:
    """Write the answer of GetGame: a game with the schema of its options."""
    details = pb.GetGameResponse(game=write_game(game, language))
    schema = game.options.translate(catalogue(language))
    details.game.options_schema.CopyFrom(write_struct(schema))
    if rules:
        details.rules = text_page(game, language)
    if language != ENGLISH:
        details.language = language
    return wire_of(details)


def collect_steps(
    steps: Iterable[tuple[bytes, bytes]], size: AnswerSize
) -> Work[list[tuple[bytes, bytes]]]:
    """Collect the tokens and entries of steps, up to the limit for answers."""
    collected = []
    for token, entry in steps:
        collected.append((token, entry))
        size.add(len(entry))
        yield
    return collected


def write_step(played: PlayedMove, token: bytes, words: str, viewer: int = REFEREE) -> bytes:
    """Write an entry of `steps`: a move that was played, and the token of the state after it."""
    step = pb.Step()
    if played.is_known_to(viewer):
        step.move.CopyFrom(write_move(played.after.game, played.seat, played.action))
    state = SITUATIONS.write_state(
        STEP_FIELDS["state"], token, STEP_FIELDS["situation"], played.after
    )
    story = write_field(STEP_FIELDS["words"], words.encode()) if words else b""
    return write_field(STEPS, step.SerializeToString() + state + story)


def write_previous(previous: bytes) -> bytes:
    """Write the last field of the answer of ApplyMoves."""
    return write_field(LINE_FIELDS["previous"], previous)
