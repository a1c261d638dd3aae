"""Drawings of a Mafia de Cuba view: the ring of seats, the box, and the talk."""

from __future__ import annotations

from math import cos, pi, sin

from tablier_core.drawing import (
    BLUE,
    FELT,
    GREEN,
    INK,
    PAPER,
    QUIET,
    RED,
    YELLOW,
    Look,
    attributes,
    box,
    counted,
    disc,
    document,
    name_seats,
    text,
)
from tablier_core.games.mafia_de_cuba.notation import KIND_LETTERS, KIND_NAMES
from tablier_core.games.mafia_de_cuba.observe import GODFATHER, Box, Event, Seat, Tokens, View
from tablier_core.languages import Language

LETTERS = dict(zip(KIND_NAMES, KIND_LETTERS, strict=True))
OUTCOMES = {
    "godfather": "The Godfather has all his diamonds back",
    "agent": "The Godfather accused an agent",
    "cleaner": "The cleaner shot an agent",
    "thieves": "The Godfather is out",
}

# ---- Words for both drawings ---------------------------------------------------------------------


def spell(tokens: Tokens) -> str:
    """Spell token counts as in the notation."""
    return "".join(f"{LETTERS[kind]}{count}" for kind, count in tokens.items() if count) or "-"


def spell_claim(claim: int | Tokens | str) -> str:
    """Spell a claim as in the notation."""
    return str(claim) if isinstance(claim, int | str) else spell(claim)


def spell_take(take: str) -> str:
    """Spell a take, with its unit."""
    return counted(int(take), "diamond") if take.isdigit() else take


def describe_event(view: View, event: Event) -> str:
    """Describe an event in one line."""
    if event.kind == "unasked":
        assert event.claim is not None
        return f"{event.seat} says: {event.question} {spell_claim(event.claim)}"
    if event.kind == "asked":
        if event.open:
            return f"{event.seat} is asked: {event.question}?"
        answer = "silent" if event.claim is None else spell_claim(event.claim)
        return f"{event.seat} is asked: {event.question}? {answer}"
    shot = "" if event.shooter is None else f" and shot by {event.shooter}"
    take = None if event.open else view.seats[event.seat].take
    return f"{event.seat} is accused{shot}" + ("" if take is None else f": {spell_take(take)}")


def caption(view: View) -> str:
    """Describe the situation in one line."""
    if view.outcome is not None:
        winners = name_seats(view.winners) if view.winners else "nobody"
        return f"{OUTCOMES[view.outcome]}. Winners: {winners}"
    if view.phase == "hide":
        return "The Godfather may hide some diamonds"
    if view.phase == "pouch":
        return "Seat 1 may put a token in the pouch"
    if view.phase == "take":
        return f"Seat {view.actors[0]} takes something from the box"
    if view.phase == "inquiry":
        others = view.actors[1:]
        return "The Godfather asks or accuses" + (
            f"; {name_seats(others)} may speak" if others else ""
        )
    if view.phase == "answer":
        return f"Seat {view.actors[0]} answers"
    return f"Seat {view.events[-1].seat} is accused; waiting for {name_seats(view.actors)} to react"


def name_viewer(view: View) -> str:
    """Name the point of view."""
    if view.viewer < 0:
        return "the referee's view"
    return "the Godfather's view" if view.viewer == GODFATHER else f"the view of seat {view.viewer}"


def last_box(view: View) -> tuple[Box, str] | None:
    """The latest box that the viewer knows, and when it was like that."""
    for seat in (GODFATHER, *reversed(range(1, len(view.seats)))):
        received = view.seats[seat].received
        if received is not None:
            when = "as it came back" if seat == GODFATHER else f"as seat {seat} received it"
            return received, when
    return None


def tallies(view: View) -> list[str]:
    """Lines with everything that is counted."""
    lines = [
        f"tokens at the start: {spell(view.tokens)}",
        f"jokers left: {view.jokers_left} of {view.jokers}",
        f"questions left: {view.questions_left} of {view.questions}",
        f"diamonds recovered: {view.recovered}",
    ]
    if view.hidden is not None:
        lines.append(f"diamonds hidden: {view.hidden}")
    if view.pouch is not None:
        lines.append(f"in the pouch: {view.pouch}")
    return lines


