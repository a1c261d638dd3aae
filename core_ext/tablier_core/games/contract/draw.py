"""Drawings of a view of Contract: lines for a terminal, and a picture for a page."""

from __future__ import annotations

from tablier_core.games.contract.observe import Cards, SeatView, Special, Stake, View
from tablier_core.games.contract.picture import halves, name_kinds, svg_table

SIDES = {
    "families-3": "3 families",
    "families-4": "4 families",
    "same-2": "2 of a family",
    "same-3": "3 of a family",
    "blackmats-2": "2 Blackmats",
    "twos-3": "three 2s",
    "most-mafiosi": "most Mafiosi",
    "largest-family": "largest family",
    "most-threes": "most 3s",
    "most-twos": "most 2s",
}


def score(view: View, seat: int) -> int:
    """Briefcases so far, and traffics when they have been given."""
    points = sum(tile.worth for tile in view.briefcases if tile.holder == seat)
    for traffic in view.traffics:
        points += traffic.first if traffic.first_to == seat else 0
        points += traffic.second if traffic.second_to == seat else 0
    return points


def caption(view: View) -> str:
    """One line on how things stand."""
    if view.phase == "over":
        scores = [score(view, seat) for seat in range(len(view.seats))]
        winners = [str(seat) for seat, points in enumerate(scores) if points == max(scores)]
        if len(winners) == 1:
            return f"The game is over: seat {winners[0]} wins with {max(scores)} points"
        return f"The game is over: seats {', '.join(winners)} share the win, {max(scores)} points"
    task = {
        "action": "acts",
        "pieces": "places tokens and cards",
        "pay": "pays",
        "chase": "says where Copper flees",
        "join": "says which column a Blackmat joins",
        "copper": "drops a rival's Mafioso or takes the Copper card",
    }[view.phase]
    if view.action is not None:
        pawn = {"copper": "to move Copper", "vicelard": "to move Vicelard"}
        task += f" ({pawn.get(view.action.kind, view.action.kind)}, place {view.action.target})"
    return f"Round {view.round} of {view.rounds}: seat {view.to_move} {task}"


def _cards(cards: Cards) -> str:
    if cards.kinds is None or not cards.count:
        return str(cards.count)
    return f"{cards.count} ({name_kinds(cards.kinds)})"


def _stake(seat: int, stake: Stake) -> str:
    parts = []
    for name in ("token", "contract", "dollar"):
        count = getattr(stake, f"{name}s")
        parts += [f"{count} {name}{'s' * (count > 1)}"] if count else []
    parts += [name for name in ("vicelard", "copper") if getattr(stake, name)]
    parts += [f"{_cards(stake.down)} face down"] if stake.down.count else []
    return f"seat {seat}: {', '.join(parts)} = {halves(stake.points)}"


def _row(view: View) -> list[str]:
    lines = []
    for number, place in enumerate(view.row, start=1):
        value = "?" if place.mafioso.value is None else place.mafioso.value
        marks = " <copper>" * (number == view.copper_pawn)
        marks += " <vicelard>" * (number == view.vicelard_pawn)
        marks += " counted" * place.counted
        lines.append(f" {number}. {place.mafioso.family} {value}{marks}")
        lines += [
            f"      {_stake(n, stake)}" for n, stake in enumerate(place.stakes) if stake.points
        ]
    return lines


def _columns(seat: SeatView) -> str:
    columns = []
    for column in seat.columns:
        values = [*map(str, column.values), *(f"+{value}" for value in column.blackmats)]
        columns.append(f"{column.family} {' '.join(values)}")
    if seat.waiting:
        columns.append(f"waiting Blackmats {' '.join(map(str, seat.waiting))}")
    if seat.joining:
        columns.append(f"joining Blackmats {' '.join(map(str, seat.joining))}")
    return "; ".join(columns) or "none yet"


def _special(name: str, card: Special) -> str:
    if card.holder is None:
        return f"{name} card aside"
    place = "" if card.played_on is None else f" on {card.played_on}"
    return f"{name} card: seat {card.holder}{place}"


def draw_text(view: View) -> str:
    """The table for a terminal."""
    lines = [caption(view), *_row(view)]
    lines.append(
        f"{_special('Vicelard', view.vicelard_card)}; {_special('Copper', view.copper_card)}"
    )
    for seat, shown in enumerate(view.seats):
        first = ", first player" * (seat == view.first and view.phase != "over")
        lines.append(f"Seat {seat}{first}: {score(view, seat)} points")
        lines.append(f"  hand {_cards(shown.hand)}; tokens {shown.tokens}")
        lines.append(f"  Mafiosi: {_columns(shown)}")
    traffics = [f"{t.family} {t.first} and {t.second}" for t in view.traffics]
    lines.append(f"Traffics: {'; '.join(traffics)}")
    for tile in view.briefcases:
        holder = "" if tile.holder is None else f", seat {tile.holder}"
        lines.append(f"Briefcase: {SIDES[tile.side]}, {tile.worth}{holder}")
    gone = [sum(kinds) for kinds in zip(*(seat.discarded_up for seat in view.seats), strict=True)]
    gone[-1] += sum(seat.paid_up for seat in view.seats)
    hidden = sum(seat.discarded_down.count + seat.paid_down.count for seat in view.seats)
    lines.append(f"Discards: {name_kinds(gone)}; {hidden} face down")
    lines.append(f"Draw pile {view.pile_count}; Mafia deck {view.deck_count}")
    return "\n".join(lines)


def draw_svg(view: View) -> str:
    """The table for a page."""
    points = [score(view, seat) for seat in range(len(view.seats))]
    return svg_table(view, caption(view), points, SIDES)
