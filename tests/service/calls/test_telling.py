"""Moves in words and as paths, reasons, looks of drawings, and bots, as the calls return them."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tablier.v1 import advisor_service_pb2 as advisor
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.drawing import DARK, Look
from tablier_core.errors import MoveIllegal, TablierError, ViewToken
from tablier_core.languages import catalogue
from tablier_core.position import REFEREE, Position
from tablier_core.registry import GAMES
from tablier_service.calls.slices import run_slice
from tablier_service.calls.telling import DESCRIBED_AT_ONCE
from tablier_service.errors import AnswerTooLarge, InvalidField, PermissionDenied
from tablier_service.service import Service

from tests.core import laws
from tests.service.assembly import SEAL_KEYS, Ask, Assemble

every_game = pytest.mark.parametrize("name", sorted(GAMES))
FRENCH = catalogue("fr")


def played(name: str, moves: int, seed: int = 3, **options: object) -> Position:
    """The position after some random moves."""
    chance = random.Random(seed)
    position = GAMES[name].start(options, seed)
    for _ in range(moves):
        seat = chance.choice(position.actors)
        position = position.apply(seat, chance.choice(position.moves(seat)))
    return position


def listed(ask: Ask, position: Position, **fields: Any) -> pb.EnumerateMovesResponse:
    answer = ask(pb.EnumerateMovesRequest(state=codec.encode(position), **fields))
    assert isinstance(answer, pb.EnumerateMovesResponse)
    return answer


@every_game
def test_lists_words_and_paths_on_request(name: str, ask: Ask):
    position = played(name, 9)
    plain = listed(ask, position)
    told = listed(ask, position, detail=pb.MOVE_DETAIL_WORDS, include_paths=True, language="fr-CA")
    for without, entry in zip(plain.seats, told.seats, strict=True):
        assert not without.words
        assert not without.paths
        assert list(entry.words) == position.words(entry.seat, FRENCH)
        assert [tuple(path.parts) for path in entry.paths] == position.paths(entry.seat)
        entry.ClearField("words")
        entry.ClearField("paths")
        assert entry == without


def test_a_path_that_begins_another_needs_a_confirmation(ask: Ask):
    # A capture may go on with another one; sowing two beads may end where one bead went.
    for name in GAMES:
        for moves in range(4, 12):
            for entry in listed(ask, played(name, moves), include_paths=True).seats:
                paths = [tuple(path.parts) for path in entry.paths]
                for path, given in zip(paths, entry.paths, strict=True):
                    longer = [other for other in paths if other[: len(path)] == path != other]
                    assert given.needs_confirmation == bool(longer)


def test_yields_to_other_calls_while_it_tells_many_moves(service: Service):
    # The seed and the number of moves are those of a position with thousands of sowings.
    position = max(
        (
            played("contigo-alignment", moves, seed)
            for seed in range(3)
            for moves in range(1, 60, 2)
        ),
        key=lambda each: max(map(each.count_moves, each.actors), default=0),
    )
    (seat,) = position.actors
    assert position.count_moves(seat) > 2 * DESCRIBED_AT_ONCE
    request = pb.EnumerateMovesRequest(
        state=codec.encode(position), detail=pb.MOVE_DETAIL_WORDS, include_paths=True
    )
    work = service.method("EnumerateMoves").handler(request)
    pauses = sum(1 for _ in work)
    assert pauses > position.count_moves(seat) / DESCRIBED_AT_ONCE


def test_words_count_towards_the_size_of_an_answer(assemble: Assemble):
    service = assemble(max_response_bytes=1024)
    position = max((played("contigo-alignment", n) for n in range(1, 20)), key=longest)
    request = pb.EnumerateMovesRequest(
        state=codec.encode(position),
        detail=pb.MOVE_DETAIL_WORDS,
    )
    with pytest.raises(AnswerTooLarge):
        run_slice(service.method("EnumerateMoves").handler(request))


def longest(position: Position) -> int:
    return max(map(position.count_moves, position.actors), default=0)


@every_game
def test_steps_tell_a_viewer_what_it_saw(name: str, ask: Ask):
    steps = list(laws.play(GAMES[name], {}, 5))[:12]
    moves = [game_pb2.Move(seat=step.seat, action=step.action) for step in steps]
    for viewer in (REFEREE, 0, 1):
        answer = ask(
            pb.ApplyMovesRequest(
                state=codec.encode(steps[0].before),
                moves=moves,
                include_steps=True,
                include_words=True,
                viewer=viewer,
                language="fr",
            )
        )
        replayed = ask(
            pb.ReplayGameRequest(
                game=name,
                seed=5,
                moves=moves,
                include_steps=True,
                include_words=True,
                viewer=viewer,
                language="fr",
            )
        )
        expected = [
            step.before.story(step.after, step.seat, step.action, viewer, FRENCH) for step in steps
        ]
        assert [step.words for step in answer.steps] == expected
        assert [step.words for step in replayed.steps] == expected


def test_words_for_the_referee_are_for_referees(assemble: Assemble):
    service = assemble(seal_keys=SEAL_KEYS)
    method = service.method("ApplyMoves")
    start = service.method("StartGame").ask(pb.StartGameRequest(game="contrast", seed=3))
    request = pb.ApplyMovesRequest(
        state=start.state,  # type: ignore[attr-defined]
        moves=[game_pb2.Move(seat=0, action=GAMES["contrast"].start({}, 3).moves(0)[0])],
        include_steps=True,
        include_words=True,
    )
    with pytest.raises(PermissionDenied):
        method.ask(request)
    request.viewer = 1
    (step,) = method.ask(request).steps  # type: ignore[attr-defined]
    assert step.words == "Seat 0 chooses a symbol"


@pytest.mark.parametrize("count", [1, 2, 70])
def test_an_illegal_move_gets_its_reason_in_the_language_of_the_request(count: int, ask: Ask):
    first = GAMES["contigo-alignment"].start({"first": 0}, 7)
    line = []
    position = first
    for _ in range(count - 1):
        (seat,) = position.actors
        line.append(game_pb2.Move(action=position.moves(seat)[0]))
        position = position.apply(seat, position.moves(seat)[0])
    (seat,) = position.actors
    illegal = next(
        move for move in range(position.game.num_actions) if not position.is_legal(seat, move)
    )
    line.append(game_pb2.Move(action=illegal))
    with pytest.raises(MoveIllegal) as caught:
        ask(pb.ApplyMovesRequest(state=codec.encode(first), moves=line, language="fr"))
    assert caught.value.message == position.reason(seat, illegal, FRENCH)
    assert caught.value.field == f"moves[{count - 1}]"


def test_tells_the_lines_of_suggestions(ask: Ask):
    position = played("contigo-alignment", 6)
    request = advisor.SuggestMovesRequest(
        state=codec.encode(position),
        budget=advisor.Budget(iterations=40),
        include_words=True,
        language="fr",
    )
    for suggestion in ask(request).suggestions:
        assert 1 <= len(suggestion.words) <= len(suggestion.line)
        at = position
        for move, words in zip(suggestion.line, suggestion.words, strict=False):
            after = at.apply(move.seat, move.action)
            assert words == at.story(after, move.seat, move.action, REFEREE, FRENCH)
            at = after
    request.include_words = False
    assert not any(suggestion.words for suggestion in ask(request).suggestions)


def rendered(ask: Ask, position: Position, **fields: Any) -> str:
    return str(ask(pb.RenderStateRequest(state=codec.encode(position), **fields)).content)


def test_draws_as_requested(ask: Ask):
    position = played("contigo-alignment", 6)
    (seat,) = position.actors
    path = position.paths(seat)[0]
    starts = tuple(dict.fromkeys(path[0] for path in position.paths(seat)))
    fields: dict[str, Any] = {
        "seat": seat,
        "language": "fr",
        "theme": pb.RENDER_THEME_DARK,
        "width": 500,
        "bottom": 1,
        "mark_starts": True,
        "last_parts": ["a1", "b1"],
        "marked_parts": ["c3"],
        "arrows": [f"{path[0]}>{path[-1]}"],
    }
    look = Look(FRENCH, DARK, 500, 1, starts, ("a1", "b1"), ("c3",), ((path[0], path[-1]),))
    assert rendered(ask, position, **fields) == position.draw_svg(seat, look)
    assert rendered(ask, position, format=pb.RENDER_FORMAT_TEXT, language="fr") == (
        position.draw_text(REFEREE, FRENCH)
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("theme", 9),
        ("width", 99),
        ("width", 4001),
        ("bottom", 2),
        ("bottom", -1),
        ("last_parts", ["a1"] * 65),
        ("marked_parts", ["a" * 65]),
        ("arrows", ["a1>b1"] * 65),
        ("arrows", ["a1"]),
        ("arrows", ["a1>b1>c1"]),
    ],
)
def test_rejects_looks_that_do_not_exist(field: str, value: Any, ask: Ask):
    with pytest.raises(InvalidField) as caught:
        rendered(ask, played("contigo-alignment", 2), **{field: value})
    assert caught.value.field == field


@every_game
def test_a_bot_plays_and_tells_only_what_a_viewer_saw(name: str, ask: Ask):
    position = played(name, 8)
    seat = position.actors[0]
    for viewer in (REFEREE, *range(position.seats)):
        answer = ask(
            advisor.PlaySeatRequest(
                state=codec.encode(position), seat=seat, level=2, seed=4, viewer=viewer, max_moves=3
            )
        )
        at = position
        assert 1 <= len(answer.moves) <= 3
        actions = []
        for number, seen in enumerate(answer.moves):
            report = ask(
                advisor.SuggestMovesRequest(
                    state=codec.encode(at), seat=seat, level=2, seed=4 + number
                )
            )
            action = report.suggestions[0].move.action
            after = at.apply(seat, action)
            assert seen.words == at.story(after, seat, action, viewer)
            known = viewer in (seat, REFEREE) or at.game.is_public(action)
            assert seen.HasField("move") == known
            actions.append(action)
            at = after
        assert answer.state == codec.encode(at)
        assert answer.situation.ply == at.ply


@pytest.mark.parametrize("name", ["contrast", "mafia-de-cuba"])
def test_the_answer_for_a_viewer_does_not_depend_on_the_secret_move_of_a_bot(name: str, ask: Ask):
    """Byte for byte: the choice of a symbol, and the diamonds that the Godfather keeps."""
    position = GAMES[name].start({}, 3)
    states, told = set(), set()
    for seed in range(12):
        answer = ask(
            advisor.PlaySeatRequest(
                state=codec.encode(position), seat=0, level=1, seed=seed, viewer=1
            )
        )
        states.add(answer.state)
        answer.ClearField("state")
        told.add(answer.SerializeToString(deterministic=True))
    assert len(states) > 1
    assert len(told) == 1


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"level": 11}, InvalidField),
        ({"max_moves": 65}, InvalidField),
        ({"viewer": 9}, TablierError),
        ({"seat": 1}, TablierError),
    ],
)
def test_rejects_bots_that_cannot_play(fields: dict[str, int], error: type, ask: Ask):
    state = codec.encode(GAMES["contigo-alignment"].start({"first": 0}, 7))
    with pytest.raises(error):
        ask(advisor.PlaySeatRequest(state=state, **fields))  # type: ignore[arg-type]


def test_a_bot_cannot_play_on_a_view(ask: Ask):
    view = GAMES["contrast"].start({}, 3).view_of(1)
    with pytest.raises(ViewToken):
        ask(advisor.PlaySeatRequest(state=codec.encode(view)))
