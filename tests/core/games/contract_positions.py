"""Handmade Contract positions, written as bytes (reference: Byte layout).

`unpack` checks every invariant, so an impossible position is rejected.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from tablier_core.games.contract.observe import View
from tablier_core.position import Position
from tablier_core.registry import GAMES

Stakes = dict[tuple[int, int], tuple[int, int, int, list[str]]]

GAME = GAMES["contract"]
COLOURS = ["brakova", "yakaz", "rodrigos", "costa", "blackmat"]
KINDS = ["brakova", "yakaz", "rodrigos", "costa", "dollar"]
NOBODY = 255
WAITING = 4
SIDES = [
    "families-3", "families-4", "same-2", "same-3", "blackmats-2", "twos-3",
    "most-mafiosi", "largest-family", "most-threes", "most-twos",
]  # fmt: skip

# Name and size of every field, in order (reference: Byte layout).
LAYOUT = [
    ("chance", 8), ("seats", 1), ("phase", 1), ("round", 1), ("first", 1), ("to_move", 1),
    ("passes", 1), ("copper_pawn", 1), ("vicelard_pawn", 1), ("copper_holder", 1), ("copper_on", 1),
    ("copper_next", 1), ("vicelard_holder", 1), ("vicelard_on", 1), ("vicelard_next", 1),
    ("copper_points", 1), ("target", 1), ("influencing", 1), ("stage", 1), ("paying_vicelard", 1),
    ("first_half", 1), ("just_down", 5), ("counted", 1), ("hand", 25), ("tokens", 30),
    ("contracts", 30), ("dollars", 30), ("down", 150), ("paid_up", 5), ("paid_down", 25),
    ("discarded_up", 25), ("discarded_down", 25), ("pile_count", 1), ("pile", 53), ("shuffles", 1),
    ("first_up", 25), ("first_down", 25), ("first_drawn", 25), ("first_before", 5),
    ("second_up", 25), ("second_down", 25), ("second_drawn", 25), ("second_before", 5),
    ("mafiosi", 24), ("owner", 24), ("column", 24), ("traffic", 8), ("tiles", 1), ("side", 6),
    ("worth", 6), ("holder", 6),
]  # fmt: skip


def split(packed: bytes) -> dict[str, list[int]]:
    """Return the fields of a packed state."""
    fields, at = {}, 0
    for name, size in LAYOUT:
        fields[name] = list(packed[at : at + size])
        at += size
    assert at == len(packed)
    return fields


def join(fields: dict[str, list[int]]) -> bytes:
    """Return the packed state with these fields."""
    return b"".join(bytes(fields[name]) for name, _ in LAYOUT)


def code(mafioso: str) -> int:
    """Return the byte of a Mafioso written as `yakaz 5`."""
    colour, value = mafioso.split()
    return 32 * COLOURS.index(colour) + int(value)


@dataclass
class Table:
    """A position to be built. The defaults are those of the beginning of a round."""

    seats: int = 3
    round: int = 1  # from 1
    first: int = 0
    row: list[str] = field(default_factory=list)  # Mafiosi from the left; the rest is filled in
    # Mafiosi of earlier rounds: their owners, and the columns of Blackmats.
    owned: dict[str, int] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)
    hands: dict[int, list[str]] = field(default_factory=dict)  # other seats get five of the rest
    # By place (from 1) and seat: tokens, contracts, dollars, and the kinds of face-down cards.
    stakes: Stakes = field(default_factory=dict)
    briefcases: dict[str, int | None] = field(default_factory=dict)  # side: holder, each worth 2
    numbers: dict[str, int] = field(default_factory=dict)  # single bytes to set, by name

    def place(self, fields: dict[str, list[int]], used: list[int]) -> None:
        held = [0] * self.seats
        for (number, seat), (tokens, contracts, dollars, down) in self.stakes.items():
            at = 5 * (number - 1) + seat
            fields["tokens"][at] = tokens
            fields["contracts"][at] = contracts
            fields["dollars"][at] = dollars
            if contracts:
                used[COLOURS.index(self.row[number - 1].split()[0])] += contracts
            used[4] += dollars
            for kind in down:
                fields["down"][5 * at + KINDS.index(kind)] += 1
                used[KINDS.index(kind)] += 1
            held[seat] += contracts + dollars + len(down)
        for seat, hand in self.hands.items():
            for kind in hand:
                used[KINDS.index(kind)] += 1
                fields["hand"][5 * seat + KINDS.index(kind)] += 1
        stock = [10, 10, 10, 10, 13]
        for seat in range(self.seats):
            # Every seat began the round with at least five cards.
            for _ in range(0 if seat in self.hands else max(0, 5 - held[seat])):
                plenty = max(range(5), key=lambda kind: stock[kind] - used[kind])
                used[plenty] += 1
                fields["hand"][5 * seat + plenty] += 1

    def lay(self, fields: dict[str, list[int]]) -> None:
        size = {2: 4, 3: 5}.get(self.seats, 6)
        all_codes = [byte for byte in fields["mafiosi"] if byte]
        past = [code(mafioso) for mafioso in self.owned]
        row = [code(mafioso) for mafioso in self.row]
        free = [byte for byte in sorted(all_codes) if byte not in past and byte not in row]
        while len(past) < (self.round - 1) * size:
            past.append(free.pop(0))
        while len(row) < size:
            row.append(free.pop(0))
        laid = past + row + free
        fields["mafiosi"] = laid + [0] * (24 - len(laid))
        for index, (mafioso, seat) in enumerate(self.owned.items()):
            colour = self.columns.get(mafioso, mafioso.split()[0])
            fields["owner"][index] = seat
            fields["column"][index] = WAITING if colour == "waiting" else COLOURS.index(colour)

    def fields(self) -> dict[str, list[int]]:
        size = {2: 4, 3: 5}.get(self.seats, 6)
        fields = split(GAME.start({"seats": self.seats}, 1).pack())
        fields["hand"] = [0] * 25
        fields["round"], fields["first"] = [self.round - 1], [self.first]
        fields["to_move"] = [self.first]
        fields["vicelard_holder"] = [(self.first - 1) % self.seats]
        fields["vicelard_pawn"] = [size - 1]
        used = [0] * 5
        self.lay(fields)
        self.place(fields, used)
        pile = [kind for kind, count in enumerate((10, 10, 10, 10, 13)) for _ in range(count)]
        for kind, count in enumerate(used):
            for _ in range(count):
                pile.remove(kind)
        fields["pile_count"], fields["pile"] = [len(pile)], pile + [0] * (53 - len(pile))
        sides = [SIDES.index(side) for side in self.briefcases]
        holders = [NOBODY if who is None else who for who in self.briefcases.values()]
        missing = [0] * (6 - len(sides))
        fields["tiles"] = [len(sides)]
        fields["side"] = sides + missing
        fields["worth"] = [2] * len(sides) + missing
        fields["holder"] = holders + missing
        fields |= {name: [value] for name, value in self.numbers.items()}
        return fields

    def position(self) -> Position:
        return GAME.unpack(join(self.fields()))


def play(position: Position, *moves: str) -> Position:
    """Play moves in notation, each by the seat that decides."""
    for move in moves:
        position = position.apply(position.actors[0], GAME.read_move(move))
    return position


def legal(position: Position) -> list[str]:
    """Return the legal moves in notation, in the order of their numbers."""
    (seat,) = position.actors
    return [GAME.write_move(move) for move in position.moves(seat)]


def all_pass(position: Position) -> Position:
    """Let all seats pass until counting begins."""
    while position.phase == "action" and legal(position)[-1] == "pass":
        before = position.observe().passes
        position = play(position, "pass")
        if before + 1 == position.seats:
            return position
    return position


def view_of(position: Position, viewer: int = -1) -> View:
    """Return the view of a seat, or of the referee."""
    view = position.observe(viewer)
    assert isinstance(view, View)
    return view


ROW = ["yakaz 5", "brakova 4", "blackmat 3", "yakaz 3", "costa 6"]


def begun(**changes: Any) -> Table:
    """A table of three. The first player has influenced the first Mafioso; seat 1 is to move."""
    table = Table(row=ROW, stakes={(1, 0): (1, 0, 0, ["costa"])}, numbers={"to_move": 1})
    return replace(table, **changes)
