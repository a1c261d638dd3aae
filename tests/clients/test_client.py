"""The synchronous client with a real service."""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Final

import pytest
from tablier_client import Client, Game, Move, State, TablierError
from tablier_client.errors import GameOver, InvalidField, UnparsableMove, WrongSeat

GAME: Final = "contigo-alignment"


@pytest.fixture
def client(address: str) -> Iterator[Client]:
    with Client(address) as client:
        yield client


def test_every_game_can_be_played_to_the_end(client: Client) -> None:
    chance = random.Random(5)
    games = client.games()
    assert GAME in [game.name for game in games]
    for game in games:
        state = client.start(game.name, seed=5)
        while not state.over:
            state = state.play(chance.choice(state.moves()))
        assert (state.phase, state.actors) == ("over", ())
        assert len(state.returns) == len(state.scores) == state.seats
        assert state.moves() == []


def test_a_started_game_knows_its_seed(client: Client) -> None:
    state = client.start(GAME)
    assert client.start(GAME, seed=state.seed) == state
    assert state.play(state.moves()[0]).seed == state.seed
    assert client.state(state.token).seed is None


def test_options_are_keywords(client: Client) -> None:
    basic = client.start(GAME, seed=1, first=0)
    advanced = client.start(GAME, seed=1, first=0, advanced=True, beads=[1] * 28, turn_limit=3)
    view = advanced.view().contigo_alignment
    assert (view.advanced, list(view.beads), view.turn_limit) == (True, [1] * 28, 3)
    assert basic.view().contigo_alignment.advanced is False


def test_listed_moves_have_all_fields_and_can_be_played(client: Client) -> None:
    state = client.start(GAME, seed=1, first=1)
    moves = state.moves()
    assert len(moves) == state.count_moves() == 12
    assert {move.seat for move in moves} == {1}
    assert state.moves(0) == []
    for move in moves:
        alone = Move("", seat=1, action=move.action)
        assert state.play(move) == state.play(move.notation) == state.play(alone)


def test_plays_several_moves_in_one_call(client: Client) -> None:
    state = client.start(GAME, seed=7, first=0)
    after = state.play("a6-a4", "13+1.1")
    assert state.play("a6-a4").play("13+1.1") == after
    first, second = state.steps("a6-a4", "13+1.1")
    assert (first.move.notation, first.move.seat, second.state) == ("a6-a4", 0, after)
    assert (state.ply, first.state.ply, second.state.ply) == (0, 1, 2)


def test_a_view_token_is_a_state(client: Client) -> None:
    state = client.start(GAME, seed=7, first=0)
    mine = client.state(state.view_token(0))
    assert mine.actors == state.actors
    assert mine.moves() == state.moves(0)
    assert mine.token != state.token


def test_draws_text_and_svg(client: Client) -> None:
    state = client.start(GAME, seed=7)
    assert state.svg().startswith("<svg")
    assert state.png(width=200).startswith(b"\x89PNG")
    assert "a  b  c  d  e  f" in state.draw(1)


def test_replay_returns_what_was_requested(client: Client) -> None:
    state = client.start(GAME, seed=7, first=0)
    line: list[Move | str] = ["a6-a4", Move("13+1.1", seat=0)]
    short = client.replay(GAME, line, seed=7, first=0)
    assert (short.state, short.steps, short.transcript) == (state.play(*line), [], "")
    full = client.replay(GAME, line, seed=7, first=0, steps=True, transcript=True)
    assert [tuple(step) for step in full.steps] == [tuple(step) for step in state.steps(*line)]
    assert "a6-a4" in full.transcript


def test_a_replay_for_a_seat_contains_only_what_it_knew(client: Client) -> None:
    state = client.start("contrast", seed=7, seats=3)
    line = [state.moves(seat)[0] for seat in range(2)]
    for viewer in range(2):
        replay = client.replay(
            "contrast", line, seed=7, seats=3, steps=True, transcript=True, viewer=viewer
        )
        states = [step.state for step in state.steps(*line)]
        assert [step.state.token for step in replay.steps] == [
            each.view_token(viewer) for each in states
        ]
        assert replay.state == replay.steps[-1].state
        assert [each.seed for each in (replay.state, *(s.state for s in replay.steps))] == [
            None
        ] * 3
        own = [step.move for step in replay.steps if step.move is not None]
        assert own == [line[viewer]]
        assert states[1].draw(viewer) in replay.transcript
        assert replay.views[2] == states[1].view(viewer)


def test_a_batch_returns_results_and_exceptions_in_order(client: Client) -> None:
    state = client.start(GAME, seed=7, first=0)
    calls = client.calls
    played, failed, count, game = client.batch(
        [
            calls.play(state, "a6-a4"),
            calls.play(state, "nonsense"),
            calls.count_moves(state),
            calls.game(GAME),
        ]
    )
    assert isinstance(played, State)
    assert played == state.play("a6-a4")
    assert played.play("13+1.1").ply == 2
    assert isinstance(failed, UnparsableMove)
    assert isinstance(failed, TablierError)
    assert failed.field == "moves[0].notation"
    assert count == 12
    assert isinstance(game, Game)
    assert game.name == GAME


