"""Drawings of a Mafia de Cuba view: the seats around the box, the talk, and what can be said.

What everybody sees can be kept for other pictures: the setup, the caption and the talk. What seats
took and boxes contained never is, see pieces.py.
"""

from __future__ import annotations

from functools import lru_cache

from tablier_core.drawing import Look, Palette, Picture, escape
from tablier_core.games.mafia_de_cuba.captions import (
    COUNTERS,
    Counters,
    caption,
    counters,
    known_of,
    secrets,
    tell_counters,
    tell_statements,
    tell_tokens,
    title,
)
from tablier_core.games.mafia_de_cuba.desk import desk_height, draw_desk, topic_of
from tablier_core.games.mafia_de_cuba.gathering import draw_table
from tablier_core.games.mafia_de_cuba.observe import GODFATHER, View
from tablier_core.games.mafia_de_cuba.pieces import TABLE_HEIGHT
from tablier_core.games.mafia_de_cuba.shapes import BOLD, COLUMN, MARGIN, role_colour, wrap, write
from tablier_core.games.mafia_de_cuba.words import tell_event
from tablier_core.languages import Language

# ---- Text ----------------------------------------------------------------------------------------


def draw_text(view: View, language: Language) -> str:
    """Draw the seats as a list, for a terminal."""
    public = counters(view)
    counted = [
        tell_tokens(view.tokens, language),
        *tell_counters(public, language),
        *secrets(view, language),
        *tell_statements(public, language),
    ]
    lines = [title(view.viewer, language), *(f"  {line}" for line in counted)]
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

