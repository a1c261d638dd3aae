"""Opponents for the Contrast engine, and players who know them; each sees only its seat's view.

A way to choose is a function from a view and a seat to the chance of each symbol of its hand.
`CROWDS` has six kinds of tables. A responder knows how every other seat chooses, and names the
symbol that gains it most; it is what an engine that has to learn this is compared with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from math import exp, prod
from random import Random
from types import MappingProxyType

from tablier_core.advice import advise
from tablier_core.games.contrast.notation import SYMBOL_NAMES
from tablier_core.games.contrast.observe import View
from tablier_core.position import Position

# The chance of each symbol, by number.
Mix = Mapping[int, float]
Way = Callable[[View, int], Mix]
SYMBOLS = {name: number for number, name in enumerate(SYMBOL_NAMES)}
# How many times the engine is asked what it would choose, and with how many iterations.
ASKED, ITERATIONS = 12, 64
FEWEST_VOTES = 2
# Less likely combinations of choices are left out.
NEGLIGIBLE = 1e-4


def symbols_of(view: View, seat: int) -> list[int]:
    """The symbols of a hand; both sides of each card."""
    return [SYMBOLS[name] for card in view.seats[seat].hand for name in card.split("/")]


def softmax(temperature: float) -> Way:
    """Choose by affinity, more or less sharply."""

    def chances(view: View, seat: int) -> Mix:
        symbols = symbols_of(view, seat)
        weights = [exp(view.affinities[symbol] / temperature) for symbol in symbols]
        return dict(zip(symbols, (weight / sum(weights) for weight in weights), strict=True))

    return chances


def best(view: View, seat: int) -> Mix:
    """Always name what fits best."""
    return {max(symbols_of(view, seat), key=lambda symbol: (view.affinities[symbol], symbol)): 1.0}


def second(view: View, seat: int) -> Mix:
    """Name what fits second best, because everybody else names the best."""
    ranked = sorted(symbols_of(view, seat), key=lambda symbol: (-view.affinities[symbol], symbol))
    return {ranked[min(1, len(ranked) - 1)]: 1.0}


def repeating(view: View, seat: int) -> Mix:
    """Name a symbol that won in the last round again if possible, otherwise what fits best."""
    won = {SYMBOLS[name] for name in view.rounds[-1].winning} if view.rounds else set()
    again = [symbol for symbol in symbols_of(view, seat) if symbol in won]
    return {again[0]: 1.0} if again else best(view, seat)


def spread(view: View, seat: int) -> Mix:
    """Name one of the two that fit best, equally often."""
    ranked = sorted(symbols_of(view, seat), key=lambda symbol: (-view.affinities[symbol], symbol))
    return dict.fromkeys(ranked[:2], 1 / len(ranked[:2]))


def draw(mix: Mix, rng: Random) -> int:
    """Draw a symbol."""
    return rng.choices(list(mix), list(mix.values()))[0]


class Member:
    """A seat that chooses in one way."""

    def __init__(self, way: Way) -> None:
        self._way = way

    def __call__(self, position: Position, seat: int, rng: Random) -> int:
        return draw(self._way(position.observe(seat), seat), rng)


class Responder:
    """Knows how every other seat chooses, and maximises its own gain over that of its rivals."""

    def __init__(self, crowd: Sequence[Way]) -> None:
        self._crowd = crowd

    def mix(self, position: Position, view: View, seat: int, rival: int) -> Mix:
        """How a rival chooses."""
        return self._crowd[(rival - seat) % len(view.seats) - 1](view, rival)

    def __call__(self, position: Position, seat: int, rng: Random) -> int:
        view: View = position.observe(seat)
        seats = len(view.seats)
        mixes = [self.mix(position, view, seat, rival) for rival in range(seats) if rival != seat]
        symbols = sorted(symbols_of(view, seat))
        if seats == 2:
            gains = [mixes[0].get(symbol, 0.0) for symbol in symbols]
        else:
            gains = self.gains(view, seat, symbols, mixes)
        return max(zip(gains, (rng.random() for _ in symbols), symbols, strict=True))[2]

    @staticmethod
    def gains(view: View, seat: int, symbols: Sequence[int], mixes: Sequence[Mix]) -> list[float]:
        """What naming each symbol gains: the chance of an image, less what rivals' images cost."""
        costs = rival_costs([each.score for each in view.seats], seat)
        gains = [0.0] * len(symbols)
        for choices in product(*(mix.items() for mix in mixes)):
            chance = prod(part for _, part in choices)
            if chance < NEGLIGIBLE:
                continue
            named = [symbol for symbol, _ in choices]
            for number, own in enumerate(symbols):
                winning = winning_symbols(len(view.seats), tuple(sorted((own, *named))))
                lost = sum(
                    cost for cost, symbol in zip(costs, named, strict=True) if symbol in winning
                )
                gains[number] += chance * ((own in winning) - lost)
        return gains


