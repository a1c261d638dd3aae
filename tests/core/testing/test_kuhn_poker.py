"""Kuhn poker: all six deals, all five sequences of moves, and what each seat knows."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from tablier_core.errors import TokenInvalid
from tablier_core.position import Position
from tablier_core.testing.games import KUHN_POKER
from tablier_core.testing.perft import perft

DEALS = list(permutations(range(3), 2))
# Sequences that end the game: the seat that folded, and the chips at stake.
ENDS = {
    "pass pass": (None, 1),
    "pass bet pass": (0, 1),
    "pass bet bet": (None, 2),
    "bet pass": (1, 1),
    "bet bet": (None, 2),
}


def deal(cards: tuple[int, int], said: str = "") -> Position:
    position = KUHN_POKER.unpack(bytes([*cards, 1]))
    for word in said.split():
        position = position.apply(position.actors[0], KUHN_POKER.read_move(word))
    return position


def prefixes() -> list[str]:
    """Return every possible sequence of moves, complete or not."""
    found = {" ".join(said.split()[:n]) for said in ENDS for n in range(len(said.split()) + 1)}
    return sorted(found)


def test_every_deal_is_equally_likely():
    games = 6000
    counts = dict.fromkeys(DEALS, 0)
    for seed in range(games):
        first, second, said = KUHN_POKER.start({}, seed).pack()
        assert said == 1
        counts[first, second] += 1
    expected = games / 6
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 20.5  # 0.1 %


@pytest.mark.parametrize("cards", DEALS)
def test_counts_of_move_sequences_match(cards):
    assert [perft(deal(cards), depth) for depth in range(5)] == [1, 2, 4, 2, 0]


@pytest.mark.parametrize("cards", DEALS)
@pytest.mark.parametrize("said", ENDS)
def test_the_right_seat_wins_the_right_number_of_chips(cards, said):
    gave_up, chips = ENDS[said]
    higher = 0 if cards[0] > cards[1] else 1
    winner = higher if gave_up is None else 1 - gave_up
    end = deal(cards, said)
    assert end.over
    assert end.scores == ([chips, -chips] if winner == 0 else [-chips, chips])
    assert end.returns == [score / 2 for score in end.scores]


def test_seats_act_in_turn():
    assert [deal((0, 1), said).actors for said in ("", "pass", "bet", "pass bet")] == [
        [0], [1], [1], [0],
    ]  # fmt: skip


@pytest.mark.parametrize("cards", DEALS)
@pytest.mark.parametrize("said", prefixes())
@pytest.mark.parametrize("viewer", [0, 1])
def test_determinize_draws_the_cards_that_the_viewer_cannot_rule_out(cards, said, viewer):
    position = deal(cards, said)
    worlds = [position.determinize(viewer, seed) for seed in range(40)]
    believed = {world.pack()[1 - viewer] for world in worlds}
    compared = position.over and ENDS[said][0] is None
    assert believed == ({cards[1 - viewer]} if compared else {0, 1, 2} - {cards[viewer]})
    for world in worlds:
        assert world.pack()[viewer] == cards[viewer]
        assert world.infoset(viewer) == position.infoset(viewer)
        assert world.observe(viewer) == position.observe(viewer)
        assert world.actors == position.actors
        assert world.determinize(viewer, 99) == position.determinize(viewer, 99)
    assert position.determinize(-1, 5) == position


def test_infosets_differ_exactly_where_views_differ():
    by_viewer = {}
    for viewer in (-1, 0, 1):
        seen = {
            (position.infoset(viewer), repr(position.observe(viewer)))
            for cards in DEALS
            for position in (deal(cards, said) for said in prefixes())
        }
        assert len({infoset for infoset, _ in seen}) == len(seen)
        assert len({view for _, view in seen}) == len(seen)
        by_viewer[viewer] = {infoset for infoset, _ in seen}
    assert not by_viewer[0] & by_viewer[1]
    deciding = {
        (seat, position.infoset(seat))
        for cards in DEALS
        for position in (deal(cards, said) for said in prefixes())
        for seat in position.actors
    }
    assert len(deciding) == 12  # the number in the literature: six per seat


def test_unpack_accepts_exactly_the_reachable_states():
    accepted = set()
    for first, second, said in product(range(5), range(5), range(256)):
        data = bytes([first, second, said])
        try:
            position = KUHN_POKER.unpack(data)
        except TokenInvalid:
            continue
        assert position.pack() == data
        accepted.add(data)
    assert accepted == {deal(cards, said).pack() for cards in DEALS for said in prefixes()}


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"\0\1", "length"),
        (b"\0\1\1\0", "length"),
        (b"\3\1\1", "cards"),
        (b"\1\1\1", "cards"),
        (b"\0\1\0", "talk"),
        (b"\0\1\x08", "talk"),
    ],
)
def test_unpack_names_the_fault(data, fault):
    with pytest.raises(TokenInvalid, match=fault):
        KUHN_POKER.unpack(data)


def test_drawings_hide_the_other_card():
    position = deal((2, 0), "pass bet")
    assert position.draw_text(-1) == "K J\npass, bet"
    assert position.draw_text(1) == "? J\npass, bet"
    assert "K" not in position.draw_svg(1)
    assert deal((2, 0), "pass bet bet").draw_text(1) == "K J\npass, bet, bet: seat 0 wins 2"
