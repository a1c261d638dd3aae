"""What a seat sees of a Contrast game: all but the order of the images and choices not revealed."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import starmap
from typing import NamedTuple

from tablier_core.games.contrast.rules import SYMBOL_NAMES, facts
from tablier_core.position import REFEREE, Position

STEPS = 200  # affinities are kept in steps of 1/200
CARDS = tuple(
    f"{first}/{second}" for first, second in zip(SYMBOL_NAMES[::2], SYMBOL_NAMES[1::2], strict=True)
)


class Round(NamedTuple):
    """A completed round."""

    image: int
    choices: tuple[str | None, ...]  # by seat; None: excluded
    winning: tuple[str, ...]


class Seat(NamedTuple):
    """What lies before a seat."""

    row: tuple[str, ...]  # left to right
    hand: tuple[str, ...]
    has_chosen: bool
    choice: str | None  # in this round: the viewer's own, to the referee everybody's
    score: int
    won: tuple[int, ...] | None  # images, as the deck lay; to the referee alone


@dataclass(frozen=True)
class View:
    """The table as one viewer sees it."""

    viewer: int
    phase: str
    expert: bool
    # The deck as a set, 12 bytes an image in steps of 1/200: too long to read.
    deck: bytes = field(repr=False)
    image: int | None  # the current one; None when the game is over
    seats: tuple[Seat, ...]
    rounds: tuple[Round, ...]
    pile: int
    box: int
    pile_order: tuple[int, ...] | None  # top first; to the referee alone
    box_order: tuple[int, ...] | None  # top first; to the referee alone

    @property
    def affinities(self) -> tuple[float, ...]:
        """How well each symbol fits the current image; empty when the game is over."""
        if self.image is None:
            return ()
        described = self.deck[12 * self.image : 12 * self.image + 12]
        return tuple(steps / STEPS for steps in described)


def observe(position: Position, viewer: int) -> View:
    """The view of a seat, or of the referee, who sees everything."""
    known = facts(position.pack())
    referee = viewer == REFEREE
    seats = tuple(
        [
            Seat(
                row=tuple([CARDS[card] for card in known["rows"][seat]]),
                hand=tuple([CARDS[card] for card in known["hands"][seat]]),
                has_chosen=choice is not None,
                choice=choice if referee or seat == viewer else None,
                score=known["scores"][seat],
                won=tuple(known["won"][seat]) if referee else None,
            )
            for seat, choice in enumerate(known["choices"])
        ]
    )
    return View(
        viewer=viewer,
        phase=position.phase,
        expert=known["expert"],
        deck=known["deck"],
        image=known["image"],
        seats=seats,
        rounds=tuple(starmap(Round, known["rounds"])),
        pile=len(known["pile"]),
        box=len(known["box"]),
        pile_order=tuple(known["pile"]) if referee else None,
        box_order=tuple(known["box"]) if referee else None,
    )