def test_rejects_calls_that_cannot_be_in_a_batch(client: Client) -> None:
    state = client.start(GAME)
    with pytest.raises(InvalidField, match="ListGames cannot be part of a batch") as caught:
        client.batch([client.calls.game(GAME), client.calls.games()])
    assert caught.value.field == "calls[1]"
    with pytest.raises(InvalidField, match="SuggestMoves cannot be part of a batch"):
        client.batch([client.calls.suggest(state)])


def test_advice_equals_that_of_the_core(client: Client) -> None:
    state = client.start(GAME, seed=7, first=0)
    # Imported here because the other tests of clients do without the core.
    from tablier_core.advice import advise
    from tablier_core.registry import GAMES

    position = GAMES[GAME].start({"first": 0}, 7)
    report = advise(position, 0, iterations=400, seed=3)
    advice = state.suggest(iterations=400, seed=3)
    assert (advice.iterations, advice.stopped) == (400, "iterations")
    # Without a clock, the advice is the same on every machine.
    assert advice.milliseconds == 0
    assert advice == state.suggest(iterations=400, seed=3)
    assert len(advice.suggestions) == 5
    legal = state.moves()
    for found, expected in zip(advice.suggestions, report.suggestions, strict=False):
        assert found.move in legal
        assert found.move.action == expected.action
        assert (found.visits, found.values, found.spread) == (
            expected.visits,
            expected.values,
            expected.spread,
        )
        assert [(move.seat, move.action) for move in found.line] == [*expected.line]
        assert state.play(*found.line).ply == len(found.line)


def test_advice_stays_within_its_limits(client: Client) -> None:
    state = client.start(GAME, seed=7, first=0)
    timed = state.suggest(milliseconds=20, limit=3)
    assert timed.stopped == "time"
    assert 1 <= len(timed.suggestions) <= 3
    # Slightly less than the budget, which includes network time.
    assert 10 <= timed.milliseconds < 2000
    assert len(state.suggest(iterations=100, limit=100).suggestions) == state.count_moves()


def test_a_view_token_gets_the_same_advice_as_the_true_state(client: Client) -> None:
    state = client.start(GAME, seed=7, first=1)
    mine = client.state(state.view_token(1))
    assert (
        mine.suggest(iterations=200, seed=1).suggestions
        == state.suggest(1, iterations=200, seed=1).suggestions
    )


def test_reports_of_an_analysis_have_more_and_more_iterations(client: Client) -> None:
    state = client.start(GAME, seed=7, first=0)
    analysis = state.analyze(interval=10, seed=3, limit=2)
    reports = list(islice(analysis, 3))
    analysis.close()  # type: ignore[attr-defined]
    counts = [report.iterations for report in reports]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    assert {report.stopped for report in reports} == {"unspecified"}
    assert all(1 <= len(report.suggestions) <= 2 for report in reports)
    # A busy machine may have time for one report only.
    *_, last = state.analyze(milliseconds=50, interval=10, seed=3)
    assert last.stopped == "time"
    # With the same iterations, the last report equals the advice of `suggest`.
    *_, last = state.analyze(iterations=400, interval=10, seed=3)
    assert last.stopped == "iterations"
    assert last.suggestions == state.suggest(iterations=400, seed=3).suggestions


def test_closing_an_analysis_ends_it(client: Client) -> None:
    state = client.start(GAME, seed=7, first=0)
    # More than the service can run at once, so each must end when it is closed.
    for _ in range(40):
        reports = state.analyze(interval=10, timeout=20)
        assert next(reports).iterations > 0
        reports.close()  # type: ignore[attr-defined]


def test_simulates_games(client: Client) -> None:
    state = client.start(GAME, seed=7, first=0)
    found = state.simulate(6, levels=[2, 0], seed=1, sample=True)
    assert found == state.simulate(6, levels=[2, 0], seed=1, sample=True)
    assert found.games == 6
    assert found.outcomes[0].wins > found.outcomes[1].wins
    assert [sum(outcome.histogram) for outcome in found.outcomes] == [6, 6]
    assert found.shortest <= found.mean_length <= found.longest
    assert state.play(*found.sample).over
    with pytest.raises(InvalidField) as caught:
        state.simulate(levels=[11])
    assert caught.value.field == "levels"


def test_rejects_advice_for_a_seat_that_is_not_to_move(client: Client) -> None:
    state = client.start(GAME, seed=7, first=0)
    with pytest.raises(WrongSeat) as caught:
        state.suggest(1, iterations=10)
    assert caught.value.field == "seat"
    over = client.start(GAME, seed=7, first=0, turn_limit=1).play("a6-a4", "13+1.1")
    with pytest.raises(GameOver):
        over.suggest(iterations=10)


def test_rejects_too_large_requests(client: Client) -> None:
    state = client.start(GAME, seed=7)
    with pytest.raises(InvalidField) as caught:
        state.suggest(milliseconds=10_000_000, timeout=5)
    assert caught.value.field == "budget.milliseconds"
