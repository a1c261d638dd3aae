"""Bidders for the Contract engine; each sees only its seat's view.

greedy      leads on the most valuable Mafioso that it can afford, in every turn
hoarder     bids little before the last round, and then everything
sniper      waits for others' bids, and outbids them by the least
spender     puts all that it has on the most valuable Mafioso
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tablier_core.games.contract.observe import FAMILIES, Mafioso, Place, View
from tablier_core.position import Position

# What a hidden value is worth on average, and a Blackmat compared with the first tile of a family.
HIDDEN_VALUE = 4.0
BLACKMAT = 5.0
# By piece: its points.
POINTS = {"token": 1.0, "contract": 2.0, "dollar": 1.0, "vicelard": 2.0, "copper": 1.0}
HALF = 0.5

Accepts = Callable[[View, int, Place, float, float], bool]


@dataclass(frozen=True)
class Bidder:
    """A greedy player: where it bids, and by how much it wants to lead."""

    margin: float
    # Whether to bid on a place: view, seat, place, missing points, points that it can add.
    accepts: Accepts
    moves_pawns: float = 0.0  # how often it pays for moving a pawn, if it can

    def __call__(self, position: Position, seat: int, rng: Random) -> int:
        view: View = position.observe(seat)
        legal = position.notations(seat)
        chosen = self.choose(view, seat, legal, rng)
        return position.moves(seat)[legal.index(chosen)]

    def choose(self, view: View, seat: int, legal: list[str], rng: Random) -> str:
        """Choose a move in notation."""
        if view.phase == "action":
            return self.open_action(view, seat, legal, rng)
        if view.phase == "pieces":
            return self.add_piece(view, seat, legal)
        if view.phase == "copper":
            return self.use_copper(view, seat, legal)
        if view.phase == "join":
            sizes = {column.family: sum(column.values) for column in view.seats[seat].columns}
            return max(legal, key=lambda move: sizes.get(move.split()[-1], 0))
        # Payments and pawns: a face-down card is the cheapest payment.
        return rng.choice([move for move in legal if "down" in move] or legal)

    def open_action(self, view: View, seat: int, legal: list[str], rng: Random) -> str:
        targets = [int(move.split()[1]) for move in legal if move.startswith("on ")]
        rated = [
            (worth(view, seat, view.row[place - 1]), -abs(place - view.copper_pawn), place)
            for place in targets
            if self.wants(view, seat, view.row[place - 1])
        ]
        if rated:
            return f"on {max(rated)[2]}"
        pawns = [move for move in legal if move.startswith(("copper-to", "vicelard-to"))]
        if pawns and rng.random() < self.moves_pawns:
            return rng.choice(pawns)
        if "pass" in legal:
            return "pass"
        # The first player must begin with influence.
        return f"on {max((worth(view, seat, view.row[p - 1]), p) for p in targets)[1]}"

    def wants(self, view: View, seat: int, place: Place) -> bool:
        """Whether to bid on a place: if it does not lead by enough, and can."""
        missing = lead_of_others(place, seat) + self.margin - place.stakes[seat].points
        available = can_add(view, seat, place)
        return 0 < missing <= available and self.accepts(view, seat, place, missing, available)

    def add_piece(self, view: View, seat: int, legal: list[str]) -> str:
        assert view.action is not None
        place = view.row[view.action.target - 1]
        missing = lead_of_others(place, seat) + self.margin - place.stakes[seat].points
        if "done" in legal and (missing <= 0 or len(legal) == 1):
            return "done"
        # Tokens come back after the round, but may only be placed before cards.
        cards = can_add(view, seat, place) - view.seats[seat].tokens
        for piece in ("contract", "dollar", "token", "copper", "vicelard"):
            if piece in legal and (piece != "token" or missing > cards or only_tokens(legal)):
                return piece
        for move in legal:
            if move.startswith("down"):
                return move
        return "done" if "done" in legal else legal[0]

    def use_copper(self, view: View, seat: int, legal: list[str]) -> str:
        drops = [move for move in legal if move.startswith("drop")]
        # The most valuable Mafioso of a rival, unless it is worth less than the Copper card.
        best = max(drops, key=lambda move: int(move.split()[-1]), default=None)
        return best if best is not None and int(best.split()[-1]) > 2 else legal[-1]


def only_tokens(legal: list[str]) -> bool:
    """Whether only tokens can be added."""
    return not any(move.startswith(("contract", "dollar", "down")) for move in legal)


def lead_of_others(place: Place, seat: int) -> float:
    """The most points that another seat has on a place."""
    return max(stake.points for other, stake in enumerate(place.stakes) if other != seat)


def can_add(view: View, seat: int, place: Place) -> float:
    """How many points a seat can still add to a place."""
    own = view.seats[seat]
    kinds = own.hand.kinds
    assert kinds is not None
    family = place.mafioso.family
    contracts = kinds[FAMILIES.index(family)] if family in FAMILIES else 0
    dollars = kinds[-1]
    return 2 * contracts + dollars + own.tokens + HALF * (sum(kinds) - contracts - dollars)


def worth(view: View, seat: int, place: Place) -> float:
    """What a Mafioso is worth to a seat: its value, times the first tile of its family."""
    value = number_of(place.mafioso)
    if place.mafioso.family not in FAMILIES:
        return value * BLACKMAT * bool(view.seats[seat].columns)
    tiles = {traffic.family: traffic.first for traffic in view.traffics}
    collected = any(column.family == place.mafioso.family for column in view.seats[seat].columns)
    return value * tiles[place.mafioso.family] * (1.25 if collected else 1.0)


def number_of(mafioso: Mafioso) -> float:
    return HIDDEN_VALUE if mafioso.value is None else float(mafioso.value)


def always(view: View, seat: int, place: Place, missing: float, available: float) -> bool:
    """Bid wherever it is possible to lead."""
    return True


def cheaply(view: View, seat: int, place: Place, missing: float, available: float) -> bool:
    """Bid three points at most before the last round."""
    return missing <= 3 or view.round == view.rounds


def after_others(view: View, seat: int, place: Place, missing: float, available: float) -> bool:
    """Bid only where others have, or once somebody has passed."""
    return view.passes > 0 or lead_of_others(place, seat) > 0


greedy = Bidder(1.0, always)
hoarder = Bidder(0.5, cheaply, moves_pawns=0.3)
sniper = Bidder(0.5, after_others)
spender = Bidder(3.0, always)
