"""Drawings of a Mafia de Cuba view: the ring of seats, the box, and what was said."""

from __future__ import annotations

from math import cos, pi, sin

from tablier_core.games.mafia_de_cuba.observe import GODFATHER, Box, Event, Seat, Tokens, View

LETTERS = {"loyal": "L", "fbi": "F", "cia": "C", "driver": "D", "cleaner": "N"}
OUTCOMES = {
    "godfather": "The Godfather has all his diamonds back",
    "agent": "The Godfather accused an agent",
    "cleaner": "The cleaner shot an agent",
    "thieves": "The Godfather is out",
}

# ---- Words, for both drawings --------------------------------------------------------------------


def spell(tokens: Tokens) -> str:
    """Token counts as in the notation."""
    return "".join(f"{LETTERS[kind]}{count}" for kind, count in tokens.items() if count) or "-"


def spell_claim(claim: int | Tokens | str) -> str:
    """A claim as in the notation."""
    return str(claim) if isinstance(claim, int | str) else spell(claim)


def spell_take(take: str) -> str:
    """A take, with its unit."""
    if not take.isdigit():
        return take
    return f"{take} diamond" if take == "1" else f"{take} diamonds"


def tell(view: View, event: Event) -> str:
    """An event in one line."""
    if event.kind == "unasked":
        assert event.claim is not None
        return f"{event.seat} says: {event.question} {spell_claim(event.claim)}"
    if event.kind == "asked":
        if event.open:
            return f"{event.seat} is asked: {event.question}?"
        answer = "silent" if event.claim is None else spell_claim(event.claim)
        return f"{event.seat} is asked: {event.question}? {answer}"
    if event.open:
        return f"{event.seat} is accused"
    take = view.seats[event.seat].take
    shown = "" if take is None else f": {spell_take(take)}"
    return f"{event.seat} is accused{shown}" + (
        f", and shot by {event.shooter}" if event.shooter is not None else ""
    )


def caption(view: View) -> str:
    """One line on how things stand."""
    if view.outcome is not None:
        seats = " ".join(map(str, view.winners)) or "nobody"
        return f"{OUTCOMES[view.outcome]}. Winners: {seats}"
    if view.phase == "hide":
        return "The Godfather keeps some diamonds back"
    if view.phase == "pouch":
        return "Seat 1 may put a token in the pouch"
    if view.phase == "take":
        return f"Seat {view.actors[0]} helps itself"
    if view.phase == "inquiry":
        others = " ".join(map(str, view.actors[1:]))
        return "The Godfather asks or accuses" + (f"; {others} may speak" if others else "")
    if view.phase == "answer":
        return f"Seat {view.actors[0]} answers"
    waiting = " ".join(map(str, view.actors))
    return f"Seat {view.events[-1].seat} is accused; still to react: {waiting}"


def whose(view: View) -> str:
    """Whose eyes the drawing has."""
    if view.viewer < 0:
        return "the referee's view"
    return "the Godfather's view" if view.viewer == GODFATHER else f"the view of seat {view.viewer}"


def last_box(view: View) -> tuple[Box, str] | None:
    """The latest box that the viewer knows, and at what time it was so."""
    for seat in (GODFATHER, *reversed(range(1, len(view.seats)))):
        box = view.seats[seat].received
        if box is not None:
            return box, "as it came back" if seat == GODFATHER else f"as seat {seat} received it"
    return None


def tallies(view: View) -> list[str]:
    """What can be counted, a line each."""
    lines = [
        f"set up with {spell(view.tokens)}",
        f"jokers left {view.jokers_left} of {view.jokers}",
        f"questions left {view.questions_left} of {view.questions}",
        f"recovered {spell_take(str(view.recovered))}",
    ]
    if view.hidden is not None:
        lines.append(f"the Godfather kept {view.hidden}")
    if view.pouch is not None:
        lines.append(f"in the pouch: {view.pouch}")
    return lines


# ---- Text ----------------------------------------------------------------------------------------