# ---- Text ----------------------------------------------------------------------------------------


def draw_text(view: View, language: Language) -> str:
    """Draw the ring of seats as a list, for a terminal."""
    lines = [f"Mafia de Cuba, {name_viewer(view)}", *(f"  {line}" for line in tallies(view))]
    for number, seat in enumerate(view.seats):
        marks = [
            "Godfather" if number == GODFATHER else "",
            "" if seat.in_play else "out",
            "joker" if seat.joker else "",
            f"took {spell_take(seat.take)}" if seat.take is not None else "",
            f"box {seat.received.diamonds} {spell(seat.received.tokens)}" if seat.received else "",
            (seat.reaction or "has reacted") if seat.reacted else "",
            "wins" if number in view.winners else "",
        ]
        pointer = ">" if number in view.actors else " "
        lines.append(f"{pointer}{number:3}  {', '.join(filter(None, marks))}".rstrip())
    lines += [f"  {describe_event(view, event)}" for event in view.events]
    return "\n".join([*lines, caption(view)])


# ---- SVG -----------------------------------------------------------------------------------------

WIDTH, HEIGHT = 1000, 700
CENTRE_X, CENTRE_Y, RADIUS_X, RADIUS_Y = 325, 345, 245, 245
PANEL_X, PANEL_LINES = 690, 24
CEDAR, GEM, STOLEN, FADED = "#8a5a33", "#7fbfe0", "#2f6f94", "#b8ad9c"
ROLES = {
    "loyal": GREEN, "fbi": BLUE, "cia": "#5b4a8a", "driver": "#8b6a2b", "cleaner": "#7a2f2f",
    "nothing": QUIET,
}  # fmt: skip


def _pill(x: float, y: float, words: str, fill: str) -> str:
    width = 16 + 7 * len(words)
    label = text(x, y + 4, words, 12, fill=PAPER, font_weight="bold")
    return box(x - width / 2, y - 10, width, 20, fill, radius=10) + label


def _gem(x: float, y: float, size: float) -> str:
    corners = ((-1, -0.3), (-0.5, -0.9), (0.5, -0.9), (1, -0.3), (0, 1))
    points = " ".join(f"{x + size * a:g},{y + size * b:g}" for a, b in corners)
    return f"<polygon{attributes(points=points, fill=GEM, stroke=INK, stroke_width=0.8)}/>"


def _place(view: View, seat: int) -> tuple[float, float]:
    """The centre of a seat: the Godfather at the top, the others clockwise, as the box goes."""
    angle = 2 * pi * seat / len(view.seats) - pi / 2
    return CENTRE_X + RADIUS_X * cos(angle), CENTRE_Y + RADIUS_Y * sin(angle)


def _take(x: float, y: float, take: str) -> str:
    if not take.isdigit():
        return _pill(x, y, take, ROLES[take])
    number = text(x - 8, y + 4, take, 12, fill=PAPER, font_weight="bold")
    return box(x - 22, y - 10, 44, 20, STOLEN, radius=10) + number + _gem(x + 9, y, 6)


def _last_words(view: View, seat: int) -> str | None:
    """The latest claim of a seat, or the question that it is asked."""
    for event in reversed(view.events):
        if event.seat == seat and event.kind != "accused":
            assert event.question is not None
            if event.open:
                return f"{event.question}?"
            # The claim shows whether diamonds or tokens are meant, so the verb is enough.
            verb = event.question.split("-")[0]
            return "silent" if event.claim is None else f"“{verb} {spell_claim(event.claim)}”"
    return None


