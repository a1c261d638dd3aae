"""A second implementation of Contract, written from docs/reference/contract.md alone.

It shares nothing with the core: cards are strings in lists, points are fractions, moves are their
notation. It starts from a deal as the referee sees it. It is slow and plain, so that it can be
checked by reading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

FAMILIES = ["brakova", "yakaz", "rodrigos", "costa"]
BLACKMAT = "blackmat"
KINDS = [*FAMILIES, "dollar"]
STAGES = ["token", "contract", "dollar", "vicelard", "copper", *(f"down {kind}" for kind in KINDS)]
ROW = {2: 4, 3: 5, 4: 6, 5: 6}
ROUNDS = {2: 5, 3: 4, 4: 4, 5: 4}
HALF = Fraction(1, 2)

Mafioso = tuple[str, int]  # family and value


@dataclass
class Chance:
    """The documented generator (PCG-XSH-RR 64/32, stream 1), step by step."""

    state: int

    def next(self) -> int:
        old = self.state
        self.state = (old * 6364136223846793005 + 3) % 2**64
        shifted = (((old >> 18) ^ old) >> 27) % 2**32
        turn = old >> 59
        return (shifted >> turn | shifted << (32 - turn)) % 2**32

    def below(self, bound: int) -> int:
        while True:
            product = self.next() * bound
            if product % 2**32 >= (2**32 - bound) % bound:
                return product >> 32


@dataclass
class Seat:
    """The cards, tokens and tiles of a seat."""

    hand: list[str] = field(default_factory=list)
    tokens: int = 3
    cards: list[Mafioso] = field(default_factory=list)  # family cards
    blackmats: list[tuple[int, str | None]] = field(default_factory=list)  # value, column or None
    briefcases: list[int] = field(default_factory=list)  # numbers of tiles

    def families(self) -> list[str]:
        return [name for name in FAMILIES if any(family == name for family, _ in self.cards)]

    def values(self) -> list[int]:
        return [value for _, value in self.cards] + [value for value, _ in self.blackmats]


@dataclass
class Deal:
    """A game at the beginning of its first round, as the referee sees it."""

    first: int
    hands: list[list[str]]
    pile: list[str]  # the top card is the last
    mafia: list[Mafioso]  # all Mafiosi in the order in which they are laid out
    first_traffics: dict[str, int]
    second_traffics: dict[str, int]
    briefcases: list[tuple[str, int]]  # the side that is up, and the worth
    copper_points: Fraction
    chance_state: int


class Contract:
    """A game played in notation."""

    def __init__(self, deal: Deal) -> None:
        self.seats = [Seat(hand=list(hand)) for hand in deal.hands]
        self.count = len(self.seats)
        self.first = deal.first
        self.pile = list(deal.pile)
        self.mafia = list(deal.mafia)
        self.first_traffics = deal.first_traffics
        self.second_traffics = deal.second_traffics
        self.briefcases = deal.briefcases
        self.copper_points = deal.copper_points
        self.chance = Chance(deal.chance_state)
        self.discards: list[tuple[str, bool, int]] = []  # kind, face up, seat
        self.removed: list[Mafioso] = []
        self.round = 0
        self.vicelard_holder: int | None = (deal.first - 1) % self.count
        self.copper_holder: int | None = None
        self.phase = "action"
        self.lay_row()

    # ---- A round ----------------------------------------------------------------------------

    def lay_row(self) -> None:
        size = ROW[self.count]
        self.row, self.mafia = self.mafia[:size], self.mafia[size:]
        self.face_up = [index % 2 == 1 for index in range(size)]
        self.copper_pawn, self.vicelard_pawn = 0, size - 1
        # Pieces by place and seat, in the order in which they were played.
        self.pieces: dict[tuple[int, int], list[str]] = {}
        self.decider = self.first
        self.passes = 0
        self.first_has_acted = False
        self.action: list[str] = []  # the moves of the action in progress
        self.special_winners: dict[str, int] = {}
        self.phase = "action"

    def deal_cards(self) -> None:
        for step in range(self.count):
            hand = self.seats[(self.first + step) % self.count].hand
            for _ in range(5):
                if len(hand) == 10:
                    break
                if not self.pile:
                    self.reshuffle()
                hand.append(self.pile.pop())

    def reshuffle(self) -> None:
        self.pile = sorted((kind for kind, _, _ in self.discards), key=KINDS.index)
        self.discards = []
        for last in range(len(self.pile) - 1, 0, -1):
            other = self.chance.below(last + 1)
            self.pile[last], self.pile[other] = self.pile[other], self.pile[last]

    # ---- Moves ------------------------------------------------------------------------------

    def legal(self) -> set[str]:
        if self.phase == "over":
            return set()
        return set(getattr(self, f"{self.phase}_moves")())

    def here(self, place: int, seat: int) -> list[str]:
        return self.pieces.get((place, seat), [])

    def action_moves(self) -> Iterator[str]:
        me = self.seats[self.decider]
        opening = self.decider == self.first and not self.first_has_acted
        for place in range(len(self.row)):
            cards = self.card_pieces(place)
            if "token" in self.here(place, self.decider):
                if me.tokens or cards:
                    yield f"on {place + 1}"
            elif me.tokens and cards:
                yield f"on {place + 1}"
            if opening:
                continue
            if me.hand and place not in (self.copper_pawn, self.vicelard_pawn):
                yield f"copper-to {place + 1}"
            if place != self.vicelard_pawn and ("dollar" in me.hand or len(me.hand) >= 2):
                yield f"vicelard-to {place + 1}"
        if not opening:
            yield "pass"

    def card_pieces(self, place: int) -> list[str]:
        """Return the cards that the decider could play on a Mafioso, as pieces."""
        me = self.seats[self.decider]
        found = [f"down {kind}" for kind in me.hand]
        if self.row[place][0] in me.hand:
            found.append("contract")
        if "dollar" in me.hand:
            found.append("dollar")
        played = [piece for pieces in self.pieces.values() for piece in pieces]
        if (
            self.vicelard_holder == self.decider
            and place == self.vicelard_pawn
            and "vicelard" not in played
        ):
            found.append("vicelard")
        if self.copper_holder == self.decider and "copper" not in played:
            found.append("copper")
        return found

    def pieces_moves(self) -> Iterator[str]:
        place = int(self.action[0].split()[1]) - 1
        added = self.action[1:]
        before = self.here(place, self.decider)[: -len(added) or None]
        influence = "token" not in before
        has_card = any(piece != "token" for piece in added)
        choices = set(self.card_pieces(place))
        if influence and "token" not in added:
            choices = set()  # tokens come first, so none could follow a card
        if self.seats[self.decider].tokens:
            choices.add("token")
        floor = STAGES.index(added[-1]) if added else 0
        yield from (piece for piece in choices if STAGES.index(piece) >= floor)
        if ("token" in added and has_card) if influence else added:
            yield "done"

    def pay_moves(self) -> Iterator[str]:
        hand = self.seats[self.decider].hand
        if self.action[0].startswith("copper-to"):
            yield from (f"pay down {kind}" for kind in hand)
        elif len(self.action) == 2:
            floor = KINDS.index(self.action[1].split()[2])
            yield from (f"pay down {kind}" for kind in hand if KINDS.index(kind) >= floor)
        else:
            if "dollar" in hand:
                yield "pay dollar"
            for index, kind in enumerate(hand):
                others = hand[:index] + hand[index + 1 :]
                if any(KINDS.index(other) >= KINDS.index(kind) for other in others):
                    yield f"pay down {kind}"

    def chase_moves(self) -> Iterator[str]:
        for place in range(len(self.row)):
            if place != self.copper_pawn:
                yield f"chase {place + 1}"

    def join_moves(self) -> Iterator[str]:
        for family in self.seats[self.decider].families():
            yield f"join {family}"

    def copper_moves(self) -> Iterator[str]:
        family = self.row[self.counting][0]
        for number, seat in enumerate(self.seats):
            if number != self.decider:
                for card_family, value in seat.cards:
                    if card_family == family:
                        yield f"drop {number} {family} {value}"
        yield "take-copper"

    # ---- Playing ----------------------------------------------------------------------------

    def play(self, move: str) -> None:
        assert move in self.legal(), move
        word, *rest = move.split()
        if self.phase == "action" and word == "pass":
            self.passes += 1
            self.end_turn()
        elif self.phase == "action":
            self.passes = 0
            self.first_has_acted = True
            self.action = [move]
            self.phase = "pieces" if word == "on" else "pay"
        elif self.phase == "pieces":
            self.place_piece(move)
        elif self.phase == "pay":
            self.pay(rest)
            self.action.append(move)
            self.move_pawn_if_paid()
        elif self.phase == "chase":
            self.copper_pawn = int(rest[0]) - 1
            self.end_turn()
        elif self.phase == "join":
            value = self.to_join.pop(0)
            self.seats[self.decider].blackmats.append((value, rest[0]))
            if not self.to_join:
                self.count_next()
        elif word == "take-copper":
            self.special_winners["copper"] = self.decider
            self.count_next()
        else:
            self.drop(int(rest[0]), (rest[1], int(rest[2])))

    def place_piece(self, move: str) -> None:
        place = int(self.action[0].split()[1]) - 1
        me = self.seats[self.decider]
        if move == "done":
            self.end_turn()
            return
        if move == "token":
            me.tokens -= 1
        elif move == "contract":
            me.hand.remove(self.row[place][0])
        elif move == "dollar":
            me.hand.remove("dollar")
        elif move.startswith("down"):
            me.hand.remove(move.split()[1])
        self.pieces.setdefault((place, self.decider), []).append(move)
        self.action.append(move)

    def pay(self, payment: list[str]) -> None:
        kind = payment[-1]
        self.seats[self.decider].hand.remove(kind)
        self.discards.append((kind, payment[0] != "down", self.decider))

    def move_pawn_if_paid(self) -> None:
        word, number = self.action[0].split()
        if word == "copper-to":
            self.copper_pawn = int(number) - 1
            self.end_turn()
        elif self.action[-1] == "pay dollar" or len(self.action) == 3:
            self.vicelard_pawn = int(number) - 1
            if self.copper_pawn == self.vicelard_pawn:
                self.phase = "chase"
            else:
                self.end_turn()

    def end_turn(self) -> None:
        self.action = []
        self.phase = "action"
        self.decider = (self.decider + 1) % self.count
        if self.passes == self.count:
            self.passes = 0
            self.counting = -1
            self.count_next()

    # ---- Counting ---------------------------------------------------------------------------

    def points(self, place: int, seat: int) -> Fraction:
        total = Fraction(0)
        for piece in self.here(place, seat):
            if piece == "contract":
                total += 2
            elif piece in ("token", "dollar"):
                total += 1
            elif piece == "vicelard":
                total += 1 if self.row[place][0] == BLACKMAT else 2
            elif piece == "copper":
                total += self.copper_points
            else:
                total += HALF
        return total

    def count_next(self) -> None:
        """Count Mafiosi until a seat has to decide."""
        self.phase = "counting"
        while self.phase == "counting":
            self.counting += 1
            if self.counting == len(self.row):
                self.end_round()
                return
            self.face_up[self.counting] = True
            points = [self.points(self.counting, seat) for seat in range(self.count)]
            best = max(points)
            if best == 0 or points.count(best) > 1:
                self.removed.append(self.row[self.counting])
            else:
                self.give(points.index(best))

    def give(self, winner: int) -> None:
        family, value = self.row[self.counting]
        seat = self.seats[winner]
        if self.counting == self.vicelard_pawn:
            self.special_winners["vicelard"] = winner
        under_copper = self.counting == self.copper_pawn
        if family == BLACKMAT:
            seat.blackmats.append((value, None))
            self.check_first_bonuses(winner)
            if under_copper:
                self.special_winners["copper"] = winner
            if seat.families():
                seat.blackmats.pop()
                self.ask_to_join(winner, [value])
            return
        seat.cards.append((family, value))
        seat.blackmats = [(value, column or family) for value, column in seat.blackmats]
        self.check_first_bonuses(winner)
        if under_copper:
            others = [s for s in self.seats if s is not seat]
            if any(family in other.families() for other in others):
                self.phase, self.decider = "copper", winner
            else:
                self.special_winners["copper"] = winner

    def ask_to_join(self, owner: int, values: list[int]) -> None:
        self.phase, self.decider = "join", owner
        self.to_join = sorted(values)

    def drop(self, victim: int, card: Mafioso) -> None:
        seat = self.seats[victim]
        seat.cards.remove(card)
        self.removed.append(card)
        family = card[0]
        homeless = [value for value, column in seat.blackmats if column == family]
        if family not in seat.families() and homeless:
            seat.blackmats = [pair for pair in seat.blackmats if pair[1] != family]
            if seat.families():
                self.ask_to_join(victim, homeless)
                return
            seat.blackmats += [(value, None) for value in homeless]
        self.count_next()

    def check_first_bonuses(self, number: int) -> None:
        seat = self.seats[number]
        sizes = [sum(family == name for family, _ in seat.cards) for name in FAMILIES]
        reached = {
            "families-3": len(seat.families()) >= 3,
            "families-4": len(seat.families()) >= 4,
            "same-2": max(sizes) >= 2,
            "same-3": max(sizes) >= 3,
            "blackmats-2": len(seat.blackmats) >= 2,
            "twos-3": seat.values().count(2) >= 3,
        }
        taken = {tile for other in self.seats for tile in other.briefcases}
        for tile, (side, _) in enumerate(self.briefcases):
            if tile not in taken and reached.get(side, False):
                seat.briefcases.append(tile)

    def end_round(self) -> None:
        for (place, number), pieces in self.pieces.items():
            seat = self.seats[number]
            for piece in pieces:
                if piece == "token":
                    seat.tokens += 1
                elif piece == "contract":
                    self.discards.append((self.row[place][0], True, number))
                elif piece == "dollar":
                    self.discards.append(("dollar", True, number))
                elif piece.startswith("down"):
                    self.discards.append((piece.split()[1], False, number))
        self.pieces = {}
        self.vicelard_holder = self.special_winners.get("vicelard")
        self.copper_holder = self.special_winners.get("copper")
        self.round += 1
        if self.round == ROUNDS[self.count]:
            self.give_most_bonuses()
            self.phase = "over"
            return
        self.first = (self.first + 1) % self.count
        self.deal_cards()
        self.lay_row()

    # ---- The end ----------------------------------------------------------------------------

    def give_most_bonuses(self) -> None:
        measures: dict[str, Callable[[Seat], int]] = {
            "most-mafiosi": lambda seat: len(seat.values()),
            "largest-family": lambda seat: max(
                sum(family == name for family, _ in seat.cards) for name in FAMILIES
            ),
            "most-threes": lambda seat: seat.values().count(3),
            "most-twos": lambda seat: seat.values().count(2),
        }
        for tile, (side, _) in enumerate(self.briefcases):
            if side in measures:
                sizes = [measures[side](seat) for seat in self.seats]
                if sizes.count(max(sizes)) == 1:
                    self.seats[sizes.index(max(sizes))].briefcases.append(tile)

    def traffic_winners(self, family: str) -> list[int]:
        """Return the seats with a column of the family, strongest first."""

        def strength(number: int) -> tuple[int, int]:
            seat = self.seats[number]
            own = [value for name, value in seat.cards if name == family]
            joined = [value for value, column in seat.blackmats if column == family]
            return sum(own) + sum(joined), max(own)

        with_column = [n for n in range(self.count) if family in self.seats[n].families()]
        return sorted(with_column, key=strength, reverse=True)

    def scores(self) -> list[float]:
        scores = [sum(self.briefcases[tile][1] for tile in seat.briefcases) for seat in self.seats]
        if self.phase == "over":
            for family in FAMILIES:
                tiles = (self.first_traffics[family], self.second_traffics[family])
                for number, tile in zip(self.traffic_winners(family), tiles, strict=False):
                    scores[number] += tile
        return [float(score) for score in scores]

    def returns(self) -> list[float]:
        scores = self.scores()
        best = max(scores)
        share = 2 / scores.count(best) - 1
        return [share if score == best else -1.0 for score in scores]