def draw_text(view: View) -> str:
    """The ring of seats as a list, for a terminal."""
    lines = [f"Mafia de Cuba, {whose(view)}", *(f"  {line}" for line in tallies(view))]
    for number, seat in enumerate(view.seats):
        marks = [
            "Godfather" if number == GODFATHER else "",
            "" if seat.in_play else "out",
            "joker" if seat.joker else "",
            f"took {spell_take(seat.take)}" if seat.take is not None else "",
            f"box {seat.received.diamonds} {spell(seat.received.tokens)}" if seat.received else "",
            (seat.reaction or "has answered") if seat.reacted else "",
            "wins" if number in view.winners else "",
        ]
        pointer = ">" if number in view.actors else " "
        lines.append(f"{pointer}{number:3}  {', '.join(filter(None, marks))}".rstrip())
    lines += [f"  {tell(view, event)}" for event in view.events]
    return "\n".join([*lines, caption(view)])


# ---- SVG -----------------------------------------------------------------------------------------

WIDTH, HEIGHT = 1000, 700
CENTRE_X, CENTRE_Y, RADIUS_X, RADIUS_Y = 325, 345, 245, 245
PANEL_X, PANEL_LINES = 690, 24
INK, PAPER, FELT, WOOD, GEM, GOLD, ALARM, FADED = (
    "#2b2622", "#f4ede1", "#dcc9a3", "#8a5a33", "#4a90b8", "#d9a520", "#c0392b", "#a59a88",
)  # fmt: skip
ROLES = {
    "loyal": "#3f7d4e", "fbi": "#34558b", "cia": "#5b4a8a", "driver": "#8b6a2b",
    "cleaner": "#7a2f2f", "nothing": "#77706a",
}  # fmt: skip


def _text(x: float, y: float, words: str, size: int = 13, **style: str) -> str:
    """A line of text; words come from this module and the notation, so nothing needs escaping."""
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}"{more}>{words}</text>'


def _pill(x: float, y: float, words: str, fill: str) -> str:
    width = 16 + 7 * len(words)
    return (
        f'<rect x="{x - width / 2:g}" y="{y - 10:g}" width="{width}" height="20" rx="10"'
        f' fill="{fill}"/>' + _text(x, y + 4, words, 12, fill="#ffffff", font_weight="600")
    )


def _gem(x: float, y: float, size: float) -> str:
    points = ((-1, -0.3), (-0.5, -0.9), (0.5, -0.9), (1, -0.3), (0, 1))
    path = " ".join(f"{x + size * a:g},{y + size * b:g}" for a, b in points)
    return f'<polygon points="{path}" fill="{GEM}" stroke="{INK}" stroke-width="0.8"/>'


def _place(view: View, seat: int) -> tuple[float, float]:
    """Where a seat sits: the Godfather on top, then clockwise, as the box goes."""
    angle = 2 * pi * seat / len(view.seats) - pi / 2
    return CENTRE_X + RADIUS_X * cos(angle), CENTRE_Y + RADIUS_Y * sin(angle)


def _take(x: float, y: float, take: str) -> str:
    if take.isdigit():
        # The pill has room for the stone behind the number.
        return _pill(x, y, "    ", "#2f6f94") + (
            _text(x - 8, y + 4, take, 12, fill="#ffffff", font_weight="600") + _gem(x + 9, y, 6)
        )
    return _pill(x, y, take, ROLES[take])


def _last_words(view: View, seat: int) -> str | None:
    """The latest statement of a seat, or what it is being asked."""
    for event in reversed(view.events):
        if event.seat == seat and event.kind != "accused":
            assert event.question is not None
            # A count and a set of tokens do not look alike, so the verb alone says enough.
            verb = event.question.split("-")[0]
            if event.open:
                return f"{event.question}?"
            return "silent" if event.claim is None else f"“{verb} {spell_claim(event.claim)}”"
    return None


