"""One game of a match: seats, deals, results and what players see."""

from collections.abc import Iterator, Sequence
from random import Random

import pytest
from tablier_cli.matches.games import (
    BadMove,
    Match,
    deal,
    fill_seats,
    play_game,
    seating,
    seats_of,
)
from tablier_cli.matches.players import Budget
from tablier_core.position import Position
from tablier_core.registry import GAMES

BUDGET = Budget(iterations=10)
Seen = list[tuple[int, Position]]
# Players are found by the name of their function, so the spy has nowhere else to write.
_seen: Seen = []


@pytest.fixture
def seen() -> Iterator[Seen]:
    """The seats and positions that the spy got in this test."""
    _seen.clear()
    yield _seen
    _seen.clear()


def spy(position: Position, seat: int, rng: Random) -> int:
    """Play any move and record the position."""
    _seen.append((seat, position))
    return rng.choice(position.moves(seat))


def cheat(position: Position, seat: int, rng: Random) -> int:
    """Play an illegal move."""
    return position.game.num_actions


def make(
    players: Sequence[str], *, game: str = "contigo-alignment", rotating: bool = True
) -> Match:
    return Match(game, {}, tuple(players), BUDGET, 100, rotating)


def test_players_play_each_deal_from_every_seat() -> None:
    match = make(["a", "b", "c"])
    played = [(deal(match, number), seating(match, number)) for number in range(6)]
    assert played[:3] == [(100, [0, 1, 2]), (100, [1, 2, 0]), (100, [2, 0, 1])]
    assert [seed for seed, _ in played[3:]] == [101] * 3


def test_with_fixed_seats_every_game_has_its_own_deal() -> None:
    match = make(["a", "b"], rotating=False)
    assert [(deal(match, n), seating(match, n)) for n in (0, 1)] == [(100, [0, 1]), (101, [0, 1])]


def test_a_game_depends_only_on_the_match_and_its_number() -> None:
    match = make(["random", "random"])
    again = play_game(match, 1)
    first = play_game(match, 1)
    assert (first.returns, first.moves) == (again.returns, again.moves)


def test_returns_belong_to_players_and_not_to_seats() -> None:
    # The advisor beats random moves from either seat.
    match = make(["random", "best@200it"])
    for number in (0, 1):
        assert play_game(match, number).returns == (-1.0, 1.0)


@pytest.mark.parametrize("game", ["contract", "contrat500", "mafia-de-cuba"])
def test_players_see_only_what_their_seat_knows(game: str, seen: Seen) -> None:
    seats = seats_of(game, {})
    play_game(make(fill_seats([f"{__name__}:spy"], seats), game=game), 0)
    assert seen
    for seat, shown in seen:
        assert shown.viewer == seat
    # The position is drawn from the seat's knowledge, so it equals the view of the true state.
    start = GAMES[game].start({}, 100)
    assert seen[0][1].pack() == start.view_of(seen[0][0]).pack()


def test_an_illegal_move_ends_the_match() -> None:
    with pytest.raises(BadMove, match="cheat at seat"):
        play_game(make([f"{__name__}:cheat", "random"]), 0)


def test_the_last_player_takes_all_remaining_seats() -> None:
    assert fill_seats(["a", "b"], 4) == ("a", "b", "b", "b")
    with pytest.raises(ValueError, match="2 seats"):
        fill_seats(["a", "b", "c"], 2)
