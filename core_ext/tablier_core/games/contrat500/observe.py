"""The view of Contrat 500: a seat sees its own tiles, the public log and the last settlement."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tablier_core.games.contrat500.encoding import facts
from tablier_core.position import REFEREE, Position

if TYPE_CHECKING:
    from tablier_core.games.contrat500.encoding import Facts, SettlementFacts

Tiles = tuple[int, ...]


class Turn(NamedTuple):
    """One turn of the deal in play."""

    seat: int
    took: bool  # True: the previous discard; False: a tile from the pot
    received: int | None  # None: a tile from the pot that the viewer has not seen
    discarded: int | None  # None: not chosen yet
    asked: bool  # its six tiles then made its contracts
    declined: bool  # it was asked and played on


class SettledSeat(NamedTuple):
    """A seat in a settlement. Its tiles are public, so that everybody can check the payments."""

    contracts: Tiles
    hand: Tiles
    realised: Tiles  # both contracts of the winner, at most one of another seat
    before: int
    after: int


class Settlement(NamedTuple):
    """The last announcement and its payments."""

    deal: int
    winner: int
    seats: tuple[SettledSeat, ...]


class View(NamedTuple):
    """The table as a seat or the referee may see it."""

    viewer: int  # -1 is the referee
    phase: str
    deal: int  # the current deal, from 1; the last one if the match is over
    starter: int | None  # None once the match is over
    to_move: int | None
    scores: Tiles
    contracts: tuple[Tiles, ...]  # by seat, in the order of bidding
    hands: tuple[Tiles | None, ...]  # by seat, ascending; None: hidden
    hand_sizes: Tiles
    known: tuple[Tiles, ...]  # by seat: taken in public and not discarded since
    pot_size: int
    pot: Tiles | None  # next tile first; None: hidden
    discard: int | None  # the tile that the next seat can take
    dead: Tiles  # discards that no seat took, oldest first
    turns: tuple[Turn, ...]
    last: Settlement | None
    winners: Tiles  # empty until the match is over
    seats: int
    target: int
    max_deals: int
    blind_bids: bool
    rng: tuple[int, int] | None  # state and increment; None: hidden


def settlement_of(last: SettlementFacts) -> Settlement:
    """The last announcement from its facts."""
    rows = zip(last["contracts"], last["hands"], last["realised"], strict=True)
    return Settlement(
        deal=last["deal"],
        winner=last["winner"],
        seats=tuple(
            [
                SettledSeat(
                    contracts=contracts,
                    hand=hand,
                    realised=contracts if seat == last["winner"] else (made,) if made else (),
                    before=last["before"][seat],
                    after=last["after"][seat],
                )
                for seat, (contracts, hand, made) in enumerate(rows)
            ]
        ),
    )


def turns_of(known: Facts, phase: str, viewer: int) -> tuple[Turn, ...]:
    """The log of the deal, without the tiles that other seats drew from the pot."""
    referee = viewer == REFEREE
    # A deal can have many turns. Made like this, they take 40% less time than by `Turn(...)`.
    new = tuple.__new__
    turns = [
        new(
            Turn,
            (
                seat,
                took,
                received if took or referee or seat == viewer else None,
                discarded or None,
                asked,
                asked,
            ),
        )
        for seat, took, received, discarded, asked in known["turns"]
    ]
    if phase == "announce":
        # The seat of the last turn is still deciding.
        turns[-1] = turns[-1]._replace(declined=False)
    return tuple(turns)


def best_of(scores: Tiles) -> Tiles:
    """The seats with the highest score."""
    return tuple([seat for seat, score in enumerate(scores) if score == max(scores)])


def observe(position: Position, viewer: int) -> View:
    """The view of a seat, or of the referee, which sees everything."""
    known = facts(position.pack())
    phase, turns = position.phase, known["turns"]
    over, referee = phase == "over", viewer == REFEREE
    # A discard that the next turn did not take is dead; the last one can still be taken.
    dead = [turn[3] for turn, after in pairwise(turns) if not after[1]]
    live = bool(turns) and phase in ("turn", "announce")
    scores = known["scores"]
    return View(
        viewer=viewer,
        phase=phase,
        deal=known["deal"],
        starter=None if over else known["starter"],
        to_move=None if over else known["to_move"],
        scores=scores,
        contracts=known["contracts"],
        hands=tuple(
            [
                hand if referee or seat == viewer else None
                for seat, hand in enumerate(known["hands"])
            ]
        ),
        hand_sizes=tuple(map(len, known["hands"])),
        known=known["known"],
        pot_size=len(known["pot"]),
        pot=known["pot"] if referee else None,
        discard=turns[-1][3] if live else None,
        dead=tuple(dead),
        turns=turns_of(known, phase, viewer),
        last=settlement_of(known["last"]) if known["last"] else None,
        winners=best_of(scores) if over else (),
        seats=known["seats"],
        target=known["target"],
        max_deals=known["max_deals"],
        blind_bids=known["blind_bids"],
        rng=known["rng"] if referee else None,
    )
