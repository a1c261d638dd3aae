"""What a viewer sees of Contrast: all but the order of images and choices until the reveal."""

from __future__ import annotations

from typing import NamedTuple

from tablier_core.games.contrast.encoding import facts
from tablier_core.games.contrast.images import AFFINITY_STEPS
from tablier_core.games.contrast.notation import SYMBOL_NAMES
from tablier_core.position import REFEREE, Position

SYMBOLS = len(SYMBOL_NAMES)
# By byte of the deck.
AFFINITIES = tuple(step / AFFINITY_STEPS for step in range(AFFINITY_STEPS + 1))


class Round(NamedTuple):
    """A completed round."""

    image: int
    choices: tuple[str | None, ...]  # by seat; None: excluded
    winning: tuple[str, ...]


class Seat(NamedTuple):
    """A seat's cards, its choice in this round and its score."""

    row: tuple[str, ...]  # left to right
    hand: tuple[str, ...]
    has_chosen: bool
    choice: str | None  # the viewer's own, or everyone's for the referee
    score: int
    won: tuple[int, ...] | None  # images, in deck order; only for the referee


class View(NamedTuple):
    """The table as one viewer sees it."""

    viewer: int
    phase: str
    expert: bool
    # Affinities of all images, 12 bytes each, in steps of 1 / AFFINITY_STEPS.
    deck: bytes
    image: int | None  # the current one; None when the game is over
    affinities: tuple[float, ...]  # how well each symbol fits the current image
    seats: tuple[Seat, ...]
    rounds: tuple[Round, ...]
    pile: int
    box: int
    pile_order: tuple[int, ...] | None  # top first; only for the referee
    box_order: tuple[int, ...] | None  # top first; only for the referee

    def __repr__(self) -> str:
        shown = self._asdict()
        # Both follow from the image, and are too long to print.
        del shown["deck"], shown["affinities"]
        return f"View({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


# Named tuples from their fields. Their own constructors are Python functions, and twice as slow.
new = tuple.__new__


def observe(position: Position, viewer: int) -> View:
    """Return the view of a seat, or of the referee, who sees everything."""
    known = facts(position.pack())
    image, deck = known["image"], known["deck"]
    fits = b"" if image is None else deck[SYMBOLS * image : SYMBOLS * (image + 1)]
    referee = viewer == REFEREE
    parts = zip(
        known["rows"], known["hands"], known["choices"], known["scores"], known["won"], strict=True
    )
    seats = tuple(
        [
            new(
                Seat,
                (
                    row,
                    hand,
                    choice is not None,
                    choice if referee or seat == viewer else None,
                    score,
                    tuple(won) if referee else None,
                ),
            )
            for seat, (row, hand, choice, score, won) in enumerate(parts)
        ]
    )
    return View(
        viewer=viewer,
        phase=position.phase,
        expert=known["expert"],
        deck=deck,
        image=image,
        affinities=tuple([AFFINITIES[step] for step in fits]),
        seats=seats,
        rounds=tuple([new(Round, each) for each in known["rounds"]]),
        pile=len(known["pile"]),
        box=len(known["box"]),
        pile_order=tuple(known["pile"]) if referee else None,
        box_order=tuple(known["box"]) if referee else None,
    )
