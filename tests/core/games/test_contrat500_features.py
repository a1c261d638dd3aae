"""The features of Contrat 500 contain the whole view (reference: Features)."""

from __future__ import annotations

from itertools import pairwise, takewhile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier_core.games.contrat500.observe import SettledSeat, Settlement, Turn, View
from tablier_core.registry import GAMES

from tests.core import laws
from tests.core.games.numbers import Numbers, chosen, listed
from tests.core.variants import VARIANTS, Options, label

GAME = GAMES["contrat500"]
Tiles = tuple[int, ...]


def decode(numbers: Numbers) -> View:
    """Rebuild the view of a seat from its features alone."""
    seats, phase = numbers.one("seats"), numbers.phase()
    scores = numbers.by_seat(numbers.whole("scores")[:seats])
    starter = numbers.seat_at(chosen(numbers.whole("starter")), seats)
    turns = () if starter is None else decode_turns(numbers, seats, starter)
    discard = chosen(numbers.whole("discard"))
    hand = tiles(numbers.whole("hand"))
    dead = tuple(turn.discarded for turn, after in pairwise(turns) if not after.took)
    assert sorted(tile or 0 for tile in dead) == list(tiles(numbers.whole("dead")))
    return View(
        viewer=numbers.seat,
        phase=phase,
        deal=numbers.one("deal"),
        starter=starter,
        to_move=numbers.seat_at(chosen(numbers.whole("actors")[:seats]), seats),
        scores=scores,
        contracts=contracts(numbers, "contracts", seats),
        hands=tuple(hand if seat == numbers.seat else None for seat in range(seats)),
        hand_sizes=numbers.by_seat(numbers.whole("hand_sizes")[:seats]),
        known=tuple(map(tiles, numbers.by_seat(numbers.rows("known")[:seats]))),
        pot_size=numbers.one("pot"),
        pot=None,
        discard=None if discard is None else discard + 1,
        dead=tuple(tile for tile in dead if tile is not None),
        turns=turns,
        last=decode_settlement(numbers, seats) if numbers.one("last_deal") else None,
        winners=tuple(seat for seat in range(seats) if scores[seat] == max(scores))
        if phase == "over"
        else (),
        seats=seats,
        target=numbers.one("target"),
        max_deals=numbers.one("max_deals"),
        blind_bids=bool(numbers.one("blind_bids")),
        rng=None,
    )


def tiles(counts: list[int]) -> Tiles:
    """Return tiles in ascending order from their numbers of copies."""
    return tuple(tile + 1 for tile in listed(counts))


def contracts(numbers: Numbers, name: str, seats: int) -> tuple[Tiles, ...]:
    pairs = numbers.by_seat(numbers.rows(name)[:seats])
    return tuple(tuple(contract for contract in pair if contract) for pair in pairs)


def decode_turns(numbers: Numbers, seats: int, starter: int) -> tuple[Turn, ...]:
    """Rebuild the log in the order of the turns."""
    received = numbers.by_seat(numbers.rows("received")[:seats])
    discarded = numbers.by_seat(numbers.rows("discarded")[:seats])
    order = [((starter + turn) % seats, turn // seats) for turn in range(20 * seats)]
    done = len([1 for _ in takewhile(lambda at: discarded[at[0]][at[1]], order)])
    begun = done + (numbers.phase() == "discard")
    turns = []
    for number, (seat, at) in enumerate(order[:begun]):
        tile, discard = received[seat][at], discarded[seat][at]
        deciding = numbers.phase() == "announce" and number == begun - 1
        turns.append(
            Turn(
                seat=seat,
                took=tile < 0,
                received=abs(tile) or None,
                discarded=abs(discard) or None,
                asked=discard < 0,
                declined=discard < 0 and not deciding,
            )
        )
    return tuple(turns)


def decode_settlement(numbers: Numbers, seats: int) -> Settlement:
    winner = numbers.seat_at(chosen(numbers.whole("last_winner")), seats)
    assert winner is not None
    parts = zip(
        contracts(numbers, "last_contracts", seats),
        map(tiles, numbers.by_seat(numbers.rows("last_hands")[:seats])),
        *(
            numbers.by_seat(numbers.whole(f"last_{name}")[:seats])
            for name in ("realised", "before", "after")
        ),
        strict=True,
    )
    return Settlement(
        deal=numbers.one("last_deal"),
        winner=winner,
        seats=tuple(
            SettledSeat(
                contracts=bids,
                hand=hand,
                realised=bids if seat == winner else (made,) if made else (),
                before=before,
                after=after,
            )
            for seat, (bids, hand, made, before, after) in enumerate(parts)
        ),
    )


@pytest.mark.parametrize("options", VARIANTS[GAME.name], ids=label)
@settings(max_examples=3)
@given(seed=st.integers(0, 2**32))
def test_the_view_can_be_rebuilt_from_the_features(options: Options, seed: int):
    for position in laws.sample(GAME, options, seed, count=25):
        for seat in range(position.seats):
            numbers = Numbers(GAME, seat, position.features(seat))
            assert decode(numbers) == position.observe(seat)