def rival_costs(scores: Sequence[int], seat: int) -> list[float]:
    """What each rival's image costs: as much as an own one for all together, leaders more."""
    weights = [
        exp(0.3 * (score - max(scores))) for other, score in enumerate(scores) if other != seat
    ]
    return [weight / sum(weights) for weight in weights]


@cache
def winning_symbols(seats: int, named: tuple[int, ...]) -> set[int]:
    """The symbols that win when every seat takes part (reference: Round)."""
    votes = Counter(named)
    if len(votes) == 1:
        return set()
    ranked = votes.most_common()
    most = [symbol for symbol, count in ranked if count == ranked[0][1]]
    if ranked[0][1] < FEWEST_VOTES:
        return set()
    if len(most) == 1:
        return set(most)
    singles = sum(count == 1 for count in votes.values())
    pairs = ranked[0][1] == FEWEST_VOTES and len(most) == 2
    return set(most) if seats >= 5 and pairs and singles else set()


class Insider(Responder):
    """Knows the engine's mix: it asks the engine what each rival would choose, many times."""

    def __init__(self) -> None:
        super().__init__(())

    def mix(self, position: Position, view: View, seat: int, rival: int) -> Mix:
        counted: Counter[int] = Counter()
        before = unchosen(position)
        for seed in range(ASKED):
            report = advise(before, rival, iterations=ITERATIONS, seed=seed)
            counted[report.suggestions[0].action] += 1
        return {symbol: count / ASKED for symbol, count in counted.items()}


def unchosen(position: Position) -> Position:
    """The same round before anybody has chosen; the choices are the last bytes of a state."""
    packed = position.pack()
    seats = position.seats
    if packed[3]:
        raise ValueError("a state with a deck of its own ends with that deck")
    length = (seats + 1) // 2
    empty = b"\xff" * (length - 1) + (b"\xff" if seats % 2 == 0 else b"\x0f")
    return position.game.unpack(packed[:-length] + empty)


# ---- The players ---------------------------------------------------------------------------------

best_fit = Member(best)
second_best = Member(second)
repeater = Member(repeating)
undecided = Member(spread)
sharp = Member(softmax(0.05))
# A symbol with affinity 0.9 is named about twenty times as often as one with 0.5.
people = Member(softmax(0.125))
soft = Member(softmax(0.3))

# By name: the seats to the left of the one that is measured.
CROWDS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "best": ("best_fit", "best_fit", "best_fit"),
        "sharp": ("sharp", "sharp", "sharp"),
        "people": ("people", "people", "people"),
        "soft": ("soft", "soft", "soft"),
        "undecided": ("undecided", "undecided", "undecided"),
        "mixed": ("best_fit", "second_best", "people"),
    }
)

knows_best = Responder((best,) * 3)
knows_sharp = Responder((softmax(0.05),) * 3)
knows_people = Responder((softmax(0.125),) * 3)
knows_soft = Responder((softmax(0.3),) * 3)
knows_undecided = Responder((spread,) * 3)
knows_mixed = Responder((best, second, softmax(0.125)))
insider = Insider()
