"""The chances of takes in Mafia de Cuba, by enumerating every way of the box round the table.

Written from docs/reference/mafia-de-cuba.md (reference: Engine) without shortcuts: each way is a
list of boxes and takes, weighted by the documented model of taking and lying. Use it for games
with few seats and tokens only: the number of ways grows quickly.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod

from tablier_core.games.mafia_de_cuba.engine.inference import TAKING
from tablier_core.games.mafia_de_cuba.engine.testimony import (
    COVERS,
    LEAST,
    LYING,
    POUCHES,
    SILENCE,
    TRUTHS,
)
from tablier_core.games.mafia_de_cuba.notation import KIND_NAMES
from tablier_core.games.mafia_de_cuba.observe import View

ALL_TAKES = ("nothing", *(str(count) for count in range(1, 16)), *KIND_NAMES)
QUESTIONS = ("received-diamonds", "received-tokens", "passed-diamonds", "passed-tokens", "took")

Tokens = tuple[int, ...]
Box = tuple[int, Tokens]
Story = tuple[Box, str, Box]  # received, took, passed


def figure(figures: Sequence[float], take: str) -> float:
    """Look up a take in a table of figures by take."""
    return figures[ALL_TAKES.index(take)]


def after(box: Box, take: str) -> Box | None:
    """The box after a take, or None if that was not in it."""
    diamonds, tokens = box
    if take in KIND_NAMES:
        kind = KIND_NAMES.index(take)
        rest = tuple(count - (i == kind) for i, count in enumerate(tokens))
        return (diamonds, rest) if tokens[kind] else None
    left = diamonds - (0 if take == "nothing" else int(take))
    return (left, tokens) if left >= 0 else None


def count(tokens: Mapping[str, int]) -> Tokens:
    """Counts in the order of KIND_NAMES."""
    return tuple(tokens[kind] for kind in KIND_NAMES)


@dataclass(frozen=True)
class Said:
    """What a seat has claimed, and how often it stayed silent."""

    claims: tuple[tuple[str, object], ...]
    silences: int

    def agrees(self, story: Story) -> bool:
        received, took, passed = story
        truth = dict(zip(QUESTIONS, (*received, *passed, took), strict=True))
        return all(truth[question] == value for question, value in self.claims)


class Table:
    """A game as a viewer knows it."""

    def __init__(self, view: View, last: int) -> None:
        self.view = view
        self.last = last  # the last seat
        self.full = count(view.tokens)
        self.sets = list(product(*(range(many + 1) for many in self.full)))
        self.takes = [
            take
            for take in ALL_TAKES
            if take not in KIND_NAMES or self.full[KIND_NAMES.index(take)]
        ]
        self.said = [self._gather(seat) for seat in range(last + 1)]
        self.invented: dict[Said, float] = {}
        self.judge = cache(self.likeliness)

    def _gather(self, seat: int) -> Said:
        events = [event for event in self.view.events if event.seat == seat and event.question]
        claims = tuple(
            (
                event.question,
                count(event.claim) if isinstance(event.claim, Mapping) else event.claim,
            )
            for event in events
            if event.question and event.claim is not None
        )
        return Said(claims, sum(event.claim is None and not event.open for event in events))

    # ---- The model of taking and lying -----------------------------------------------------------

    def options(self, seat: int, box: Box) -> list[tuple[str, Box]]:
        """The takes that a box allows a seat, and the box after each."""
        found = []
        for take in self.takes:
            rest = after(box, take)
            empty = box[0] == 0 and not any(box[1])
            if rest is not None and (take != "nothing" or seat == self.last or empty):
                found.append((take, rest))
        return found

    def likeliness(self, seat: int, seen: Box, take: str, passed: Box) -> float:
        """The likelihood of a seat's words if it saw and passed these boxes and took that."""
        said = self.said[seat]
        if not said.claims and not said.silences:
            return 1.0
        honest = figure(TRUTHS, take)
        truthful = honest * SILENCE[0] ** said.silences * said.agrees((seen, take, passed))
        kinds = (
            self._mean(said, self._begun_with(seat, seen)),
            self._mean(said, self._ended_with(seat, passed)),
            self._mean(said, self._bare(seen, passed)),
            self._invented(said),
            max(LEAST, prod(1 / self._choices(question) for question, _ in said.claims)),
        )
        lied = sum(part * kind for part, kind in zip(LYING, kinds, strict=True))
        return truthful + (1 - honest) * SILENCE[1] ** said.silences * lied

    @staticmethod
    def _mean(said: Said, stories: list[tuple[float, Story]]) -> float:
        total = sum(weight for weight, _ in stories)
        fitting = sum(weight for weight, story in stories if said.agrees(story))
        return fitting / total if total else 0.0

    def _begun_with(self, seat: int, seen: Box) -> list[tuple[float, Story]]:
        pouches = self.pouches() if seat == 1 else [(1.0, seen[1])]
        stories = []
        for weight, tokens in pouches:
            options = self.options(seat, (seen[0], tokens))
            total = sum(figure(COVERS, take) for take, _ in options)
            for take, passed in options:
                if total:
                    stories.append((weight * figure(COVERS, take) / total, (seen, take, passed)))
        lost = sum(weight for weight, _ in pouches) - sum(weight for weight, _ in stories)
        # Without anything to claim there is no such story.
        return [*stories, (lost, ((-1, ()), "", (-1, ())))]

    def _ended_with(self, seat: int, passed: Box) -> list[tuple[float, Story]]:
        stories = []
        for take in ("nothing", *KIND_NAMES):
            kind = KIND_NAMES.index(take) if take in KIND_NAMES else -1
            tokens = tuple(many + (i == kind) for i, many in enumerate(passed[1]))
            box = (passed[0], tokens)
            if tokens not in self.sets or (take, passed) not in self.options(seat, box):
                continue
            if seat > 1:
                stories.append((figure(COVERS, take), (box, take, passed)))
            elif sum(self.full) - sum(tokens) <= 1:
                stories.append((figure(COVERS, take), ((passed[0], self.full), take, passed)))
        return stories

    def _bare(self, seen: Box, passed: Box) -> list[tuple[float, Story]]:
        return [(figure(COVERS, take), (seen, take, passed)) for take in self.takes]

    def _invented(self, said: Said) -> float:
        if said not in self.invented:
            stories = [
                (1.0, (box, take, passed))
                for box in product(range(16), self.sets)
                for take in self.takes
                if (passed := after(box, take)) is not None
            ]
            self.invented[said] = self._mean(said, stories)
        return self.invented[said]

    def _choices(self, question: str) -> int:
        if question == "took":
            return len(self.takes)
        return len(self.sets) if question.endswith("tokens") else 16

    def pouches(self) -> list[tuple[float, Tokens]]:
        """The possible contents of the pouch by weight, each with the tokens left in the box."""
        found = [(POUCHES[-1], self.full)]
        for kind in range(len(KIND_NAMES)):
            rest = after((0, self.full), KIND_NAMES[kind])
            if rest is not None:
                found.append((POUCHES[kind], rest[1]))
        return found

    # ---- The ways of the box ---------------------------------------------------------------------

    def chances(self) -> list[dict[str, float]]:
        """The chance of each take of seats 1, 2, ..."""
        found: list[dict[str, float]] = [defaultdict(float) for _ in range(self.last)]
        for weight, takes in self._ways():
            for seat, take in enumerate(takes):
                found[seat][take] += weight
        total = sum(found[0].values())
        return [{take: weight / total for take, weight in seat.items()} for seat in found]

    def _ways(self) -> Iterator[tuple[float, list[str]]]:
        viewer, hidden = self.view.viewer, self.view.hidden
        for kept in range(6) if hidden is None else [hidden]:
            own = self.view.seats[1].received
            if own is not None and 15 - kept != own.diamonds:
                continue
            for weight, tokens in self.pouches():
                pouched = [
                    kind for i, kind in enumerate(KIND_NAMES) if tokens[i] < self.full[i]
                ] or ["none"]
                if viewer != 1 or pouched == [self.view.pouch]:
                    yield from self._pass_on(1, (15 - kept, tokens), weight, [])

    def _pass_on(
        self, seat: int, box: Box, weight: float, takes: list[str]
    ) -> Iterator[tuple[float, list[str]]]:
        seats = self.view.seats
        own = seats[seat % len(seats)].received
        if seat != 1 and own is not None and box != (own.diamonds, count(own.tokens)):
            return
        if seat > self.last:
            if self._goes_on(takes):
                yield weight, takes
            return
        options = self.options(seat, box)
        total = sum(figure(TAKING, take) for take, _ in options)
        seen = (box[0], self.full) if seat == 1 else box
        for take, passed in options:
            if seats[seat].take in (None, take):
                chance = figure(TAKING, take) / total
                chance *= self.judge(seat, seen, take, passed)
                yield from self._pass_on(seat + 1, passed, weight * chance, [*takes, take])

    def _goes_on(self, takes: list[str]) -> bool:
        """Whether a seat has diamonds that it has not shown: otherwise the game would be over."""
        return any(
            take.isdigit() and not self.view.seats[seat].revealed
            for seat, take in enumerate(takes, start=1)
        )


def reason(view: View) -> list[dict[str, float]]:
    """The chance of each take of seats 1, 2, ..., during an inquiry."""
    return Table(view, len(view.seats) - 1).chances()
