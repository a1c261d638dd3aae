"""The features of Mafia de Cuba contain the whole view (reference: Features)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier_core.games.mafia_de_cuba.notation import KIND_NAMES
from tablier_core.games.mafia_de_cuba.observe import Box, Event, Seat, Tokens, View
from tablier_core.registry import GAMES

from tests.core import laws
from tests.core.games.numbers import Numbers, chosen, members
from tests.core.variants import VARIANTS, Options, label

GAME = GAMES["mafia-de-cuba"]
QUESTIONS = ("received-diamonds", "received-tokens", "passed-diamonds", "passed-tokens", "took")
KINDS = ("asked", "unasked", "accused")
POUCH = (*KIND_NAMES, "none", None)
TAKES = ("nothing", *map(str, range(1, 16)), *KIND_NAMES, None)
OUTCOMES = ("godfather", "agent", "cleaner", "thieves")
# The weights of the kinds in the number of a set (reference: Byte layout).
WEIGHTS = dict(zip(KIND_NAMES, ((24, 6), (12, 2), (6, 2), (2, 3), (1, 2)), strict=True))


def decode(numbers: Numbers) -> View:
    """Rebuild the view of a seat from its features alone."""
    seats, hidden = numbers.one("seats"), numbers.one("hidden")
    outcome = chosen(numbers.whole("outcome"))
    assert chosen(numbers.whole("godfather")) == -numbers.seat % seats
    return View(
        viewer=numbers.seat,
        phase=numbers.phase(),
        actors=those(numbers, "actors"),
        tokens=counts(numbers.whole("tokens")),
        jokers=numbers.one("jokers"),
        questions=numbers.one("questions"),
        statements=numbers.one("statements"),
        jokers_left=numbers.one("jokers_left"),
        questions_left=numbers.one("questions_left"),
        recovered=numbers.one("recovered"),
        hidden=None if hidden < 0 else hidden,
        pouch=POUCH[numbers.one("pouch")],
        seats=decode_seats(numbers),
        events=decode_events(numbers),
        outcome=None if outcome is None else OUTCOMES[outcome],
        winners=those(numbers, "winners"),
    )


def counts(numbers: list[int]) -> Tokens:
    return dict(zip(KIND_NAMES, numbers, strict=True))


def those(numbers: Numbers, name: str) -> tuple[int, ...]:
    """Return the seats that a slice marks."""
    return tuple(members(list(numbers.by_seat(numbers.whole(name)[: numbers.one("seats")]))))


def decode_seats(numbers: Numbers) -> tuple[Seat, ...]:
    seats = numbers.one("seats")
    statements = numbers.by_seat(numbers.whole("statements_left")[:seats])
    takes = numbers.by_seat(numbers.whole("takes")[:seats])
    boxes = numbers.by_seat(numbers.rows("received")[:seats])
    sees_all = numbers.phase() == "over"
    table = []
    for seat in range(seats):
        reacted = seat in those(numbers, "reacted")
        fired = "bang" if seat in those(numbers, "fired") else "hold"
        diamonds, *tokens = boxes[seat]
        table.append(
            Seat(
                in_play=seat in those(numbers, "in_play"),
                joker=seat in those(numbers, "with_joker"),
                revealed=seat in those(numbers, "revealed"),
                statements_left=statements[seat],
                take=TAKES[takes[seat]],
                received=None if diamonds < 0 else Box(diamonds, counts(tokens)),
                reacted=reacted,
                reaction=fired if reacted and (sees_all or seat == numbers.seat) else None,
            )
        )
    return tuple(table)


def decode_events(numbers: Numbers) -> tuple[Event, ...]:
    kinds = [kind for kind in numbers.whole("event_kind") if kind]
    rows = zip(
        *(numbers.whole(f"event_{part}")[: len(kinds)] for part in ("seat", "question", "answer")),
        strict=True,
    )
    events = []
    for kind, (place, question, answer) in zip(kinds, rows, strict=True):
        seat = numbers.seat_at(place, numbers.one("seats"))
        assert seat is not None
        if kind == 3:
            shooter = numbers.seat_at(None if answer < 0 else answer, numbers.one("seats"))
            events.append(Event("accused", seat, open=answer == -2, shooter=shooter))
        else:
            asked = QUESTIONS[question - 1]
            claim = None if answer < 0 else decode_claim(asked, answer)
            events.append(Event(KINDS[kind - 1], seat, answer == -2, asked, claim))
    return tuple(events)


def decode_claim(question: str, answer: int) -> int | Tokens | str | None:
    if question == "took":
        return TAKES[answer]
    if question.endswith("diamonds"):
        return answer
    return {kind: answer // weight % size for kind, (weight, size) in WEIGHTS.items()}


@pytest.mark.parametrize("options", VARIANTS[GAME.name], ids=label)
@settings(max_examples=2)
@given(seed=st.integers(0, 2**32))
def test_the_view_can_be_rebuilt_from_the_features(options: Options, seed: int):
    for position in laws.sample(GAME, options, seed, count=15):
        for seat in range(position.seats):
            numbers = Numbers(GAME, seat, position.features(seat))
            assert decode(numbers) == position.observe(seat)
