"""Opponents for the Contrat 500 engine; each sees only its seat's view."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations, combinations_with_replacement
from random import Random

from tablier_core.games.contrat500.observe import View
from tablier_core.games.contrat500.settlement import contract_values
from tablier_core.position import Position

VALUES = contract_values()
Tiles = tuple[int, ...]


def choose(position: Position, seat: int, notation: str) -> int:
    """Return the legal move with this notation."""
    return position.moves(seat)[position.notations(seat).index(notation)]


def splitter(position: Position, seat: int, rng: Random) -> int:
    """Bid the most valuable split of the hand and announce at once; otherwise play as `pursuer`."""
    view: View = position.observe(seat)
    hand = view.hands[seat]
    if view.phase != "bid" or not hand:
        return pursuer(position, seat, rng)
    placed = view.contracts[seat]
    splits = {(sum(three), sum(hand) - sum(three)) for three in combinations(hand, 3)}
    if placed:
        splits = {pair for pair in splits if pair[0] == placed[0]} or splits
    best = max(splits, key=lambda pair: (VALUES[pair[0]] + VALUES[pair[1]], pair))
    bid = f"bid {best[1] if placed else best[0]}"
    return (
        choose(position, seat, bid) if bid in position.notations(seat) else position.moves(seat)[0]
    )


def exact(position: Position, seat: int, rng: Random) -> int:
    """Bid the contracts with the best exact settlement, if every seat announces when it first can.

    The first seat announces: what others pay it does not depend on its bids. A later seat expects
    that of the seats before it, and bids what it then keeps most of.
    """
    view: View = position.observe(seat)
    hand = view.hands[seat]
    if view.phase != "bid" or not hand:
        return pursuer(position, seat, rng)
    legal = {int(text.split()[1]) for text in position.notations(seat)}
    placed = view.contracts[seat]
    waits = seat != view.starter

    def settled(pair: Tiles) -> tuple[int, int]:
        """What a pair of contracts settles for, before and after those of others are made."""
        announced = VALUES[pair[0]] + VALUES[pair[1]]
        # One contract is paid, and the three other tiles are paid for.
        realised = max(
            (VALUES[one] - (sum(hand) - one) for one in pair if one in triples),
            default=-sum(hand),
        )
        return (realised, announced) if waits else (announced, realised)

    triples = {sum(three) for three in combinations(hand, 3)}
    splits = [(three, sum(hand) - three) for three in sorted(triples)]
    if placed:
        splits = [pair for pair in splits if pair[0] == placed[0]] or [
            (placed[0], other) for other in sorted(legal)
        ]
    open_splits = [pair for pair in splits if pair[bool(placed)] in legal]
    if not open_splits:
        # A contract holds three tokens at most: any other bid that a triple makes, or any at all.
        open_splits = [
            (placed[0], each) if placed else (each, each)
            for each in sorted(legal & triples or legal)
        ]
    best = max(open_splits, key=lambda pair: (settled(pair), pair))
    return choose(position, seat, f"bid {best[bool(placed)]}")


def pursuer(position: Position, seat: int, rng: Random) -> int:
    """Bid at random, then draw and discard to get closest to the contracts."""
    view: View = position.observe(seat)
    legal = position.notations(seat)
    if view.phase == "bid":
        return rng.choice(position.moves(seat))
    for done in ("announce", "void"):
        if done in legal:
            return choose(position, seat, done)
    hand, contracts = view.hands[seat], view.contracts[seat]
    assert hand is not None
    unseen = tiles_unseen(view, seat)
    if view.phase == "discard":
        thrown = max(
            sorted(set(hand)), key=lambda tile: outlook(without(hand, tile), contracts, unseen)
        )
        return choose(position, seat, f"discard {thrown}")
    if "take" in legal:
        now = outlook(hand, contracts, unseen)
        assert view.discard is not None
        seven = (*hand, view.discard)
        best = max(outlook(without(seven, tile), contracts, unseen) for tile in set(seven))
        if best[0] > now[0] or "pot" not in legal:
            return choose(position, seat, "take")
    return choose(position, seat, "pot")


def tiles_unseen(view: View, seat: int) -> Counter[int]:
    """Count the tiles of each number that are in the pot or hidden in a hand."""
    unseen = Counter(dict.fromkeys(range(1, 11), 2 * view.seats))
    unseen.subtract(view.hands[seat] or ())
    unseen.subtract(view.dead)
    if view.discard is not None:
        unseen[view.discard] -= 1
    for other, known in enumerate(view.known):
        if other != seat:
            unseen.subtract(known)
    return unseen


def without(tiles: Tiles, tile: int) -> Tiles:
    at = tiles.index(tile)
    return tiles[:at] + tiles[at + 1 :]


@cache
def makings(contracts: Tiles) -> list[Counter[int]]:
    """The hands that fulfil both contracts."""
    triples = list(combinations_with_replacement(range(1, 11), 3))
    pairs = {
        tuple(sorted(one + two))
        for one in triples
        if sum(one) == contracts[0]
        for two in triples
        if sum(two) == contracts[1]
    }
    return [Counter(pair) for pair in sorted(pairs)]


def outlook(hand: Tiles, contracts: Tiles, unseen: Counter[int]) -> tuple[int, float]:
    """Rate a hand: tiles it shares with the nearest fulfilling hand, then ways to complete it."""
    held = Counter(hand)
    most, ways = 0, 0.0
    for making in makings(contracts):
        missing = making - held
        kept = 6 - missing.total()
        if kept < most or any(unseen[tile] < n for tile, n in missing.items()):
            continue
        chance = 1.0
        for tile, n in missing.items():
            chance *= unseen[tile] ** n
        ways = chance if kept > most else ways + chance
        most = kept
    return most, ways
