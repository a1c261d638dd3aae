"""Contract compared with a second implementation, move by move."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier_core.games.contract.observe import Cards, View
from tablier_core.position import Position
from tablier_core.registry import GAMES
from tablier_core.testing.perft import perft

from tests.core.variants import VARIANTS, Options
from tests.reference import contract as reference

pytestmark = pytest.mark.slow

GAME = GAMES["contract"]


def cards(shown: Cards) -> list[str]:
    """Return the cards of one place as a sorted list of kinds; the referee sees them all."""
    assert shown.kinds is not None
    return by_kind(shown.kinds)


def by_kind(counts: tuple[int, ...]) -> list[str]:
    kinds = zip(reference.KINDS, counts, strict=True)
    return sorted(kind for kind, count in kinds for _ in range(count))


def deal_of(view: View) -> reference.Deal:
    """Return the deal that the second implementation starts from."""
    assert view.pile is not None
    assert view.deck is not None
    assert view.chance is not None
    laid = [place.mafioso for place in view.row] + list(view.deck)
    return reference.Deal(
        first=view.first,
        hands=[cards(seat.hand) for seat in view.seats],
        pile=list(view.pile),
        mafia=[(mafioso.family, mafioso.value or 0) for mafioso in laid],
        first_traffics={traffic.family: traffic.first for traffic in view.traffics},
        second_traffics={traffic.family: traffic.second for traffic in view.traffics},
        briefcases=[(tile.side, tile.worth) for tile in view.briefcases],
        copper_points=Fraction(view.copper_card_points),
        chance_state=view.chance,
    )


def compare_seats(view: View, game: reference.Contract) -> None:
    for number, (shown, seat) in enumerate(zip(view.seats, game.seats, strict=True)):
        assert cards(shown.hand) == sorted(seat.hand)
        assert shown.tokens == seat.tokens
        columns = {
            column.family: (sorted(column.values), sorted(column.blackmats))
            for column in shown.columns
        }
        assert columns == {
            family: (
                sorted(value for name, value in seat.cards if name == family),
                sorted(value for value, column in seat.blackmats if column == family),
            )
            for family in seat.families()
        }
        assert list(shown.waiting) == sorted(v for v, column in seat.blackmats if column is None)
        joining = game.phase == "join" and number == game.decider
        assert list(shown.joining) == (game.to_join if joining else [])
        up = [kind for kind, face_up, whose in game.discards if face_up and whose == number]
        down = [kind for kind, face_up, whose in game.discards if not face_up and whose == number]
        assert sorted(by_kind(shown.discarded_up) + ["dollar"] * shown.paid_up) == sorted(up)
        assert sorted(cards(shown.discarded_down) + cards(shown.paid_down)) == sorted(down)


def compare_row(view: View, game: reference.Contract) -> None:
    assert len(view.row) == (0 if game.phase == "over" else len(game.row))
    counting = game.counting + 1 if game.phase in ("join", "copper") else 0
    for place, shown in enumerate(view.row):
        assert (shown.mafioso.family, shown.mafioso.value) == game.row[place]
        assert shown.counted == (place < counting)
        for number, stake in enumerate(shown.stakes):
            pieces = game.here(place, number)
            down = sorted(piece.split()[1] for piece in pieces if piece.startswith("down"))
            assert cards(stake.down) == down
            assert stake.tokens == pieces.count("token")
            assert stake.contracts == pieces.count("contract")
            assert stake.dollars == pieces.count("dollar")
            assert stake.vicelard == ("vicelard" in pieces)
            assert stake.copper == ("copper" in pieces)
            assert stake.points == game.points(place, number)


def compare(position: Position, game: reference.Contract) -> list[str]:
    """Compare everything that both implementations know; return the legal moves in notation."""
    view = position.observe()
    compare_seats(view, game)
    compare_row(view, game)
    assert view.pile == tuple(game.pile)
    assert view.deck is not None
    assert [(mafioso.family, mafioso.value) for mafioso in view.deck] == game.mafia
    assert view.chance == game.chance.state
    assert sorted((m.family, m.value) for m in view.removed) == sorted(game.removed)
    assert view.vicelard_card.holder == game.vicelard_holder
    assert view.copper_card.holder == game.copper_holder
    held = {tile: n for n, seat in enumerate(game.seats) for tile in seat.briefcases}
    assert [tile.holder for tile in view.briefcases] == [
        held.get(number) for number in range(len(view.briefcases))
    ]
    assert position.phase == game.phase
    assert position.scores == game.scores()
    if game.phase == "over":
        assert position.actors == []
        assert position.returns == pytest.approx(game.returns())
        for traffic in view.traffics:
            ranked = [*game.traffic_winners(traffic.family), None, None]
            assert [traffic.first_to, traffic.second_to] == ranked[:2]
        return []
    assert (view.round, view.first, view.passes) == (game.round + 1, game.first, game.passes)
    assert (view.copper_pawn, view.vicelard_pawn) == (game.copper_pawn + 1, game.vicelard_pawn + 1)
    assert position.actors == [game.decider]
    for seat in range(position.seats):
        moves = [GAME.write_move(move) for move in position.moves(seat)]
        assert len(set(moves)) == len(moves)
        assert set(moves) == (game.legal() if seat == game.decider else set())
    return sorted(game.legal())


def choose(notations: list[str], chance: random.Random, style: str) -> str:
    """Choose a random move; styles differ in how many cards they spend."""
    wanted = {
        "even": [],
        "generous": [n for n in notations if n.split()[0] in ("on", "contract", "dollar", "down")],
        "miserly": [n for n in notations if n in ("pass", "done")],
        "chasing": [n for n in notations if n.split()[0] in ("drop", "copper-to", "vicelard-to")],
    }[style]
    return chance.choice(wanted if wanted and chance.random() < 0.8 else notations)


def play_both(options: Options, seed: int, style: str) -> int:
    """Play a whole game in both implementations; return how often discards were shuffled."""
    chance = random.Random(seed)
    position = GAME.start(options, seed)
    game = reference.Contract(deal_of(position.observe()))
    while notations := compare(position, game):
        notation = choose(notations, chance, style)
        position = position.apply(game.decider, GAME.read_move(notation))
        game.play(notation)
    assert position.over
    shuffles = position.observe().shuffles
    assert isinstance(shuffles, int)
    return shuffles


@pytest.mark.parametrize("style", ["even", "generous", "miserly", "chasing"])
@pytest.mark.parametrize("options", VARIANTS["contract"], ids=lambda o: str(o.get("seats", 3)))
@settings(max_examples=3)
@given(seed=st.integers(0, 2**32))
def test_whole_games_agree(options: Options, style: str, seed: int):
    play_both(options, seed, style)


def test_games_with_one_and_two_shuffles_agree():
    assert {play_both({"seats": 5}, seed, "miserly") for seed in range(6)} == {1, 2}
    assert play_both({"seats": 2}, 0, "generous") == 0


def test_perft_counts_agree():
    for seats in (2, 3, 4, 5):
        position = GAME.start({"seats": seats}, 7)
        deal = deal_of(position.observe())
        for depth in (1, 2, 3):
            assert perft(position, depth) == count(deal, [], depth)


def count(deal: reference.Deal, moves: list[str], depth: int) -> int:
    game = reference.Contract(deal)
    for move in moves:
        game.play(move)
    if depth == 1:
        return len(game.legal())
    return sum(count(deal, [*moves, move], depth - 1) for move in game.legal())
