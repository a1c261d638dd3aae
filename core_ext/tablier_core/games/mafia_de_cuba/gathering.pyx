"""The players at the table in a picture of Mafia de Cuba: the cigar box, and the seats around it.

Compiled, because nothing about a seat or the box is kept for other pictures (see pieces.py).
"""

from tablier_core.games.mafia_de_cuba.observe import ALL_DIAMONDS, GODFATHER, Box, open_box
from tablier_core.games.mafia_de_cuba.pieces import (
    ABOVE, BOX_WIDTH, CENTRE_X, CLOSED_HEIGHT, GEM_HEIGHT, GEM_WIDTH, MAY, MUST, RADIUS_Y, REST,
    RINGS, SEAT, TOKEN_HEIGHT, gem_place, pieces_of,
)
from tablier_core.games.mafia_de_cuba.shapes import CREAM

cdef int BOX_ACROSS = BOX_WIDTH, BOX_MIDDLE = BOX_WIDTH // 2, CLOSED = CLOSED_HEIGHT
cdef str CREAM_COLOUR = CREAM


def draw_table(view not None, picture not None, int top):
    """Draw the table, the box on it and the seats around it."""
    cdef int centre_y = top + <int>(ABOVE + RADIUS_Y), number, x, y, down
    cdef int viewer = view.viewer, accused = -1
    cdef bint wins
    look = picture.look
    pieces = pieces_of(look.palette, look.language)
    phase, actors, winners, events = view.phase, view.actors, view.winners, view.events
    cdef list drawn = [
        f'<ellipse cx="{CENTRE_X}" cy="{centre_y}" {pieces.felt}',
        draw_box(view, picture, pieces, centre_y),
    ]
    cdef dict claimed = {}
    for _, speaker, _, question, claim, _ in events:
        if question == "took" and claim is not None:
            claimed[speaker] = claim
    if phase == "react":
        accused = events[len(events) - 1].seat
    # In the inquiry only the Godfather has to move, and in other phases every actor.
    others = MAY if phase == "inquiry" else MUST
    cdef int count = len(view.seats)
    turn = 0 if look.bottom is None else count - 2 * look.bottom
    places, discs, openings = RINGS[count, turn % (2 * count)], pieces.discs, pieces.openings
    for number, seat in enumerate(view.seats):
        x, down = places[number]
        y = centre_y + down
        if number in actors:
            width = MUST if number == GODFATHER else others
        else:
            width = REST
        wins = number in winners
        disc = discs[number][width][wins << 2 | <bint>seat[0] << 1 | (number == accused)]
        own = number == viewer
        sentence, pills = tell_seat(number, seat, claimed.get(number), wins, own, pieces)
        opening = openings[number]
        drawn.append(
            f'{opening}{sentence}" transform="translate({x} {y})">{disc}{pills}</g>'
        )
        if picture.marked:
            picture.place(f"seat-{number}", x - SEAT, y - SEAT, 2 * SEAT, 2 * SEAT)
    return drawn


# ---- Seats ---------------------------------------------------------------------------------------


cdef tuple tell_seat(int number, seat, claimed, bint wins, bint is_viewer, pieces):
    """What the viewer knows of a seat: in words, and as what is written around its disc."""
    cdef list known = []
    cdef str drawn = ""
    in_play, joker, _, _, take, received, reacted, reaction = seat
    if is_viewer:
        known.append(pieces.you)
    if not in_play:
        known.append(pieces.out)
    if joker:
        known.append(pieces.has_joker)
        drawn = pieces.joker
    if take is not None:
        known.append(pieces.took[take])
        drawn += pieces.takes[take]
    elif claimed is not None and not reacted:
        drawn += pieces.claims[claimed]
    if received is not None:
        known.append(tell_received(received, pieces))
    if reacted:
        words, upper, lower = pieces.reactions[reaction]
        known.append(words)
        drawn += upper if take is None else lower
    if wins:
        known.append(pieces.wins)
    if number == GODFATHER or is_viewer or wins:
        drawn += pieces.titles[(number == 0) << 3 | is_viewer << 2 | wins << 1 | <bint>joker]
    if not known:
        return pieces.names[number], drawn
    return pieces.known.format(part=pieces.names[number], rest=", ".join(known)), drawn