def _seat(view: View, number: int, seat: Seat) -> list[str]:
    x, y = _place(view, number)
    accused = view.phase == "react" and view.events[-1].seat == number
    ring = RED if accused else YELLOW if number in view.actors else INK
    fill = FADED if not seat.in_play else "#ffffff" if number == view.viewer else FELT
    parts = [disc(x, y, 27, fill, stroke=ring, stroke_width=2 if ring == INK else 5)]
    if not seat.in_play:
        cross = f"M{x - 18:g} {y - 18:g} l36 36 m0 -36 l-36 36"
        style = attributes(d=cross, stroke=RED, stroke_width=5, stroke_linecap="round")
        parts.append(f"<path{style}/>")
    parts.append(text(x, y + 8, number, 22, font_weight="bold"))
    if seat.joker:
        parts.append(_pill(x + 37, y - 20, "joker", "#b8860b"))
    if seat.reacted:
        parts.append(_pill(x + 50, y + 14, seat.reaction or "reacted", QUIET))
    if number in view.winners:
        parts.append(_pill(x - 37, y - 20, "wins", GREEN))
    names = ["Godfather"] if number == GODFATHER else []
    names += ["you"] if number == view.viewer else []
    if names:
        parts.append(text(x, y - 34, ", ".join(names), 14, font_weight="bold"))
    if seat.take is not None:
        parts.append(_take(x, y + 40, seat.take))
    words = _last_words(view, number)
    if words is not None:
        below = 46 if seat.take is None else 65
        parts.append(text(x, y + below, words, 12, font_style="italic"))
    return parts


def _centre(view: View) -> list[str]:
    """The box as the viewer last knew it, and the tallies."""
    table = attributes(
        cx=CENTRE_X, cy=CENTRE_Y, rx=RADIUS_X - 105, ry=RADIUS_Y - 95,
        fill=FELT, stroke=CEDAR, stroke_width=6,
    )  # fmt: skip
    parts = [
        f"<ellipse{table}/>",
        box(CENTRE_X - 85, CENTRE_Y - 105, 170, 76, CEDAR, 8, stroke=INK, stroke_width=2),
    ]
    found = last_box(view)
    if found is None:
        parts.append(text(CENTRE_X, CENTRE_Y - 62, "cigar box", 16, fill=PAPER))
    else:
        received, when = found
        parts += [
            _gem(CENTRE_X - 52, CENTRE_Y - 77, 11),
            text(CENTRE_X - 26, CENTRE_Y - 70, received.diamonds, 20, fill=PAPER),
            text(CENTRE_X + 34, CENTRE_Y - 70, spell(received.tokens), 15, fill=PAPER),
            text(CENTRE_X, CENTRE_Y - 42, when, 12, fill=PAPER),
        ]
    for row, line in enumerate(tallies(view)):
        parts.append(text(CENTRE_X, CENTRE_Y + 2 + 20 * row, line, 14))
    return parts


def _panel(view: View) -> list[str]:
    """The talk, with the latest event at the bottom."""
    shown = view.events[-PANEL_LINES:]
    title = "The talk" if len(shown) == len(view.events) else f"The last {len(shown)} events"
    style = attributes(
        x1=PANEL_X - 20, y1=30, x2=PANEL_X - 20, y2=HEIGHT - 50, stroke=CEDAR, stroke_width=2
    )
    parts = [
        f"<line{style}/>",
        text(PANEL_X, 44, title, 16, text_anchor="start", font_weight="bold"),
    ]
    for row, event in enumerate(shown):
        colour = RED if event.kind == "accused" else INK
        line = describe_event(view, event)
        parts.append(text(PANEL_X, 72 + 25 * row, line, 14, text_anchor="start", fill=colour))
    return parts


def draw_svg(view: View, look: Look) -> str:
    """Draw the table as a picture."""
    title = f"Mafia de Cuba, {name_viewer(view)}"
    parts = [
        text(20, 30, title, 16, text_anchor="start", font_weight="bold"),
        *_centre(view),
    ]
    for number, seat in enumerate(view.seats):
        parts.extend(_seat(view, number, seat))
    parts += [*_panel(view), text(20, HEIGHT - 18, caption(view), 16, text_anchor="start")]
    return document(WIDTH, HEIGHT, f"{title}: {caption(view)}", parts, anchor="middle")
