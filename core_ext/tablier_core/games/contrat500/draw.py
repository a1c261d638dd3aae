"""Drawings of a Contrat 500 view: text for a terminal and an SVG picture.

Only what everybody sees is kept for other pictures: bids, scores, tiles that were taken in public,
and settlements. A hand that the viewer knows is drawn each time from the tiles of board.py, so
that the time of an answer does not tell which hands others hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from tablier_core.drawing import Look, Palette, Picture, box, text
from tablier_core.games.contrat500.board import (
    BOARD,
    COLUMN,
    DEAD_COUNTS,
    GAP,
    INNER,
    LARGE,
    MARGIN,
    SEAT_LINE,
    SMALL,
    TABLE,
    TABLE_HEIGHT,
    TILE_LEFT,
    VALUES,
    WIDTH,
    Blocks,
    blocks_of,
    cell_place,
    shifted,
    tile_face,
    token_face,
)
from tablier_core.games.contrat500.observe import Settlement, View
from tablier_core.languages import Language
from tablier_core.telling import listed, seat_label


def caption(view: View, language: Language) -> str:
    """The state of the match in one line."""
    if view.phase == "over":
        line = language.ngettext(
            "After deal {deal}: seat {seats} won",
            "After deal {deal}: seats {seats} won",
            len(view.winners),
        )
        seats = listed([str(seat) for seat in view.winners], language)
        return line.format(deal=view.deal, seats=seats)
    if view.phase == "bid":
        line = language.gettext("Deal {deal}: seat {seat} bids")
    elif view.phase == "turn":
        line = language.gettext("Deal {deal}: seat {seat} draws or takes a tile")
    elif view.phase == "discard":
        line = language.gettext("Deal {deal}: seat {seat} discards a tile")
    else:
        line = language.gettext("Deal {deal}: seat {seat} may announce")
    return line.format(deal=view.deal, seat=view.to_move)


def has_declined(view: View, seat: int) -> bool:
    """Whether the seat made both contracts in its last turn and played on."""
    for turn in reversed(view.turns):
        if turn.seat == seat and turn.discarded is not None:
            return turn.declined
    return False


def points_text(points: int, language: Language, width: int = 0) -> str:
    """A score in words; the number fills a width."""
    words = language.ngettext("{points} point", "{points} points", points)
    return words.format(points=f"{points:{width}}")


def announced_text(last: Settlement, language: Language) -> str:
    """The title of a settlement."""
    words = language.gettext("Deal {deal}: seat {seat} announced")
    return words.format(deal=last.deal, seat=last.winner)


# ---- Text ----------------------------------------------------------------------------------------


def tiles_text(view: View, seat: int) -> str:
    """The hand of a seat; a dot stands for each tile that the viewer does not know."""
    hand = view.hands[seat]
    if hand is not None:
        return " ".join(map(str, hand))
    known = view.known[seat]
    return " ".join([*map(str, known), *["."] * (view.hand_sizes[seat] - len(known))])


def contracts_text(contracts: Iterable[int]) -> str:
    """Contracts with their values."""
    return ", ".join(f"{contract} ({VALUES[contract]})" for contract in contracts) or "-"


def settlement_text(last: Settlement, language: Language) -> list[str]:
    """The payments after the last announcement."""
    lines = [announced_text(last, language)]
    paid = language.gettext("bid {contracts}; made {made}; {change}")
    for seat, row in enumerate(last.seats):
        name = language.pgettext("label", "seat {seat}").format(seat=seat)
        hand, change = " ".join(map(str, row.hand)), f"{row.after - row.before:+d}"
        bid, made = contracts_text(row.contracts), contracts_text(row.realised)
        sums = paid.format(contracts=bid, made=made, change=change)
        lines.append(f"  {name}  {hand:<18}  {sums}")
    return lines


def seat_text(view: View, seat: int, language: Language) -> str:
    """A seat in one line."""
    mark = ">" if seat == view.to_move else " "
    name = language.pgettext("label", "seat {seat}").format(seat=seat)
    you = language.gettext("(you)")
    whose = you if seat == view.viewer else ""
    line = language.gettext("{points}  contracts {contracts}  tiles {tiles}").format(
        points=f"{points_text(view.scores[seat], language, 5):12}",
        contracts=f"{contracts_text(view.contracts[seat]):<19}",
        tiles=tiles_text(view, seat),
    )
    declined = language.gettext("(declined)") if has_declined(view, seat) else ""
    return f"{mark} {name} {whose:<{len(you)}}  {line}  {declined}".rstrip()


def table_text(view: View, language: Language) -> list[str]:
    """The pot and the discards."""
    line = language.gettext("pot {pot}   discard {discard}   dead {dead}").format(
        pot=view.pot_size,
        discard="-" if view.discard is None else view.discard,
        dead=" ".join(map(str, view.dead)) or "-",
    )
    if view.pot is None:
        return [line]
    following = language.gettext("pot, next first: {tiles}")
    return [line, following.format(tiles=" ".join(map(str, view.pot)) or "-")]


def draw_text(view: View, language: Language) -> str:
    """The table for a terminal."""
    lines = [caption(view, language), ""]
    lines += [seat_text(view, seat, language) for seat in range(view.seats)]
    if view.phase != "over":
        lines += ["", *table_text(view, language)]
    if view.last is not None:
        lines += ["", *settlement_text(view.last, language)]
    return "\n".join(lines)


# ---- What everybody sees -------------------------------------------------------------------------


@lru_cache(maxsize=512)
def tokens_on(contract: int, seats: tuple[int, ...], colours: Palette) -> str:
    """The tokens on a contract, side by side."""
    x, y = cell_place(contract)
    left = x + COLUMN // 2 - 2 - 9 * (len(seats) - 1)
    return "".join(
        [shifted(left + 18 * i, y + 33, token_face(seat, colours)) for i, seat in enumerate(seats)]
    )


@lru_cache(maxsize=256)
def panel(
    colours: Palette, language: Language, seat: int, yours: bool, won: bool, height: int, edge: str
) -> str:
    """The frame of a seat, its token and its name, relative to its top."""
    name = seat_label(seat, language)
    if yours:
        name = f"{name} {language.gettext('(you)')}"
    star = text(WIDTH - MARGIN - 14, 29, "★", 22, text_anchor="end") if won else ""
    return (
        box(MARGIN, 0, INNER, height, colours.felt, 8, edge, 1 if edge == colours.quiet else 4)
        + shifted(MARGIN + 20, 21, token_face(seat, colours))
        + text(MARGIN + 38, 27, name, 17, font_weight="bold")
        + star
    )


@lru_cache(maxsize=64)
def goal(language: Language, target: int) -> str:
    """The points that end the match."""
    words = language.gettext("The match goes to {points} points").format(points=target)
    return text(MARGIN, 56, words, 15)


@lru_cache(maxsize=256)
def score(language: Language, points: int) -> str:
    """The points of a seat, relative to its top."""
    return text(MARGIN + 264, 27, points_text(points, language), 16, text_anchor="end")


@lru_cache(maxsize=256)
def hidden_hand(colours: Palette, known: tuple[int, ...], size: int) -> str:
    """The tiles of a hidden hand, relative to the top of the seat; known ones first."""
    faces = [tile_face(tile, SMALL, colours, known=True) for tile in known]
    faces += [tile_face(None, SMALL, colours)] * (size - len(known))
    step = SMALL + GAP
    return "".join(
        [shifted(MARGIN + 12 + step * i, SEAT_LINE, face) for i, face in enumerate(faces)]
    )


# ---- Picture -------------------------------------------------------------------------------------


def draw_tokens(view: View, colours: Palette) -> str:
    """The tokens on the board. They take no clicks: those are for the contracts below them."""
    holders: dict[int, tuple[int, ...]] = {}
    for seat, contracts in enumerate(view.contracts):
        for contract in contracts:
            holders[contract] = (*holders.get(contract, ()), seat)
    drawn = [tokens_on(contract, seats, colours) for contract, seats in holders.items()]
    return f'<g pointer-events="none">{"".join(drawn)}</g>'


def table_parts(view: View, picture: Picture, blocks: Blocks) -> list[str]:
    """The pot, the discard that can be taken, and the dead discards by number."""
    count = f'x="{MARGIN + 60}" y="{TABLE + 46}" font-size="18" font-weight="bold"'
    parts = [
        picture.block(0, 0, blocks.pot if view.pot_size else blocks.empty_pot),
        f"<text {count}>{view.pot_size}</text>",
    ]
    if view.discard is not None:
        parts.append(picture.block(0, 0, blocks.discards[view.discard]))
    counts = [DEAD_COUNTS[tile][view.dead.count(tile)] for tile in set(view.dead)]
    parts.append(f'<g font-size="13" text-anchor="middle">{"".join(counts)}</g>')
    return parts


def draw_hand(view: View, seat: int, picture: Picture, blocks: Blocks, top: int) -> str:
    """The tiles of a seat; equal ones are one part, since it does not matter which one is meant."""
    hand = view.hands[seat]
    if hand is None:
        return hidden_hand(picture.look.palette, view.known[seat], view.hand_sizes[seat])
    part, tiles, y = picture.part, blocks.tiles, top + SEAT_LINE
    parts, place, end = [], 0, len(hand)
    while place < end:
        tile = hand[place]
        left, drawn, width = TILE_LEFT[place], tiles[place][tile], LARGE
        place += 1
        while place < end and hand[place] == tile:
            drawn += tiles[place][tile]
            width += LARGE + GAP
            place += 1
        parts.append(part(f"hand-{seat}-{tile}", left, y, width, LARGE, drawn))
    return "".join(parts)


def seat_height(view: View, seat: int) -> int:
    """The height of a seat: tiles that the viewer sees are large, hidden ones small."""
    if not view.hand_sizes[seat]:
        return SEAT_LINE
    return SEAT_LINE + (SMALL if view.hands[seat] is None else LARGE) + 8


def seat_part(view: View, seat: int, picture: Picture, blocks: Blocks, top: int) -> str:
    """A seat: token, score, contracts, and its tiles as far as the viewer knows them."""
    colours, language = picture.look.palette, picture.look.language
    height = seat_height(view, seat)
    edge = colours.green if seat == view.to_move else colours.quiet
    yours, won = seat == view.viewer, seat in view.winners
    drawn = [
        panel(colours, language, seat, yours, won, height, edge),
        score(language, view.scores[seat]),
    ]
    for slot, contract in enumerate(view.contracts[seat]):
        drawn.append(blocks.chips[slot][contract])
    if has_declined(view, seat):
        words = language.gettext("declined")
        drawn.append(text(WIDTH - MARGIN - 12, height - 14, words, 14, text_anchor="end"))
    frame = picture.part(f"seat-{seat}", MARGIN, top, INNER, height, "".join(drawn))
    return shifted(0, top, frame + draw_hand(view, seat, picture, blocks, top))


@lru_cache(maxsize=64)
def draw_settlement(last: Settlement, colours: Palette, language: Language) -> str:
    """The last announcement, one line per seat: tiles, contracts and points.

    It stays the same for a whole deal.
    """
    blocks = blocks_of(colours, language)
    lines = [text(MARGIN, 18, announced_text(last, language), 17, font_weight="bold")]
    for seat, row in enumerate(last.seats):
        drawn = [blocks.settled_tokens[seat]]
        for place, tile in enumerate(row.hand):
            drawn.append(blocks.settled_tiles[place][tile])
        left = list(row.realised)
        for slot, contract in enumerate(row.contracts):
            if contract in left:
                left.remove(contract)
                drawn.append(blocks.paid[slot][contract])
            else:
                drawn.append(blocks.unpaid[slot][contract])
        change = row.after - row.before
        fill = colours.red if change < 0 else colours.green if change else colours.ink
        drawn.append(
            f'<text x="{WIDTH - MARGIN}" y="21" font-size="17" font-weight="bold"'
            f' text-anchor="end" fill="{fill}">{change:+d}</text>'
        )
        lines.append(shifted(0, 30 + 38 * seat, "".join(drawn)))
    return "".join(lines)


def draw_svg(view: View, look: Look) -> str:
    """The table as a picture, with the seat that looks first."""
    picture, blocks = Picture(look), blocks_of(look.palette, look.language)
    title = caption(view, look.language)
    parts = [text(MARGIN, 34, title, 20, font_weight="bold"), goal(look.language, view.target)]
    top = BOARD
    if view.phase != "over":
        parts += [picture.block(0, 0, blocks.board), draw_tokens(view, look.palette)]
        parts += table_parts(view, picture, blocks)
        top = TABLE + TABLE_HEIGHT
        if view.pot:
            following = look.language.gettext("next in the pot: {tiles}")
            tiles = " ".join(map(str, view.pot[:16])) + (" ..." if view.pot[16:] else "")
            parts.append(text(MARGIN, top + 6, following.format(tiles=tiles), 15))
            top += 22
    first = max(view.viewer, 0) if look.bottom is None else look.bottom
    for turn in range(view.seats):
        seat = (first + turn) % view.seats
        parts.append(seat_part(view, seat, picture, blocks, top))
        top += seat_height(view, seat) + 10
    if view.last is not None:
        drawn = draw_settlement(view.last, look.palette, look.language)
        parts.append(shifted(0, top + 6, drawn))
        top += 44 + 38 * view.seats
    return picture.document(WIDTH, top + 8, title, parts)
