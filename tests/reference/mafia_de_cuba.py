"""An independent implementation of Mafia de Cuba, written from its reference page alone.

It shares no code with the core: moves are strings, tokens are words in a Counter, and possible
worlds are found by sending the box round in every way. It is slow and simple on purpose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from itertools import product

KINDS = ["loyal", "fbi", "cia", "driver", "cleaner"]
LETTERS = dict(zip(KINDS, "LFCDN", strict=True))
AGENTS = ("fbi", "cia")
QUESTIONS = [
    "received-diamonds",
    "received-tokens",
    "passed-diamonds",
    "passed-tokens",
    "took",
]
# By number of seats: loyal, agents, drivers, jokers.
TABLE = {
    5: (1, 1, 0, 0),
    6: (1, 1, 1, 0),
    7: (2, 1, 1, 0),
    8: (3, 1, 1, 1),
    9: (4, 1, 1, 1),
    10: (4, 2, 1, 1),
    11: (4, 2, 2, 2),
    12: (5, 2, 2, 2),
}
GODFATHER = 0


def written(tokens: Mapping[str, int]) -> str:
    """Write token counts in the notation."""
    return "".join(f"{LETTERS[k]}{tokens[k]}" for k in KINDS if tokens.get(k, 0)) or "-"


@dataclass
class Box:
    """The contents of the cigar box."""

    diamonds: int
    tokens: Counter[str]

    @property
    def empty(self) -> bool:
        return self.diamonds == 0 and not +self.tokens

    def copy(self) -> Box:
        return Box(self.diamonds, Counter(self.tokens))

    @property
    def shown(self) -> tuple[int, str]:
        return self.diamonds, written(self.tokens)


@dataclass
class Mafia:
    """A game in progress."""

    seats: int = 8
    cleaner: bool = False
    jokers: int | None = None
    tokens: Mapping[str, int] | None = None
    questions: int | None = None
    statements: int = 2

    phase: str = "hide"
    hidden: int | None = None
    pouch: str | None = None
    received: dict[int, Box] = field(default_factory=dict)
    takes: dict[int, str] = field(default_factory=dict)
    turn: int = 1
    said: Counter[int] = field(default_factory=Counter)
    asked: int = 0
    pending: tuple[int, str] | None = None
    accused: int | None = None
    reactions: dict[int, str] = field(default_factory=dict)
    revealed: set[int] = field(default_factory=set)
    eliminated: set[int] = field(default_factory=set)
    given_jokers: set[int] = field(default_factory=set)
    recovered: int = 0
    history: list[tuple[object, ...]] = field(default_factory=list)
    winners: set[int] = field(default_factory=set)
    outcome: str | None = None

    def __post_init__(self) -> None:
        loyal, agents, drivers, jokers = TABLE[self.seats]
        if self.tokens is None:
            counts = {"loyal": loyal, "fbi": 1, "cia": agents - 1, "driver": drivers}
        else:
            counts = dict(self.tokens)
        if self.cleaner and not counts.get("cleaner"):
            counts["loyal"] -= 1
            counts["cleaner"] = 1
        self.setup = Counter({kind: counts.get(kind, 0) for kind in KINDS})
        self.all_jokers = jokers if self.jokers is None else self.jokers
        self.all_questions = 4 * self.seats if self.questions is None else self.questions
        self.box = Box(15, Counter(self.setup))

    # ---- Actors and moves ---------------------------------------------------------------------

    @property
    def others_in_play(self) -> list[int]:
        return [seat for seat in range(1, self.seats) if seat not in self.eliminated]

    @property
    def actors(self) -> list[int]:
        if self.phase == "hide":
            return [GODFATHER]
        if self.phase == "pouch":
            return [1]
        if self.phase == "take":
            return [self.turn]
        if self.phase == "inquiry":
            may_speak = [s for s in self.others_in_play if self.said[s] < self.statements]
            return [GODFATHER, *may_speak]
        if self.phase == "answer":
            assert self.pending is not None
            return [self.pending[0]]
        if self.phase == "react":
            return [s for s in self.to_react if s not in self.reactions]
        return []

    @property
    def to_react(self) -> list[int]:
        return [seat for seat in self.others_in_play if seat != self.accused]

    def claims(self, question: str) -> list[str]:
        if question.endswith("-diamonds"):
            return [f"say {question} {count}" for count in range(16)]
        if question.endswith("-tokens"):
            ranges = [range(self.setup[kind] + 1) for kind in KINDS]
            every = [dict(zip(KINDS, counts, strict=True)) for counts in product(*ranges)]
            return [f"say {question} {written(tokens)}" for tokens in every]
        takes = [*map(str, range(1, 16)), *(k for k in KINDS if self.setup[k]), "nothing"]
        return [f"say took {take}" for take in takes]

    def moves(self, seat: int) -> set[str]:
        if seat not in self.actors:
            return set()
        if self.phase == "hide":
            return {f"hide {count}" for count in range(6)}
        if self.phase == "pouch":
            return {"pouch none"} | {f"pouch {kind}" for kind in +self.box.tokens}
        if self.phase == "take":
            takes = {f"take {count}" for count in range(1, self.box.diamonds + 1)}
            takes |= {f"take {kind}" for kind in +self.box.tokens}
            if self.box.empty or seat == self.seats - 1:
                takes.add("take nothing")
            return takes
        if self.phase == "inquiry":
            if seat != GODFATHER:
                return {claim for question in QUESTIONS for claim in self.claims(question)}
            targets = self.others_in_play
            accusations = {f"accuse {s}" for s in targets if s not in self.revealed}
            if self.asked == self.all_questions:
                return accusations
            return accusations | {f"ask {s} {q}" for s in targets for q in QUESTIONS}
        if self.phase == "answer":
            assert self.pending is not None
            return {"silent", *self.claims(self.pending[1])}
        return {"hold", "bang"} if self.takes[seat] == "cleaner" else {"hold"}

    # ---- Playing a move -----------------------------------------------------------------------

    def apply(self, seat: int, move: str) -> None:
        assert move in self.moves(seat)
        words = move.split()
        if self.phase == "hide":
            self.hidden = int(words[1])
            self.box.diamonds -= self.hidden
            self.phase = "pouch"
            self.received[1] = self.box.copy()
        elif self.phase == "pouch":
            self.pouch = words[1]
            if self.pouch != "none":
                self.box.tokens[self.pouch] -= 1
            self.phase = "take"
        elif self.phase == "take":
            self.take(seat, words[1])
        elif self.phase == "inquiry" and seat != GODFATHER:
            self.said[seat] += 1
            self.history.append(("unasked", seat, move))
        elif self.phase == "inquiry" and words[0] == "ask":
            self.asked += 1
            self.pending = (int(words[1]), words[2])
            self.phase = "answer"
        elif self.phase == "inquiry":
            self.accuse(int(words[1]))
        elif self.phase == "answer":
            assert self.pending is not None
            self.history.append(("asked", *self.pending, move))
            self.pending = None
            self.phase = "inquiry"
        elif self.phase == "react":
            self.reactions[seat] = move
            if not self.actors:
                self.empty_pockets()

    def take(self, seat: int, what: str) -> None:
        self.takes[seat] = what
        if what in KINDS:
            self.box.tokens[what] -= 1
        elif what != "nothing":
            self.box.diamonds -= int(what)
        self.turn += 1
        if self.turn < self.seats:
            self.received[self.turn] = self.box.copy()
            return
        self.phase = "inquiry"
        self.received[GODFATHER] = self.box.copy()
        if self.stolen == 0:
            self.end("godfather")

    def diamonds(self, seat: int) -> int:
        return int(self.takes[seat]) if self.takes[seat].isdigit() else 0

    @property
    def stolen(self) -> int:
        return sum(self.diamonds(seat) for seat in range(1, self.seats))

    def accuse(self, accused: int) -> None:
        self.accused = accused
        self.reactions = {}
        self.phase = "react"
        if not self.setup["cleaner"] or not self.to_react:
            self.empty_pockets()

    def empty_pockets(self) -> None:
        accused = self.accused
        assert accused is not None
        shooters = [seat for seat, reaction in self.reactions.items() if reaction == "bang"]
        self.history.append(("accused", accused, shooters[0] if shooters else None))
        self.phase = "inquiry"
        self.accused = None
        self.reactions = {}
        take = self.takes[accused]
        if shooters:
            shooter = shooters[0]
            self.revealed |= {shooter, accused}
            if take in AGENTS:
                self.end("cleaner", shooter)
                return
            self.eliminated |= {shooter, accused}
            self.recovered += self.diamonds(accused)
        elif take in AGENTS:
            self.revealed.add(accused)
            self.end("agent", accused)
            return
        elif take.isdigit():
            self.revealed.add(accused)
            self.eliminated.add(accused)
            self.recovered += self.diamonds(accused)
        else:
            self.revealed.add(accused)
            if len(self.given_jokers) == self.all_jokers:
                self.eliminated.add(GODFATHER)
                self.end("thieves")
                return
            self.given_jokers.add(accused)
        if self.recovered == self.stolen:
            self.end("godfather")

    def end(self, outcome: str, winner: int | None = None) -> None:
        self.phase = "over"
        self.outcome = outcome
        in_play = self.others_in_play
        if outcome == "godfather":
            self.winners = {GODFATHER}
            self.winners |= {s for s in in_play if self.takes[s] in ("loyal", "cleaner")}
        elif outcome == "thieves":
            most = max(self.diamonds(seat) for seat in in_play)
            self.winners = {s for s in in_play if self.diamonds(s) == most > 0}
            self.winners |= {s for s in in_play if self.takes[s] == "nothing"}
        else:
            assert winner is not None
            self.winners = {winner}
        for seat in in_play:
            if self.takes[seat] == "driver" and seat - 1 in self.winners:
                self.winners.add(seat)

    @property
    def scores(self) -> list[float]:
        return [1.0 if seat in self.winners else 0.0 for seat in range(self.seats)]

    @property
    def returns(self) -> list[float]:
        if self.phase != "over":
            return []
        return [1.0 if seat in self.winners else -1.0 for seat in range(self.seats)]

    # ---- Hidden information -------------------------------------------------------------------

    def knowledge(self, viewer: int) -> dict[str, object]:
        """Everything that a seat may know: all of it at the end, and for the referee, seat -1."""
        everything = viewer == -1 or self.phase == "over"
        jokers_left = self.all_jokers - len(self.given_jokers)
        return {
            "seats": self.seats,
            "setup": written(self.setup),
            "phase": self.phase,
            "actors": self.actors,
            "jokers": (self.all_jokers, jokers_left, sorted(self.given_jokers)),
            "questions": (self.all_questions, self.all_questions - self.asked),
            "statements": (self.statements, [self.said[s] for s in range(self.seats)]),
            "recovered": self.recovered,
            "eliminated": sorted(self.eliminated),
            "revealed": sorted(self.revealed),
            "history": list(self.history),
            "pending": self.pending,
            "accused": self.accused,
            "reacted": sorted(self.reactions),
            "reactions": {s: r for s, r in self.reactions.items() if everything or s == viewer},
            "hidden": self.hidden if everything or viewer == GODFATHER else None,
            "pouch": self.pouch if everything or viewer == 1 else None,
            "boxes": {s: b.shown for s, b in self.received.items() if everything or s == viewer},
            "takes": {
                s: take
                for s, take in self.takes.items()
                if everything or s == viewer or s in self.revealed
            },
            "winners": sorted(self.winners),
        }

    def ways(self, viewer: int) -> Iterator[tuple[int | None, str | None, tuple[str, ...]]]:
        """Try every (hidden, pouch, takes) and yield those that fit the viewer's knowledge."""
        if self.hidden is None:
            yield None, None, ()
            return
        for hidden in [self.hidden] if viewer == GODFATHER else range(6):
            box = Box(15 - hidden, Counter(self.setup))
            if viewer == 1 and box.shown != self.received[1].shown:
                continue
            if self.pouch is None:
                yield hidden, None, ()
                continue
            for pouch in [self.pouch] if viewer == 1 else ["none", *+self.setup]:
                tokens = self.setup - Counter([pouch])
                for takes in self.takes_from(viewer, 1, Box(15 - hidden, tokens)):
                    yield hidden, pouch, takes

    def takes_from(self, viewer: int, seat: int, box: Box) -> Iterator[tuple[str, ...]]:
        if viewer == seat > 1 and seat in self.received and box.shown != self.received[seat].shown:
            return
        if seat not in self.takes:
            if not self.box_believable(viewer, seat, box):
                return
            yield ()
            return
        for take, after in self.takes_allowed(viewer, seat, box):
            for rest in self.takes_from(viewer, seat + 1, after):
                takes = (take, *rest)
                if seat > 1 or self.thief_left(takes):
                    yield takes

    def takes_allowed(self, viewer: int, seat: int, box: Box) -> Iterator[tuple[str, Box]]:
        takes = [str(count) for count in range(1, box.diamonds + 1)] + list(+box.tokens)
        if box.empty or seat == self.seats - 1:
            takes.append("nothing")
        for take in takes:
            if (seat == viewer or seat in self.revealed) and take != self.takes[seat]:
                continue
            diamonds = int(take) if take.isdigit() else 0
            yield take, Box(box.diamonds - diamonds, box.tokens - Counter([take]))

    def box_believable(self, viewer: int, seat: int, box: Box) -> bool:
        came_back = viewer == GODFATHER and seat == self.seats
        return not came_back or box.shown == self.received[GODFATHER].shown

    def thief_left(self, takes: tuple[str, ...]) -> bool:
        """The inquiry goes on, so a seat that has not been revealed has diamonds."""
        return len(takes) < self.seats - 1 or any(
            take.isdigit() for seat, take in enumerate(takes, 1) if seat not in self.revealed
        )

    def count_ways(self, viewer: int) -> int:
        """Count the `ways` without listing them, for games that have too many."""
        if self.hidden is None:
            return 1

        @cache
        def count(seat: int, diamonds: int, tokens: tuple[int, ...], thief: bool) -> int:
            box = Box(diamonds, Counter(dict(zip(KINDS, tokens, strict=True))))
            known = self.received.get(seat) if viewer == seat > 1 else None
            if known is not None and box.shown != known.shown:
                return 0
            if seat not in self.takes:
                return int(self.box_believable(viewer, seat, box) and (thief or seat < self.seats))
            return sum(
                count(
                    seat + 1,
                    after.diamonds,
                    tuple(after.tokens[kind] for kind in KINDS),
                    thief or (take.isdigit() and seat not in self.revealed),
                )
                for take, after in self.takes_allowed(viewer, seat, box)
            )

        total = 0
        for hidden in [self.hidden] if viewer in (GODFATHER, 1) else range(6):
            if self.pouch is None:
                total += 1
                continue
            for pouch in [self.pouch] if viewer == 1 else ["none", *+self.setup]:
                tokens = self.setup - Counter([pouch])
                total += count(1, 15 - hidden, tuple(tokens[kind] for kind in KINDS), False)
        return total


def perft(game: Mafia, depth: int) -> int:
    """Count the sequences of `depth` moves; for small depths only."""
    total = 0
    for seat in game.actors:
        for move in game.moves(seat):
            if depth == 1:
                total += 1
                continue
            after = deepcopy(game)
            after.apply(seat, move)
            total += perft(after, depth - 1)
    return total
