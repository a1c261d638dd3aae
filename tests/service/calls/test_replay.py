"""ReplayGame for a seat: nothing in the answer depends on what the seat could not know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.errors import MoveIllegal, TablierError
from tablier_core.position import Game, Position
from tablier_core.registry import GAMES
from tablier_service.calls.slices import run_all
from tablier_service.calls.use_cases import PlayedMove
from tablier_service.errors import status_of
from tablier_service.service import Service

from tests.core import laws
from tests.core.variants import VARIANTS
from tests.service.assembly import Ask

HIDDEN = sorted(name for name, game in GAMES.items() if game.has_hidden_information)

every_game = pytest.mark.parametrize("name", sorted(GAMES))
every_hidden_game = pytest.mark.parametrize("name", HIDDEN)


def line_of(name: str, seed: int, limit: int) -> list[laws.Step]:
    """The first moves of a random game."""
    return list(laws.play(GAMES[name], {}, seed))[:limit]


def replay_of(name: str, seed: int, line: Iterable[laws.Step], **fields: Any) -> Any:
    """A request for everything that a replay can contain."""
    return pb.ReplayGameRequest(
        game=name,
        seed=seed,
        moves=[game_pb2.Move(seat=step.seat, action=step.action) for step in line],
        include_steps=True,
        include_transcript=True,
        **fields,
    )


@every_game
def test_a_seat_gets_its_view_tokens_drawings_and_own_moves(name: str, ask: Ask):
    game, line = GAMES[name], line_of(name, 3, limit=40)
    for viewer in range(line[0].before.seats):
        replayed = ask(replay_of(name, 3, line, viewer=viewer))
        described = [
            ask(pb.DescribeStateRequest(state=codec.encode(step.after), seat=viewer))
            for step in line
        ]
        assert replayed.state == described[-1].view_token
        assert replayed.situation == described[-1].situation
        assert [step.state for step in replayed.steps] == [each.view_token for each in described]
        assert [step.situation for step in replayed.steps] == [each.situation for each in described]
        assert list(replayed.views[1:]) == [each.view for each in described]
        for number, (step, seen) in enumerate(zip(line, replayed.steps, strict=True), start=1):
            public = step.seat == viewer or game.is_public(step.action)
            words = step.before.story(step.after, step.seat, step.action, viewer)
            text = f"{number}. {words} ({game.write_move(step.action)})\n"
            assert seen.HasField("move") == public
            assert (text in replayed.transcript) == public
            assert step.after.draw_text(viewer) in replayed.transcript
            if public:
                assert (seen.move.seat, seen.move.action) == (step.seat, step.action)


@every_hidden_game
def test_the_whole_answer_depends_only_on_what_the_seat_knew(
    name: str, service: Service, monkeypatch: pytest.MonkeyPatch
):
    """Byte for byte: every state is replaced by a world of the seat, and every move by another that
    the seat cannot distinguish from it.
    """
    differing = check_answers(GAMES[name], service, monkeypatch)
    # Contrat 500 hides tiles, but no moves.
    assert differing > 0 or name == "contrat500"


def test_detects_a_planted_leak(service: Service, monkeypatch: pytest.MonkeyPatch):
    for leak in (
        "tablier_service.calls.use_cases.PlayedMove.is_known_to",
        "tablier_service.calls.records.start_of",
    ):
        with monkeypatch.context() as planted:
            planted.setattr(leak, leak_all)
            with pytest.raises(AssertionError):
                check_answers(GAMES["contract"], service, planted)


def leak_all(*known: object) -> object:
    """Show every move to every seat; in place of the start, something about the first state."""
    first = known[0]
    return first.infoset(-1) % 2**32 if isinstance(first, Position) else True


def check_answers(game: Game, service: Service, monkeypatch: pytest.MonkeyPatch) -> int:
    """Check the law for a game, and return how many moves were replaced by others."""
    handler = service.method("ReplayGame").handler
    differing = 0
    for seed in range(3):
        whole = list(laws.play(game, VARIANTS[game.name][0], seed))
        # Including the end, where games may reveal something.
        for line in (whole[:30], whole[-30:]):
            for viewer in range(line[0].before.seats):
                answers = set()
                for first, played in (
                    (
                        line[0].before,
                        [PlayedMove(s.seat, s.action, s.after, s.before) for s in line],
                    ),
                    (
                        line[0].before.determinize(viewer, 99),
                        [look_alike(step, viewer, seed) for step in line],
                    ),
                ):
                    differing += sum(
                        (move.seat, move.action) != (step.seat, step.action)
                        for move, step in zip(played, line, strict=True)
                    )
                    plant(monkeypatch, first, played)
                    request = replay_of(
                        game.name,
                        seed,
                        line,
                        viewer=viewer,
                        include_record=True,
                        include_words=True,
                    )
                    answers.add(run_all(handler(request)))
                assert len(answers) == 1
    return differing


def look_alike(step: laws.Step, viewer: int, seed: int) -> PlayedMove:
    """A move that the viewer cannot distinguish from this one, in a world of the viewer."""
    world = step.after.determinize(viewer, 99)
    found = PlayedMove(step.seat, step.action, world, step.before.determinize(viewer, 99))
    before = step.before.determinize(viewer, seed)
    alike = laws.look_alikes(step, viewer, seed)
    return next((PlayedMove(*each, before) for each in alike), found)


def plant(monkeypatch: pytest.MonkeyPatch, first: Position, line: list[PlayedMove]) -> None:
    """Let every game begin with this position and go on with this line."""

    def play(*_: object) -> Iterator[PlayedMove]:
        yield from line

    def start(*_: object) -> Position:
        return first

    monkeypatch.setattr("tablier_service.calls.servicer.start", start)
    monkeypatch.setattr("tablier_service.calls.use_cases.UseCases.play", play)


@every_hidden_game
def test_sealed_replays_for_a_seat_contain_only_its_views(
    name: str, ask_sealed: Ask, sealed_service: Service
):
    line = line_of(name, 3, limit=6)
    replayed = ask_sealed(replay_of(name, 3, line, viewer=1, match="A"))
    for step, seen in zip(line, replayed.steps, strict=True):
        opened = sealed_service.tokens.open(seen.state, "A")
        # It names no predecessor.
        assert opened == (step.after.view_of(1), b"")
    assert sealed_service.tokens.open(replayed.state, "A") == (line[-1].after.view_of(1), b"")


def wrong_moves(game: Game, line: list[laws.Step]) -> Iterator[game_pb2.Move]:
    """Moves that fail for every reason there is."""
    last = line[-1]
    illegal = next(a for a in range(game.num_actions) if a not in last.before.moves(last.seat))
    yield game_pb2.Move(seat=last.seat, action=illegal)
    yield game_pb2.Move(seat=last.seat, notation="nonsense")
    yield game_pb2.Move(seat=last.before.seats, action=0)
    yield game_pb2.Move()


@every_hidden_game
def test_an_error_does_not_tell_a_seat_which_move_is_wrong(name: str, ask: Ask):
    found = set()
    for length in (3, 5):
        line = line_of(name, 4, limit=length)
        for wrong in wrong_moves(GAMES[name], line):
            request = replay_of(name, 4, line, viewer=0)
            request.moves[-1].CopyFrom(wrong)
            with pytest.raises(MoveIllegal) as failure:
                ask(request)
            assert failure.value.__cause__ is None
            found.add(status_of(failure.value).SerializeToString(deterministic=True))
            # The host can ask for the details.
            request.ClearField("viewer")
            with pytest.raises(TablierError) as detailed:
                ask(request)
            assert detailed.value.field.startswith(f"moves[{length - 1}]")
    assert len(found) == 1


def test_an_error_names_the_move_if_nothing_is_hidden(ask: Ask):
    request = replay_of("contigo-alignment", 4, line_of("contigo-alignment", 4, 3), viewer=0)
    request.moves[1].CopyFrom(game_pb2.Move(notation="nonsense"))
    with pytest.raises(TablierError) as failure:
        ask(request)
    assert failure.value.field == "moves[1].notation"