GUTTER = 24
# Below this width in pixels, the talk stands under the table and not beside it.
WIDE = 640
LINE = 20
TITLE_Y, CAPTION_Y = 32, 58
LINE_LENGTH, CAPTION_LENGTH = 53, 50
INDENT = 12  # of lines that continue a sentence
LEAST_TALK, MOST_TALK, NARROW_TALK = 7, 20, 14  # lines
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
    language, picture = look.language, Picture(look)
    wide = not 0 < look.width < WIDE
    name, now = title(view.viewer, language), caption(view, language)
    heading, top = _heading(name, now, CAPTION_LENGTH * (2 if wide else 1))
    tokens, topic = tuple(view.tokens.items()), topic_of(view)
    counted, bottom = _counts(view, tokens, language, top + TABLE_HEIGHT)
    height = desk_height(tokens, topic)
    if wide:
        talk_x, talk_y = MARGIN + COLUMN + GUTTER, top
        room = _legend_height(tokens)
        bottom = max(bottom, top + height + (LINE * LEAST_TALK if view.events else room))
        desk_y = bottom - height
        talk, end = _talk(view, look, talk_x, talk_y, min((desk_y - top) // LINE - 1, MOST_TALK))
        if view.events and end + room < desk_y:
            legend = _legend(tokens, language, look.palette)
            talk.append(f'<g transform="translate({talk_x} {end + LINE})">{legend}</g>')
    else:
        talk_x, desk_y = MARGIN, bottom
        talk, bottom = _talk(view, look, talk_x, desk_y + height, NARROW_TALK)
    parts = ['<g text-anchor="start">', heading, *counted, *talk, "</g>"]
    parts += draw_table(view, picture, top)
    if topic is not None:
        desk = draw_desk(topic, tokens, language, look.palette)
        parts.append(f'<g transform="translate({talk_x} {desk_y})">{desk.drawn}</g>')
        if picture.marked:
            for part, x, y, *size in desk.places:
                picture.place(part, talk_x + x, desk_y + y, *size)
    width = 2 * MARGIN + COLUMN + (GUTTER + COLUMN if wide else 0)
    words = language.gettext("{part}: {rest}").format(part=name, rest=now)
    return picture.document(width, bottom + MARGIN, words, parts, anchor="middle")


@lru_cache(maxsize=256)
def _heading(name: str, now: str, limit: int) -> tuple[str, int]:
    """The title and the caption, and where they end."""
    drawn, y = write(MARGIN, TITLE_Y, name, 18, BOLD), CAPTION_Y
    for line in wrap(now, limit):
        drawn += write(MARGIN, y, line, 15)
        y += LINE
    return drawn, y


def _counts(
    view: View, tokens: tuple[tuple[str, int], ...], language: Language, y: int
) -> tuple[list[str], int]:
    """The tallies in two columns, the tokens above them; and where they end."""
    setup, y = _setup(tokens, language, y)
    known = tuple(secrets(view, language))
    public = _tallies(counters(view), len(known), language, y)
    drawn = [_tally(place, line, y) for place, line in enumerate(known, start=COUNTERS)]
    count = COUNTERS + len(known) + (view.viewer > GODFATHER)
    return [setup, public, *drawn], y + (count + 1) // 2 * LINE


# Everybody counts these.
@lru_cache(maxsize=1024)
def _tallies(public: Counters, secret: int, language: Language, y: int) -> str:
    """The public tallies, with a gap for secret ones."""
    lines = [*tell_counters(public, language), *[""] * secret, *tell_statements(public, language)]
    return "".join([_tally(place, line, y) for place, line in enumerate(lines) if line])


def _tally(place: int, line: str, y: int) -> str:
    return write(MARGIN + place % 2 * COLUMN // 2, y + place // 2 * LINE, line, 13)


@lru_cache(maxsize=64)
def _setup(tokens: tuple[tuple[str, int], ...], language: Language, y: int) -> tuple[str, int]:
    """The tokens of the setup, and where they end."""
    drawn = ""
    for line in wrap(tell_tokens(dict(tokens), language), LINE_LENGTH):
        drawn += write(MARGIN, y, line, 14)
        y += LINE
    return drawn, y


# ---- The talk ------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _legend_height(tokens: tuple[tuple[str, int], ...]) -> int:
    return 2 * LINE * (sum([1 for _, count in tokens if count]) + 3)


@lru_cache(maxsize=64)
def _legend(tokens: tuple[tuple[str, int], ...], language: Language, palette: Palette) -> str:
    """What every take makes of a seat, from the top left corner."""
    y, drawn = 0, write(0, LINE, language.gettext("What you take is who you are"), 15, BOLD)
    for take in ("diamonds", *[kind for kind, count in tokens if count], "nothing"):
        y += 2 * LINE
        role, aim = LEGEND[take]
        style = f'{BOLD} fill="{role_colour(palette, take)}"'
        drawn += write(0, y + 4, language.gettext(role), 14, style)
        drawn += write(INDENT, y + LINE + 2, language.gettext(aim), 14)
    return drawn


@lru_cache(maxsize=4096)
def _drawn_event(sentence: str, x: int, fill: str) -> tuple[int, str]:
    """The number of lines of a sentence, and its drawing after the first y coordinate."""
    first, *others = [escape(line, quote=False) for line in wrap(sentence, LINE_LENGTH)]
    below = "".join([f'<tspan x="{x + INDENT}" dy="{LINE}">{line}</tspan>' for line in others])
    return 1 + len(others), f'" x="{x}"{fill}>{first}{below}</text>'


def _talk_heading(earlier: int, language: Language, x: int, y: int) -> str:
    heading = language.gettext("The talk")
    if earlier:
        text = language.ngettext(
            "The talk, after {count} earlier event",
            "The talk, after {count} earlier events",
            earlier,
        )
        heading = text.format(count=earlier)
    shown = escape(heading, quote=False)
    return f'<text x="{x}" y="{y}" font-size="15"{BOLD}>{shown}</text>'


def _talk(view: View, look: Look, x: int, y: int, limit: int) -> tuple[list[str], int]:
    """The latest events that fit into `limit` lines, the last one at the bottom; and its end."""
    language, palette = look.language, look.palette
    if not view.events:
        tokens = tuple(view.tokens.items())
        legend = f'<g transform="translate({x} {y})">{_legend(tokens, language, palette)}</g>'
        return [legend], y + _legend_height(tokens)
    shown: list[tuple[int, str]] = []
    used, red = 1, f' fill="{palette.red}"'
    for event in reversed(view.events):
        entry = _drawn_event(
            tell_event(view, event, language), x, red if event[0] == "accused" else ""
        )
        used += entry[0]
        if used > limit:
            break
        shown.append(entry)
    earlier = len(view.events) - len(shown)
    drawn = [_talk_heading(earlier, language, x, y + LINE), '<g font-size="14">']
    y += 2 * LINE
    for lines, rest in reversed(shown):
        drawn.append(f'<text y="{y}{rest}')
        y += LINE * lines
    return [*drawn, "</g>"], y - LINE