def _seat(view: View, number: int, seat: Seat) -> list[str]:
    x, y = _place(view, number)
    accused = view.phase == "react" and view.events[-1].seat == number
    ring = ALARM if accused else GOLD if number in view.actors else INK
    fill = FADED if not seat.in_play else "#ffffff" if number == view.viewer else FELT
    width = 2 if ring == INK else 5
    circle = f'<circle cx="{x:g}" cy="{y:g}" r="27" fill="{fill}"'
    parts = [f'{circle} stroke="{ring}" stroke-width="{width}"/>']
    if not seat.in_play:
        parts.append(
            f'<path d="M{x - 18:g} {y - 18:g} l36 36 m0 -36 l-36 36" stroke="{ALARM}"'
            ' stroke-width="5" stroke-linecap="round"/>'
        )
    parts.append(_text(x, y + 8, str(number), 22, font_weight="700"))
    if seat.joker:
        parts.append(_pill(x + 37, y - 20, "joker", GOLD))
    if seat.reacted:
        parts.append(_pill(x + 53, y + 14, seat.reaction or "answered", FADED))
    if number in view.winners:
        parts.append(_pill(x - 37, y - 20, "wins", "#2e7d32"))
    names = ["Godfather"] if number == GODFATHER else []
    names += ["you"] if number == view.viewer else []
    if names:
        parts.append(_text(x, y - 34, ", ".join(names), 14, font_weight="600"))
    if seat.take is not None:
        parts.append(_take(x, y + 40, seat.take))
    words = _last_words(view, number)
    if words is not None:
        parts.append(_text(x, y + 65, words, 12, font_style="italic"))
    return parts


def _centre(view: View) -> list[str]:
    """The box as the viewer last knew it, and what can be counted."""
    parts = [
        (
            f'<ellipse cx="{CENTRE_X}" cy="{CENTRE_Y}" rx="{RADIUS_X - 105}" ry="{RADIUS_Y - 95}"'
            f' fill="{FELT}" stroke="{WOOD}" stroke-width="6"/>'
        ),
        (
            f'<rect x="{CENTRE_X - 85}" y="{CENTRE_Y - 105}" width="170" height="76" rx="8"'
            f' fill="{WOOD}" stroke="{INK}" stroke-width="2"/>'
        ),
    ]
    found = last_box(view)
    if found is None:
        parts.append(_text(CENTRE_X, CENTRE_Y - 62, "cigar box", 16, fill=PAPER))
    else:
        box, when = found
        parts += [
            _gem(CENTRE_X - 52, CENTRE_Y - 77, 11),
            _text(CENTRE_X - 26, CENTRE_Y - 70, str(box.diamonds), 20, fill=PAPER),
            _text(CENTRE_X + 34, CENTRE_Y - 70, spell(box.tokens), 15, fill=PAPER),
            _text(CENTRE_X, CENTRE_Y - 42, when, 12, fill=PAPER),
        ]
    for row, line in enumerate(tallies(view)):
        parts.append(_text(CENTRE_X, CENTRE_Y + 2 + 20 * row, line, 14))
    return parts


def _panel(view: View) -> list[str]:
    """What was said, the latest last; the beginning gives way to what does not fit."""
    lines = [tell(view, event) for event in view.events]
    shown = lines[-PANEL_LINES:]
    title = "What was said" if len(shown) == len(lines) else "What was said lately"
    parts = [
        (
            f'<line x1="{PANEL_X - 20}" y1="30" x2="{PANEL_X - 20}" y2="{HEIGHT - 30}"'
            f' stroke="{WOOD}" stroke-width="2"/>'
        ),
        _text(PANEL_X, 44, title, 16, text_anchor="start", font_weight="700"),
    ]
    for row, line in enumerate(shown):
        colour = ALARM if "accused" in line else INK
        parts.append(_text(PANEL_X, 72 + 25 * row, line, 14, text_anchor="start", fill=colour))
    return parts


def draw_svg(view: View) -> str:
    """The table as a picture on its own paper, so that it reads alike on light and dark pages."""
    title = f"Mafia de Cuba, {whose(view)}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{title}: {caption(view)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="14" fill="{PAPER}"/>',
        f'<g font-family="system-ui, sans-serif" text-anchor="middle" fill="{INK}">',
        _text(20, 30, title, 16, text_anchor="start", font_weight="700"),
        *_centre(view),
    ]
    for number, seat in enumerate(view.seats):
        parts.extend(_seat(view, number, seat))
    parts += [*_panel(view), _text(20, HEIGHT - 18, caption(view), 16, text_anchor="start")]
    return "\n".join([*parts, "</g></svg>"])
