"""Drawings of a Contrast view as text and as SVG."""

from __future__ import annotations

from tablier_core.drawing import Look, Picture, text
from tablier_core.games.contrast.observe import SYMBOLS, Round, Seat, View
from tablier_core.games.contrast.painting import SIDE, find_painting
from tablier_core.games.contrast.symbols import (
    BAND,
    BLOCK,
    CARD_STYLE,
    CARDS_TOP,
    EXCLUDED,
    FRAME,
    GAP,
    HALF_HEIGHT,
    HALF_WIDTH,
    HEADINGS,
    IMAGE_BLOCK,
    LAST_FRAME,
    LAST_HEIGHT,
    LAST_LEFT,
    LAST_WIDTH,
    LINES,
    PANEL,
    PHONE,
    SCORE_LEFT,
    STATE_LEFT,
    Kit,
    card_left,
    make_kit,
)
from tablier_core.games.contrast.telling import (
    TEAM,
    card_name,
    seat_part,
    symbol_names,
    symbol_part,
    tell_result,
    waiting,
)
from tablier_core.languages import Language
from tablier_core.telling import listed, name_seats

TEAM_GOAL = 22


def caption(view: View, language: Language) -> str:
    """Return one line on how the game stands."""
    if view.phase != "over":
        number, missing = len(view.rounds) + 1, waiting(view)
        if len(missing) == len(view.seats):
            words = language.gettext("Round {round}: everybody chooses a symbol")
            return words.format(round=number)
        words = language.gettext("Round {round}: waiting for {seats}")
        return words.format(round=number, seats=name_seats(missing, language))
    best = max(seat.score for seat in view.seats)
    if len(view.seats) == TEAM:
        words = (
            language.gettext("The team wins with {points}; {goal} are needed")
            if best >= TEAM_GOAL
            else language.gettext("The team loses with {points}; {goal} are needed")
        )
        return words.format(points=count_points(best, language), goal=TEAM_GOAL)
    winners = [number for number, seat in enumerate(view.seats) if seat.score == best]
    words = language.ngettext(
        "{seats} wins with {images}", "{seats} share the win with {images}", len(winners)
    )
    sentence = words.format(
        seats=name_seats(winners, language), images=count_images(best, language)
    )
    return sentence[0].upper() + sentence[1:]


def count_images(count: int, language: Language, form: str = "") -> str:
    """Return a number of images in words; `form` formats the number."""
    words = language.ngettext("{count} image", "{count} images", count)
    return words.format(count=f"{count:{form}}")


def count_points(count: int, language: Language) -> str:
    """Return a number of points in words."""
    return language.ngettext("{count} point", "{count} points", count).format(count=count)


# ---- Text ----------------------------------------------------------------------------------------


def draw_text(view: View, language: Language) -> str:
    """Return the table for a terminal."""
    lines = []
    if view.image is not None:
        names = symbol_names(language).values()
        fits = sorted(
            zip(view.affinities, names, strict=True), key=lambda fit: fit[0], reverse=True
        )
        listing = ", ".join(f"{name} {fit:g}" for fit, name in fits)
        words = language.gettext("image {image}: {fits}")
        lines.append(words.format(image=view.image, fits=listing))
    lines.append(language.gettext("pile {pile}, box {box}").format(pile=view.pile, box=view.box))
    if view.rounds:
        lines.append(text_round(view.rounds[-1], language))
    row_width = 13 * len(view.seats[0].row)
    words = language.gettext("seat {seat}  {images}  row {row} hand {hand}")
    for number, seat in enumerate(view.seats):
        row, hand = (
            " ".join([card_name(card, language) for card in cards])
            for cards in (seat.row, seat.hand)
        )
        line = words.format(
            seat=number,
            images=f"{count_images(seat.score, language, '3'):10}",
            row=f"{row:{row_width}}",
            hand=hand,
        )
        mark = "*" if number == view.viewer else " "
        lines.append(f"{mark}{line}{text_choice(seat, language)}")
    return "\n".join([*lines, caption(view, language)])


def text_round(last: Round, language: Language) -> str:
    """Return what the last reveal showed."""
    names = symbol_names(language)
    choices = ", ".join(
        [names[choice] if choice else language.gettext("excluded") for choice in last.choices]
    )
    if not last.winning:
        return language.gettext("last round: {choices}; nothing won").format(choices=choices)
    words = language.ngettext(
        "last round: {choices}; {symbols} won",
        "last round: {choices}; {symbols} won",
        len(last.winning),
    )
    symbols = listed([names[symbol] for symbol in last.winning], language)
    return words.format(choices=choices, symbols=symbols)


def text_choice(seat: Seat, language: Language) -> str:
    """Return what the viewer knows about a seat's choice in this round."""
    if not seat.has_chosen:
        return ""
    if seat.choice is None:
        return "  " + language.gettext("has chosen")
    symbol = symbol_names(language)[seat.choice]
    return "  " + language.gettext("chose {symbol}").format(symbol=symbol)


# ---- SVG -----------------------------------------------------------------------------------------


