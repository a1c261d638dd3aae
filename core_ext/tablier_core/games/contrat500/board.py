"""What pictures of Contrat 500 consist of: the board, tiles, tokens."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from tablier_core.drawing import Block, Look, Palette, Picture, box, text
from tablier_core.games.contrat500.settlement import contract_values
from tablier_core.languages import Language

VALUES = contract_values()

# Narrow, so that a telephone can show it without making the numbers too small to read.
WIDTH, MARGIN = 480, 16
INNER = WIDTH - 2 * MARGIN
# The board: four rows of seven contracts. Contracts of equal value are above each other.
BOARD, COLUMN, CELL, VALUE_ROW, BAND = 74, 64, 44, 20, 120
LEGEND = BOARD + 2 * BAND + 8
# The pot and the discards.
TABLE, TABLE_HEIGHT = LEGEND + 16, 72
LARGE, SMALL, GAP = 46, 30, 5
# A seat: its name, score and contracts, and its tiles below.
SEAT_LINE = 42
# The left edges of the tiles in a hand.
TILE_LEFT = tuple(range(MARGIN + 12, MARGIN + 12 + 7 * (LARGE + GAP), LARGE + GAP))
# The colours of the original tokens that no palette changes.
WHITE, BLACK = "#ffffff", "#111111"
ALL_TILES = range(1, 11)


def shifted(x: int, y: int, drawn: str) -> str:
    """A drawing, moved to a place in whole pixels."""
    return f'<g transform="translate({x} {y})">{drawn}</g>'


def centred(x: float, y: float, words: object, size: int, font_weight: str = "") -> str:
    """A line of text around x."""
    return text(x, y, words, size, font_weight=font_weight, text_anchor="middle")


def tile_face(tile: int | None, size: int, colours: Palette, known: bool = False) -> str:
    """A tile, face down if None; a dashed edge marks one that is known in a hidden hand."""
    fill = colours.wood if tile is None else colours.card
    dashes = "4 3" if known else ""
    face = box(1, 1, size - 2, size - 2, fill, round(size / 7), colours.ink, 1.5, dashes)
    if tile is None:
        inner = size - 14
        return face + box(7, 7, inner, inner, "none", 3, stroke=colours.paper, stroke_width=1.5)
    return face + centred(size / 2, round(size * 0.69), tile, int(size * 0.54), "bold")


def token_face(seat: int, colours: Palette) -> str:
    """A token with the number of its seat, around its middle."""
    fill, ink = (
        (colours.blue, colours.paper),
        (WHITE, BLACK),
        (colours.red, colours.paper),
        (BLACK, WHITE),
    )[seat]
    return (
        f'<circle r="8.5" fill="{fill}" stroke="{colours.ink}" stroke-width="1.5"/>'
        f'<text y="4.5" font-size="13" font-weight="bold" text-anchor="middle" fill="{ink}">'
        f"{seat}</text>"
    )


def cell_place(contract: int) -> tuple[int, int]:
    """The top left corner of a contract on the board."""
    upper = contract <= 16
    band, column = divmod(contract - 3 if upper else 30 - contract, 7)
    return MARGIN + column * COLUMN + 2, BOARD + band * BAND + (0 if upper else CELL + VALUE_ROW)


def keep_board(look: Look) -> Block:
    """The board without tokens, and the frame of the dead discards."""
    colours, translate = look.palette, look.language.gettext
    picture, width = Picture(look), COLUMN - 4
    legend = translate("Between two contracts: the points for each of them")
    worth = translate("contract {contract}, worth {points} points")
    parts = [text(MARGIN, LEGEND, legend, 14)]
    for contract, points in VALUES.items():
        x, y = cell_place(contract)
        middle = x + width / 2
        drawn = box(x, y, width, CELL, colours.felt, 5, colours.quiet)
        drawn += centred(middle, y + 19, contract, 18, "bold")
        label = worth.format(contract=contract, points=points)
        parts.append(picture.part(f"contract-{contract}", x, y, width, CELL, drawn, label))
        if contract <= 16:
            parts.append(centred(middle, y + CELL + 15, points, 15))
    words = translate("dead discards")
    dead = text(dead_place(1) - 8, TABLE + 12, words, 14)
    dead += "".join([centred(dead_place(tile), TABLE + 33, tile, 16) for tile in ALL_TILES])
    parts.append(picture.part("dead", dead_place(1) - 8, TABLE, 216, 56, dead, words))
    return picture.keep(parts, 0)


def dead_place(tile: int) -> int:
    """The middle of the column for dead discards of a number."""
    return MARGIN + 218 + 22 * tile


# How many discards are dead, by number and count; there are at most eight copies of a tile.
DEAD_COUNTS = tuple(
    tuple(
        f'<text x="{dead_place(tile)}" y="{TABLE + 51}">&#215;{count}</text>' for count in range(9)
    )
    for tile in range(11)
)


def keep_pot(look: Look, empty: bool) -> Block:
    """The pot, without its number of tiles."""
    picture, words = Picture(look), look.language.gettext("pot")
    if empty:
        drawn = box(MARGIN, TABLE + 6, LARGE, LARGE, "none", 6, look.palette.quiet, 1.5, "4 3")
    else:
        face = tile_face(None, LARGE, look.palette)
        drawn = "".join([shifted(MARGIN + 3 * i, TABLE + 6 - 3 * i, face) for i in range(3)])
    part = picture.part("pot", MARGIN, TABLE, LARGE + 6, LARGE + 6, drawn, words)
    return picture.keep([part, text(MARGIN + 60, TABLE + 24, words, 15)], 0)


def keep_discard(look: Look, tile: int) -> Block:
    """A tile that can be taken."""
    picture, words = Picture(look), look.language.gettext("discard")
    x, y = MARGIN + 108, TABLE + 6
    drawn = shifted(x, y, tile_face(tile, LARGE, look.palette))
    part = picture.part("discard", x, y, LARGE, LARGE, drawn, f"{words} {tile}")
    return picture.keep([part, text(x + LARGE + 8, TABLE + 34, words, 15)], 0)


def contract_chip(contract: int, slot: int, look: Look) -> str:
    """One of the two contracts of a seat, relative to the top of the seat."""
    x = WIDTH - MARGIN - 176 + 86 * slot
    value = look.language.gettext("{contract} for {points}")
    words = value.format(contract=contract, points=VALUES[contract])
    chip = box(x, 8, 82, 27, look.palette.card, 13, look.palette.quiet)
    return chip + centred(x + 41, 26, words, 14)


def settled_contracts(language: Language, paid: bool) -> tuple[dict[int, str], ...]:
    """Contracts in a settlement, by slot and contract. Only those that are paid have a value."""
    value = language.gettext("{contract} for {points}") if paid else "{contract}"
    weight = "bold" if paid else ""
    return tuple(
        [
            {
                contract: text(
                    MARGIN + 226 + 84 * slot,
                    20,
                    value.format(contract=contract, points=points),
                    14,
                    font_weight=weight,
                )
                for contract, points in VALUES.items()
            }
            for slot in range(2)
        ]
    )


class Blocks(NamedTuple):
    """What is drawn once for a palette and a language, and then only placed."""

    board: Block
    pot: Block
    empty_pot: Block
    discards: tuple[Block, ...]  # by tile; the first stands for none
    chips: tuple[dict[int, str], ...]  # by slot and contract, relative to the top of a seat
    tiles: tuple[tuple[str, ...], ...]  # by place in a hand and tile, relative to the top of a seat
    # In a line of a settlement, relative to its top.
    settled_tokens: tuple[str, ...]  # by seat
    settled_tiles: tuple[tuple[str, ...], ...]  # by place and tile
    paid: tuple[dict[int, str], ...]  # by slot and contract
    unpaid: tuple[dict[int, str], ...]


@lru_cache(maxsize=8)
def blocks_of(colours: Palette, language: Language) -> Blocks:
    """Draw what never changes."""
    look = Look(language=language, palette=colours)
    large, small = (
        [tile_face(tile or None, size, colours) for tile in range(11)] for size in (LARGE, SMALL)
    )
    return Blocks(
        board=keep_board(look),
        pot=keep_pot(look, empty=False),
        empty_pot=keep_pot(look, empty=True),
        discards=(Block("", {}, 0), *[keep_discard(look, tile) for tile in ALL_TILES]),
        chips=tuple(
            [
                {contract: contract_chip(contract, slot, look) for contract in VALUES}
                for slot in range(2)
            ]
        ),
        tiles=tuple([tuple([shifted(x, SEAT_LINE, face) for face in large]) for x in TILE_LEFT]),
        settled_tokens=tuple(
            [shifted(MARGIN + 12, 15, token_face(seat, colours)) for seat in range(4)]
        ),
        settled_tiles=tuple(
            [
                tuple([shifted(MARGIN + 28 + 32 * place, 0, face) for face in small])
                for place in range(6)
            ]
        ),
        paid=settled_contracts(language, paid=True),
        unpaid=settled_contracts(language, paid=False),
    )