cdef str tell_received(box, pieces):
    """The box that a seat received, in words."""
    cdef list things = []
    diamonds, tokens = box
    if diamonds:
        things.append(pieces.diamonds[diamonds])
    for kind, count in tokens.items():
        if count:
            things.append(pieces.counts[kind, count])
    if len(things) > 1:
        last = things.pop()
        named = pieces.several.format(others=", ".join(things), last=last)
    else:
        named = things[0] if things else pieces.nothing
    before, behind = pieces.received
    return f"{before}{named}{behind}"


# ---- The box -------------------------------------------------------------------------------------


cdef tuple known_box(view, pieces):
    """The latest box that the viewer knows, and when it was like that."""
    if view.phase == "hide":
        return Box(ALL_DIAMONDS, view.tokens), pieces.at_first
    came_back = view.seats[GODFATHER].received
    if came_back is not None and (view.viewer <= GODFATHER or view.outcome is not None):
        return came_back, pieces.came_back
    # The referee looks over the shoulder of the seat that has the box.
    seat = view.actors[0] if view.viewer < 0 else view.viewer
    received = view.seats[seat].received
    if received is not None:
        if seat in view.actors and view.phase == "take":
            received = open_box(view, seat)
        return received, pieces.arrived[seat]
    return None, pieces.closed


cdef str draw_box(view, picture, pieces, int centre_y):
    """Draw the cigar box, its diamonds and its tokens; it is closed if the viewer knows none.

    A diamond shows how many it is with those before.
    """
    cdef int below, height, x, y, lid, size, place, diamonds = 0
    cdef list held = [], drawn
    box, when = known_box(view, pieces)
    if box is not None:
        diamonds = box[0]
        held = [each for each in box[1].items() if each[1]]
    below = 31 + 27 * ((diamonds + 4) // 5)
    height = max(CLOSED, below + 22 * <int>len(held))
    x, y = CENTRE_X - BOX_MIDDLE, centre_y - height // 2 + 10
    lid = 24 if box is not None else height
    size = 13 if box is not None else 16
    drawn = [
        f'<g transform="translate({x} {y})"><g data-part="box">'
        f'<rect width="{BOX_ACROSS}" height="{height}"{pieces.cedar}'
        f'<rect width="{BOX_ACROSS}" height="{lid}"{pieces.lid}'
        f'<text x="{BOX_MIDDLE}" y="{lid // 2 + 5}" font-size="{size}" fill="{CREAM_COLOUR}">',
        when,
        "</text>",
    ]
    if box is not None and not diamonds and not held:
        drawn.append(pieces.empty)
    drawn.append("</g>")
    drawn += pieces.gems[:diamonds]
    for place, (kind, count) in enumerate(held):
        token = pieces.tokens[kind, count]
        drawn.append(
            f'\n<g data-part="token-{kind}">'
            f'<g transform="translate(4 {below + 22 * place})">{token}'
        )
    drawn.append("</g>")
    if picture.marked:
        place_box(picture, x, y, height, below, diamonds, held)
    return "".join(drawn)


cdef void place_box(picture, int x, int y, int height, int below, int diamonds, list held):
    """Note where the box, its diamonds and its tokens are."""
    picture.place("box", x, y, BOX_WIDTH, height)
    for number in range(1, diamonds + 1):
        right, down = gem_place(number)
        picture.place(f"diamond-{number}", x + right, y + down, GEM_WIDTH, GEM_HEIGHT)
    for place, (kind, _) in enumerate(held):
        top = y + below + 22 * place
        picture.place(f"token-{kind}", x + 4, top, BOX_WIDTH - 8, TOKEN_HEIGHT)