def draw_svg(view: View, look: Look) -> str:
    """Return the table as a picture: the current image first, then the seats from the viewer on."""
    picture, seats, title = Picture(look), len(view.seats), caption(view, look.language)
    if 0 < look.width < PHONE:
        left, top = GAP, GAP + IMAGE_BLOCK
    else:
        left, top = GAP + BLOCK + GAP, GAP
    width = left + BLOCK + GAP
    height = max(GAP + IMAGE_BLOCK, top + HEADINGS + (BAND + GAP) * seats)
    kit = make_kit(look.palette, look.language)
    last = view.rounds[-1] if view.rounds else None
    parts = [
        draw_image(view, last, picture, kit),
        text(GAP, GAP + LINES + 22, title, 15, font_weight="bold"),
    ]
    if last is not None:
        parts.append(text(GAP, GAP + LINES, tell_result(last, look.language)))
    headings = kit.row_heading + kit.hand_headings[len(view.seats[0].row)]
    if last is not None:
        headings += kit.last_heading
    parts.append(f'<g transform="translate({left} {top})">{headings}</g>')
    first = max(view.viewer, 0) if look.bottom is None else look.bottom
    for i in range(seats):
        y = top + HEADINGS + (BAND + GAP) * i
        number = (first + i) % seats
        parts.append(draw_seat(view, number, last, kit, look.language, left, y))
        if picture.marked:
            place_seat(view, number, last, picture, left, y)
    return picture.document(width, height, title, parts)


# ---- The block of the image ----------------------------------------------------------------------


def draw_image(view: View, last: Round | None, picture: Picture, kit: Kit) -> str:
    """Draw the current image, and beside it pile, box and the image of the last round."""
    language = picture.look.language
    drawn = (
        f'<g transform="translate({GAP} {GAP})">'
        f'<g data-part="pile"><text x="{PANEL}" y="38" font-size="14">'
        f"{kit.pile.format(count=view.pile)}</text></g>"
        f'<g data-part="box"><text x="{PANEL}" y="62" font-size="14">'
        f"{kit.box.format(count=view.box)}</text></g>"
    )
    if view.image is None:
        drawn += kit.no_image
    else:
        words = language.gettext("Image {image}").format(image=view.image)
        drawn += draw_frame(view, view.image, 0, 0, FRAME, kit.frame, words)
        drawn += text(PANEL, 14, words, 14, font_weight="bold")
    if last is not None:
        words = language.gettext("Image {image}").format(image=last.image)
        top = FRAME - LAST_FRAME
        drawn += draw_frame(view, last.image, PANEL, top, LAST_FRAME, kit.last_frame, words)
        words = language.gettext("last image: {image}").format(image=last.image)
        drawn += text(PANEL, top - 8, words)
    if picture.marked:
        picture.place("pile", GAP + PANEL, GAP + 24, BLOCK - PANEL, 20)
        picture.place("box", GAP + PANEL, GAP + 48, BLOCK - PANEL, 20)
        if view.image is not None:
            picture.place(f"image-{view.image}", GAP, GAP, FRAME, FRAME)
        if last is not None:
            x, y = GAP + PANEL, GAP + FRAME - LAST_FRAME
            picture.place(f"image-{last.image}", x, y, LAST_FRAME, LAST_FRAME)
    return drawn + "</g>"


def draw_frame(view: View, image: int, x: int, y: int, side: int, frame: str, words: str) -> str:
    """Draw an image in a frame."""
    painted = find_painting(view.deck[SYMBOLS * image : SYMBOLS * (image + 1)], image)
    return (
        f'<g data-part="image-{image}" aria-label="{words}">'
        f'<svg x="{x}" y="{y}" width="{side}" height="{side}" viewBox="0 0 {SIDE} {SIDE}">'
        f"{painted}</svg>{frame}</g>"
    )


# ---- The bands of seats --------------------------------------------------------------------------


def draw_seat(
    view: View, number: int, last: Round | None, kit: Kit, language: Language, x: int, y: int
) -> str:
    """Draw the band of a seat: its name, score, state, last choice, row and hand."""
    seat = view.seats[number]
    count = count_points if len(view.seats) == TEAM else count_images
    state = "" if view.phase == "over" else kit.has_chosen if seat.has_chosen else kit.chooses
    drawn = [
        f'<g transform="translate({x} {y})">',
        (kit.own if number == view.viewer else kit.others)[number],
        f'<text x="{SCORE_LEFT}" y="22" font-size="13">{count(seat.score, language)}</text>',
        f'<text x="{STATE_LEFT}" y="22" font-size="13">{state}</text>',
    ]
    if last is not None:
        symbol = last.choices[number] or EXCLUDED
        choice = (kit.won if symbol in last.winning else kit.lost)[symbol]
        drawn.append(f'<g data-part="last-{number}">{choice}</g>')
    drawn.append(f"<g {CARD_STYLE}>")
    cards, place = kit.cards[number], 0
    for card in seat.row:
        drawn.append(cards.in_row[place][card])
        place += 1
    for card in seat.hand:
        drawn.append(cards.in_hand[place][card])
        place += 1
    if seat.choice is not None:
        place = len(seat.row) + [seat.choice in card.split("/") for card in seat.hand].index(True)
        drawn[place - 6] = cards.chosen[place][seat.choice]
    drawn.append("</g></g>")
    return "".join(drawn)


def place_seat(
    view: View, number: int, last: Round | None, picture: Picture, x: int, y: int
) -> None:
    """Note where the parts of a band are."""
    picture.place(seat_part(number), x + 3, y + 3, SCORE_LEFT - 8, CARDS_TOP - 8)
    if last is not None:
        picture.place(f"last-{number}", x + LAST_LEFT, y + 4, LAST_WIDTH, LAST_HEIGHT)
    seat = view.seats[number]
    for place, card in enumerate((*seat.row, *seat.hand)):
        left = x + card_left(place, in_hand=place >= len(seat.row))
        for half, symbol in enumerate(card.split("/")):
            above = y + CARDS_TOP + HALF_HEIGHT * half
            picture.place(symbol_part(number, symbol), left, above, HALF_WIDTH, HALF_HEIGHT)
