"""Drawings of a Mafia de Cuba view: the seats around the box, the talk, and what can be said."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from math import cos, pi, sin

from tablier_core.drawing import Look, Palette, Picture
from tablier_core.games.mafia_de_cuba.desk import desk_height, draw_desk, topic_of
from tablier_core.games.mafia_de_cuba.observe import (
    ALL_DIAMONDS,
    GODFATHER,
    Box,
    Seat,
    View,
    open_box,
)
from tablier_core.games.mafia_de_cuba.phrases import (
    OUTCOMES,
    name_count,
    name_diamonds,
    name_player,
    name_prize,
    name_seats,
    name_take,
    name_tokens,
    paragraph,
    tell_end,
    tell_event,
)
from tablier_core.games.mafia_de_cuba.shapes import (
    BOLD,
    COLUMN,
    CREAM,
    DARK_TEXT,
    PIECES,
    Group,
    Part,
    Pieces,
    Style,
    grouped,
    pill,
    role_colour,
    style_of,
    wrap,
    write,
)
from tablier_core.languages import Language
from tablier_core.telling import listed

# ---- Words for both drawings ---------------------------------------------------------------------

# Most texts and parts of a picture are the same in the next one, so they are made once.


@lru_cache(maxsize=64)
def title(viewer: int, language: Language) -> str:
    """Name the game and the point of view."""
    if viewer < 0:
        return language.gettext("Mafia de Cuba, the referee's view")
    if viewer == GODFATHER:
        return language.gettext("Mafia de Cuba, the Godfather's view")
    return language.gettext("Mafia de Cuba, the view of seat {seat}").format(seat=viewer)


def caption(view: View, language: Language) -> str:
    """Describe the situation."""
    if view.outcome is not None:
        return paragraph([language.gettext(OUTCOMES[view.outcome]), tell_end(view, language)])
    if view.phase == "react":
        text = language.gettext("{player} is accused; waiting for {seats} to react")
        accused = name_player(view.events[-1].seat, language)
        return text.format(player=accused, seats=name_seats(view.actors, language))
    return _caption(view.phase, view.actors, len(view.seats), language)


@lru_cache(maxsize=256)
def _caption(phase: str, actors: tuple[int, ...], seats: int, language: Language) -> str:
    if phase == "hide":
        return language.gettext("The Godfather may keep some diamonds")
    player, speakers = name_player(actors[0], language), actors[1:]
    if phase == "pouch":
        return language.gettext("{player} may put a token in the pouch").format(player=player)
    if phase == "take":
        return language.gettext("{player} takes something from the box").format(player=player)
    if phase == "answer":
        return language.gettext("{player} answers").format(player=player)
    if not speakers:
        return language.gettext("The Godfather asks or accuses")
    if len(speakers) == seats - 1:
        return language.gettext("The Godfather asks or accuses; everyone else may speak")
    text = language.ngettext(
        "The Godfather asks or accuses; {seats} may speak",
        "The Godfather asks or accuses; {seats} may speak",
        len(speakers),
    )
    return text.format(seats=name_seats(speakers, language))


def tallies(view: View, language: Language) -> tuple[str, ...]:
    """Everything that is counted; the tokens come first."""
    own = view.seats[view.viewer].statements_left if view.viewer > GODFATHER else None
    return _tallies(
        tuple(view.tokens.items()), view.jokers_left, view.jokers, view.questions_left,
        view.questions, view.recovered, view.hidden, view.pouch, own, view.statements, language,
    )  # fmt: skip


@lru_cache(maxsize=1024)
def _tallies(
    tokens: tuple[tuple[str, int], ...],
    jokers_left: int,
    jokers: int,
    questions_left: int,
    questions: int,
    recovered: int,
    hidden: int | None,
    pouch: str | None,
    statements_left: int | None,
    statements: int,
    language: Language,
) -> tuple[str, ...]:
    def left(text: str, count: int, start: int) -> str:
        return language.gettext(text).format(left=count, all=start)

    named = name_tokens(dict(tokens), language)
    texts = [
        language.gettext("Tokens at the start: {tokens}").format(tokens=named),
        left("Jokers left: {left} of {all}", jokers_left, jokers),
        left("Questions left: {left} of {all}", questions_left, questions),
        language.gettext("Diamonds recovered: {count}").format(count=recovered),
    ]
    if hidden is not None:
        texts.append(language.gettext("Kept by the Godfather: {count}").format(count=hidden))
    if pouch is not None:
        item = name_take("nothing" if pouch == "none" else pouch, language)
        texts.append(language.gettext("In the pouch: {item}").format(item=item))
    if statements_left is not None:
        texts.append(left("Your statements left: {left} of {all}", statements_left, statements))
    return tuple(texts)


def name_box(box: Box, language: Language) -> str:
    """What is in a box: "9 diamonds, 1 FBI agent and 1 driver"."""
    things = [name_diamonds(box.diamonds, language)] if box.diamonds else []
    things += [name_count(kind, count, language) for kind, count in box.tokens.items() if count]
    return listed(things, language) if things else language.gettext("an empty box")


def known_of(
    seat: Seat, received: Box | None, *, is_viewer: bool, wins: bool, language: Language
) -> list[str]:
    """What the viewer knows of a seat."""
    known = []
    if is_viewer:
        known.append(language.gettext("you"))
    if not seat.in_play:
        known.append(language.gettext("out"))
    if seat.joker:
        known.append(language.gettext("has a joker"))
    if seat.take == "nothing":
        known.append(language.gettext("took nothing"))
    elif seat.take is not None:
        text = language.gettext("took {things}")
        known.append(text.format(things=name_take(seat.take, language)))
    if received is not None:
        text = language.gettext("received {things}")
        known.append(text.format(things=name_box(received, language)))
    if seat.reacted:
        known.append(name_reaction(seat.reaction, language))
    if wins:
        known.append(language.gettext("wins"))
    return known


def name_reaction(reaction: str | None, language: Language) -> str:
    """A reaction to an accusation; None if the viewer does not know it."""
    if reaction is None:
        return language.gettext("has reacted")
    return language.gettext("fires") if reaction == "bang" else language.gettext("holds")


# ---- Text ----------------------------------------------------------------------------------------


def draw_text(view: View, language: Language) -> str:
    """Draw the seats as a list, for a terminal."""
    lines = [title(view.viewer, language), *(f"  {line}" for line in tallies(view, language))]
    for number, seat in enumerate(view.seats):
        pointer = ">" if number in view.actors else " "
        known = [language.gettext("Godfather")] if number == GODFATHER else []
        known += known_of(
            seat,
            seat.received,
            is_viewer=number == view.viewer,
            wins=number in view.winners,
            language=language,
        )
        lines.append(f"{pointer}{number:3}  {', '.join(known)}".rstrip())
    lines += [f"  {tell_event(view, event, language)}" for event in view.events]
    return "\n".join([*lines, caption(view, language)])


# ---- The layout ----------------------------------------------------------------------------------

MARGIN, GUTTER = 20, 24
# Below this width in pixels, the talk stands under the table and not beside it.
WIDE = 640
LINE = 20
TITLE_Y, CAPTION_Y = 32, 58
# The ring of seats, around the middle of the first column.
CENTRE_X = MARGIN + COLUMN / 2
RADIUS_X, RADIUS_Y = 166, 204
ABOVE, BELOW = 52, 72  # the highest and the lowest seat, from the edges of the table
TABLE_HEIGHT = ABOVE + 2 * RADIUS_Y + BELOW
LINE_LENGTH, CAPTION_LENGTH = 53, 50
INDENT = 12  # of lines that continue a sentence
LEAST_TALK, MOST_TALK, NARROW_TALK = 7, 20, 14  # lines
BOX_WIDTH, CLOSED_HEIGHT = 190, 110
REST, MAY, MUST = 2, 3, 6  # the width of the ring of a seat that need not, may or must move
LEGEND = {
    "diamonds": ("Diamonds: thief", "wins with the most diamonds if the Godfather is out"),
    "loyal": ("Loyal", "wins with the Godfather"),
    "fbi": ("FBI agent", "wins if the Godfather accuses it"),
    "cia": ("CIA agent", "wins if the Godfather accuses it"),
    "driver": ("Driver", "wins if the seat before it wins"),
    "cleaner": ("Cleaner", "wins with the Godfather, or by shooting an agent"),
    "nothing": ("Nothing: street kid", "wins if the Godfather is out"),
}


def draw_svg(view: View, look: Look) -> str:
    """Draw the table, the talk and what the viewer can say as a picture."""
    language = look.language
    wide = not 0 < look.width < WIDE
    name, now = title(view.viewer, language), caption(view, language)
    heading, top = _heading(name, now, CAPTION_LENGTH * (2 if wide else 1))
    counted, bottom = _counts(tallies(view, language), top + TABLE_HEIGHT)
    topic = topic_of(view)
    tokens = tuple(view.tokens.items())
    height = desk_height(tokens, topic)
    if wide:
        talk_x, talk_y = MARGIN + COLUMN + GUTTER, top
        legend = _legend_height(tokens)
        bottom = max(bottom, top + height + (LINE * LEAST_TALK if view.events else legend))
        desk_y = bottom - height
        talk, end = _talk(view, look, talk_x, talk_y, min((desk_y - top) // LINE - 1, MOST_TALK))
        if view.events and end + legend < desk_y:
            talk.append(_legend(tokens, language, look.palette, talk_x, end + LINE))
    else:
        talk_x, desk_y = MARGIN, bottom
        talk, bottom = _talk(view, look, talk_x, desk_y + height, NARROW_TALK)
    groups = _table(view, look, top)
    if topic is not None:
        groups.append(draw_desk(topic, tokens, language, look.palette, talk_x, desk_y))
    picture = Picture(look)
    if look.starts or look.last or look.marks or look.arrows:
        drawn = [picture.part(*part) for group in groups for part in group.parts]
    else:
        drawn = [group.drawn for group in groups]
    parts = ['<g text-anchor="start">', heading, counted, *talk, "</g>"]
    parts += [_felt(look.palette, top), *drawn]
    width = 2 * MARGIN + COLUMN + (GUTTER + COLUMN if wide else 0)
    return picture.document(width, bottom + MARGIN, f"{name}: {now}", parts, anchor="middle")


@lru_cache(maxsize=256)
def _heading(name: str, now: str, limit: int) -> tuple[str, int]:
    """The title and the caption, and where they end."""
    drawn, y = write(MARGIN, TITLE_Y, name, 18, BOLD), CAPTION_Y
    for line in wrap(now, limit):
        drawn += write(MARGIN, y, line, 15)
        y += LINE
    return drawn, y


@lru_cache(maxsize=1024)
def _counts(texts: tuple[str, ...], y: int) -> tuple[str, int]:
    """The tallies in two columns, the tokens above them; and where they end."""
    tokens, *others = texts
    drawn = ""
    for line in wrap(tokens, LINE_LENGTH):
        drawn += write(MARGIN, y, line, 14)
        y += LINE
    for place, line in enumerate(others):
        drawn += write(MARGIN + place % 2 * COLUMN / 2, y + place // 2 * LINE, line, 13)
    return drawn, y + (len(others) + 1) // 2 * LINE


# ---- The talk ------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _legend_height(tokens: tuple[tuple[str, int], ...]) -> int:
    return 2 * LINE * (sum([1 for _, count in tokens if count]) + 3)


@lru_cache(maxsize=64)
def _legend(
    tokens: tuple[tuple[str, int], ...], language: Language, palette: Palette, x: int, y: int
) -> str:
    """What every take makes of a seat."""
    drawn = write(x, y + LINE, language.gettext("What you take is who you are"), 15, BOLD)
    for take in ("diamonds", *[kind for kind, count in tokens if count], "nothing"):
        y += 2 * LINE
        role, aim = LEGEND[take]
        style = f'{BOLD} fill="{role_colour(palette, take)}"'
        drawn += write(x, y + 4, language.gettext(role), 14, style)
        drawn += write(x + INDENT, y + LINE + 2, language.gettext(aim), 14)
    return drawn


@lru_cache(maxsize=4096)
def _told(sentence: str, x: int, fill: str) -> tuple[int, str]:
    """The number of lines of a sentence, and its drawing after the first y coordinate."""
    first, *others = [escape(line, quote=False) for line in wrap(sentence, LINE_LENGTH)]
    below = "".join([f'<tspan x="{x + INDENT}" dy="{LINE}">{line}</tspan>' for line in others])
    return 1 + len(others), f'" x="{x}"{fill}>{first}{below}</text>'


@lru_cache(maxsize=512)
def _talk_heading(earlier: int, language: Language, x: int, y: int) -> str:
    heading = language.gettext("The talk")
    if earlier:
        text = language.ngettext(
            "The talk, after {count} earlier event",
            "The talk, after {count} earlier events",
            earlier,
        )
        heading = text.format(count=earlier)
    return write(x, y, heading, 15, BOLD)


def _talk(view: View, look: Look, x: int, y: int, limit: int) -> tuple[list[str], int]:
    """The latest events that fit into so many lines, the last one at the bottom; and its end."""
    language, palette = look.language, look.palette
    if not view.events:
        tokens = tuple(view.tokens.items())
        return [_legend(tokens, language, palette, x, y)], y + _legend_height(tokens)
    shown: list[tuple[int, str]] = []
    used, red = 1, f' fill="{palette.red}"'
    for event in reversed(view.events):
        told = _told(tell_event(view, event, language), x, red if event[0] == "accused" else "")
        used += told[0]
        if used > limit:
            break
        shown.append(told)
    earlier = len(view.events) - len(shown)
    drawn = [_talk_heading(earlier, language, x, y + LINE), '<g font-size="14">']
    y += 2 * LINE
    for lines, rest in reversed(shown):
        drawn.append(f'<text y="{y}{rest}')
        y += LINE * lines
    return [*drawn, "</g>"], y - LINE


# ---- The seats and the box -----------------------------------------------------------------------


@lru_cache(maxsize=8)
def _felt(palette: Palette, top: int) -> str:
    return (
        f'<ellipse cx="{CENTRE_X:g}" cy="{top + ABOVE + RADIUS_Y}" rx="{RADIUS_X}"'
        f' ry="{RADIUS_Y}" fill="{palette.felt}" stroke="{PIECES[palette].cedar}"'
        ' stroke-width="6"/>'
    )


def _table(view: View, look: Look, top: int) -> list[Group]:
    """The box and the seats around it."""
    palette, language = look.palette, look.language
    centre_y = top + ABOVE + RADIUS_Y
    shown, when = _known_box(view, language)
    if shown is None:
        groups = [_box(0, None, when, language, palette, centre_y)]
    else:
        tokens = tuple(shown.tokens.items())
        groups = [_box(shown.diamonds, tokens, when, language, palette, centre_y)]
    claimed = {
        event[1]: event[4] for event in view.events if event[3] == "took" and event[4] is not None
    }
    accused = view.events[-1].seat if view.phase == "react" else None
    viewer, actors, winners = view.viewer, view.actors, view.winners
    # In the inquiry only the Godfather has to move, and in other phases every actor.
    others = MAY if view.phase == "inquiry" else MUST
    places, style = _ring(len(view.seats), look.bottom, centre_y), style_of(language, palette)
    for number, seat in enumerate(view.seats):
        received = None
        if seat.received is not None:
            # A box has no hash.
            received = seat.received.diamonds, tuple(seat.received.tokens.items())
            seat = seat._replace(received=None)
        groups.append(
            _seat(
                places[number],
                number,
                seat,
                received,
                claimed.get(number),
                number == viewer,
                (MUST if number == GODFATHER else others) if number in actors else REST,
                number == accused,
                number in winners,
                style,
            )
        )
    return groups


@lru_cache(maxsize=64)
def _ring(count: int, bottom: int | None, centre_y: int) -> tuple[tuple[int, int], ...]:
    """The middle of every seat, clockwise: the Godfather at the top, or a seat at the bottom."""
    turn = 0 if bottom is None else count / 2 - bottom
    angles = [2 * pi * (seat + turn) / count - pi / 2 for seat in range(count)]
    return tuple(
        [
            (round(CENTRE_X + RADIUS_X * cos(angle)), round(centre_y + RADIUS_Y * sin(angle)))
            for angle in angles
        ]
    )


@lru_cache(maxsize=2048)
def _seat(
    place: tuple[int, int],
    number: int,
    seat: Seat,
    received: tuple[int, tuple[tuple[str, int], ...]] | None,
    claimed: str | None,
    is_viewer: bool,
    width: int,
    accused: bool,
    wins: bool,
    style: Style,
) -> Group:
    language, palette = style.language, style.palette
    (x, y), in_play, joker, take = place, seat.in_play, seat.joker, seat.take
    fill = palette.green if wins else palette.card if in_play else palette.felt
    ink = palette.paper if wins else palette.ink
    ring = palette.red if accused else palette.ink if width == REST else palette.yellow
    drawn = (
        f'<circle cx="{x}" cy="{y}" r="22" fill="{fill}" stroke="{ring}"'
        f' stroke-width="{MUST if accused else width}"/>'
    )
    if not in_play:
        drawn += (
            f'<path d="M{x - 16} {y - 16} l32 32 m0 -32 l-32 32" stroke="{palette.red}"'
            ' stroke-width="4" stroke-linecap="round"/>'
        )
    drawn += write(x, y + 8, str(number), 22, f'{BOLD} fill="{ink}"')
    names = [language.gettext("Godfather")] if number == GODFATHER else []
    names += [language.gettext("you")] if is_viewer else []
    names += [language.gettext("wins")] if wins else []
    if names:
        drawn += write(x, y - (36 if joker else 28), ", ".join(names), 14, BOLD)
    if joker:
        drawn += pill(x + 30, y - 22, language.gettext("joker"), palette.yellow, DARK_TEXT)
    below = y + 34
    if take is not None:
        role = name_prize(take, language)
        drawn += pill(x, below, role, role_colour(palette, take), palette.paper)
        below += 22
    elif claimed is not None and not seat.reacted:
        said = language.gettext("“{claim}”").format(claim=name_prize(claimed, language))
        outline = f' stroke="{palette.quiet}" stroke-dasharray="3 2"'
        drawn += pill(x, below, said, palette.card, palette.ink, ' font-style="italic"', outline)
    if seat.reacted:
        drawn += pill(x, below, name_reaction(seat.reaction, language), palette.ink, palette.paper)
    box = None if received is None else Box(received[0], dict(received[1]))
    known = known_of(seat, box, is_viewer=is_viewer, wins=wins, language=language)
    label = ": ".join([name_player(number, language), *([", ".join(known)] if known else [])])
    return grouped([(f"seat-{number}", x - 24, y - 24, 48, 48, drawn, label)])


@lru_cache(maxsize=64)
def _as_received(seat: int, language: Language) -> str:
    return language.gettext("as seat {seat} received it").format(seat=seat)


def _known_box(view: View, language: Language) -> tuple[Box | None, str]:
    """The latest box that the viewer knows, and when it was like that."""
    if view.phase == "hide":
        return Box(ALL_DIAMONDS, view.tokens), language.gettext("before it goes round")
    came_back = view.seats[GODFATHER].received
    if came_back is not None and (view.viewer <= GODFATHER or view.outcome is not None):
        return came_back, language.gettext("as it came back")
    # The referee looks over the shoulder of the seat that has the box.
    seat = view.actors[0] if view.viewer < 0 else view.viewer
    received = view.seats[seat].received
    if received is not None:
        if seat in view.actors and view.phase == "take":
            received = open_box(view, seat)
        return received, _as_received(seat, language)
    return None, language.gettext("cigar box")


@lru_cache(maxsize=256)
def _box(
    diamonds: int,
    tokens: tuple[tuple[str, int], ...] | None,
    when: str,
    language: Language,
    palette: Palette,
    centre_y: int,
) -> Group:
    """The cigar box, its diamonds and its tokens. A diamond shows how many it is with those before.

    Without tokens (None) the box is closed.
    """
    pieces = PIECES[palette]
    held = [(kind, count) for kind, count in tokens or () if count]
    rows = (diamonds + 4) // 5
    height = max(CLOSED_HEIGHT, 31 + 27 * rows + 22 * len(held))
    x, y = CENTRE_X - BOX_WIDTH / 2, centre_y - height / 2 + 10
    lid = height if tokens is None else 24
    drawn = (
        f'<rect x="{x:g}" y="{y:g}" width="{BOX_WIDTH}" height="{height}" rx="8"'
        f' fill="{pieces.cedar}"/>'
        f'<rect x="{x:g}" y="{y:g}" width="{BOX_WIDTH}" height="{lid}" rx="8" fill="{pieces.lid}"/>'
    )
    style = f' fill="{CREAM}"'
    drawn += write(CENTRE_X, y + lid / 2 + 5, when, 13 if tokens is not None else 16, style)
    if tokens is not None and not diamonds and not held:
        drawn += write(CENTRE_X, y + 70, language.gettext("empty"), 18, style)
    parts: list[Part] = [("box", x, y, BOX_WIDTH, height, drawn, "")]
    for place in range(diamonds):
        left, above = x + 6 + place % 5 * 36, y + 29 + place // 5 * 27
        gem = _gem(left, above, place + 1, pieces)
        parts.append((f"diamond-{place + 1}", left, above, 34, 25, gem, ""))
    below = y + 31 + 27 * rows
    left, width = x + 4, BOX_WIDTH - 8
    style = f'{BOLD} fill="{palette.paper}"'
    for place, (kind, count) in enumerate(held):
        above = below + place * 22
        token = (
            f'<rect x="{left:g}" y="{above:g}" width="{width}" height="20" rx="10"'
            f' fill="{role_colour(palette, kind)}" stroke="{CREAM}"/>'
            + write(CENTRE_X, above + 14.5, name_count(kind, count, language), 13, style)
        )
        parts.append((f"token-{kind}", left, above, width, 20, token, ""))
    return grouped(parts)


def _gem(x: float, y: float, number: int, pieces: Pieces) -> str:
    corners = ((0, 8), (8, 0), (26, 0), (34, 8), (17, 25))
    points = " ".join([f"{x + right:g},{y + down:g}" for right, down in corners])
    style = f' fill="{pieces.number}" font-weight="bold"'
    shape = f'<polygon points="{points}" fill="{pieces.gem}" stroke="{pieces.number}"/>'
    return shape + write(x + 17, y + 14, str(number), 12, style)
