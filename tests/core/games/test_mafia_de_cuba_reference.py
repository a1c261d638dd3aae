"""Mafia de Cuba compared with an independent implementation, move by move."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from tablier_core.games.mafia_de_cuba.hidden import count_worlds
from tablier_core.games.mafia_de_cuba.observe import Event, View
from tablier_core.position import REFEREE, Position

from tests.core.games.mafia_de_cuba_positions import GAME
from tests.core.variants import VARIANTS, Options, label
from tests.reference import mafia_de_cuba as reference

pytestmark = pytest.mark.slow


def spelled(event: Event) -> tuple[object, ...]:
    """An event as the reference writes it."""
    if event.kind == "accused":
        return "accused", event.seat, event.shooter
    claim = event.claim
    if claim is not None and not isinstance(claim, int | str):
        claim = reference.written(claim)
    said = "silent" if claim is None else f"say {event.question} {claim}"
    if event.kind == "unasked":
        return "unasked", event.seat, said
    return "asked", event.seat, event.question, said


def knowledge(view: View) -> dict[str, object]:
    """A view in the form of the reference implementation."""
    seats = dict(enumerate(view.seats))
    latest = view.events[-1] if view.events and view.events[-1].open else None
    return {
        "seats": len(view.seats),
        "setup": reference.written(view.tokens),
        "phase": view.phase,
        "actors": list(view.actors),
        "jokers": (
            view.jokers,
            view.jokers_left,
            [number for number, seat in seats.items() if seat.joker],
        ),
        "questions": (view.questions, view.questions_left),
        "statements": (
            view.statements,
            [
                view.statements - seat.statements_left if number else 0
                for number, seat in seats.items()
            ],
        ),
        "recovered": view.recovered,
        "eliminated": [number for number, seat in seats.items() if not seat.in_play],
        "revealed": [number for number, seat in seats.items() if seat.revealed],
        "history": [spelled(event) for event in view.events if not event.open],
        "pending": (latest.seat, latest.question) if latest and latest.question else None,
        "accused": latest.seat if latest and not latest.question else None,
        "reacted": [number for number, seat in seats.items() if seat.reacted],
        "reactions": {n: seat.reaction for n, seat in seats.items() if seat.reaction},
        "hidden": view.hidden,
        "pouch": view.pouch,
        "boxes": {
            number: (seat.received.diamonds, reference.written(seat.received.tokens))
            for number, seat in seats.items()
            if seat.received
        },
        "takes": {number: seat.take for number, seat in seats.items() if seat.take},
        "winners": list(view.winners),
    }


def compare(position: Position, game: reference.Mafia) -> None:
    assert (position.phase, position.actors) == (game.phase, game.actors)
    assert (position.scores, position.returns) == (game.scores, game.returns)
    assert position.observe().outcome == game.outcome
    for seat in range(game.seats):
        assert set(position.notations(seat)) == game.moves(seat)
    for viewer in range(REFEREE, game.seats):
        assert knowledge(position.observe(viewer)) == game.knowledge(viewer)


def some_move(game: reference.Mafia, seat: int, chance: random.Random) -> str:
    """A legal move, with enough accusations and shots to reach every rule."""
    moves = sorted(game.moves(seat))
    wanted = [move for move in moves if move.split()[0] in ("accuse", "bang")]
    wanted += [move for move in moves if move in ("take cleaner", "take driver", "take nothing")]
    return chance.choice(wanted if wanted and chance.random() < 0.3 else moves)


def random_game(options: Options, seed: int) -> Iterator[tuple[Position, reference.Mafia]]:
    """Yield both implementations of a random game after every move; the second one is mutable."""
    chance = random.Random(seed)
    position, game = GAME.start(options, seed), reference.Mafia(**options)  # type: ignore[arg-type]
    yield position, game
    while game.actors:
        seat = chance.choice(game.actors)
        move = some_move(game, seat, chance)
        game.apply(seat, move)
        position = position.apply(seat, GAME.read_move(move))
        yield position, game


every_variant = pytest.mark.parametrize("options", VARIANTS["mafia-de-cuba"], ids=label)


@every_variant
def test_random_games_agree_with_the_reference_implementation(options: Options):
    outcomes = Counter[object]()
    for seed in range(12):
        for position, game in random_game(options, seed):
            compare(position, game)
        outcomes[game.outcome] += 1
    assert len(outcomes) > 1


# ---- Worlds --------------------------------------------------------------------------------------


@every_variant
def test_counts_the_ways_of_the_box_correctly(options: Options):
    chance = random.Random(1)
    # The reference implementation tries every box: compare few positions of large games.
    share, compared = (0.002 if options.get("seats", 8) == 12 else 0.012), 0
    for seed in range(6):
        for position, game in random_game(options, seed):
            for viewer in range(game.seats):
                if game.actors and chance.random() < share:
                    assert count_worlds(position.pack(), viewer) == game.count_ways(viewer)
                    compared += 1
    assert compared > 0


def way_of(world: Position) -> tuple[object, ...]:
    view = world.observe()
    takes = tuple(seat.take for seat in view.seats[1:] if seat.take is not None)
    return view.hidden, view.pouch, takes


def check_uniform(position: Position, viewer: int, ways: list[tuple[object, ...]]) -> None:
    """Check that exactly these ways are drawn, and that all are equally likely."""
    expected = 40
    drawn = Counter(
        way_of(position.determinize(viewer, seed)) for seed in range(expected * len(ways))
    )
    assert set(drawn) == set(ways)
    spread = sum((count - expected) ** 2 / expected for count in drawn.values())
    # Chi-squared: its mean is one less than the number of ways, its variance twice that.
    assert spread < len(ways) + 6 * (2 * len(ways)) ** 0.5


def test_every_possible_way_is_drawn_with_the_same_chance():
    seen = set()
    tables: list[Options] = [
        {"seats": 5},
        {"seats": 6, "cleaner": True},
        {"seats": 6, "tokens": {"loyal": 2, "driver": 2}, "jokers": 2},
    ]
    for options in tables:
        for seed in range(40):
            for position, game in random_game(options, seed):
                for viewer in range(game.seats if game.actors else 0):
                    kind = (game.phase, min(viewer, 2), bool(game.revealed))
                    if kind in seen or not 1 < count_worlds(position.pack(), viewer) <= 90:
                        continue
                    seen.add(kind)
                    check_uniform(position, viewer, list(game.ways(viewer)))
    phases = {phase for phase, _, _ in seen}
    assert phases == {"pouch", "take", "inquiry", "answer", "react"}
    assert {viewer for _, viewer, _ in seen} == {0, 1, 2}
    assert {revealed for _, _, revealed in seen} == {False, True}


def test_draws_depend_only_on_what_the_viewer_knows():
    options = {"seats": 7, "cleaner": True}
    for seed in range(4):
        for position, game in random_game(options, seed):
            for viewer in range(game.seats):
                world = position.determinize(viewer, seed)
                assert world.determinize(viewer, 5) == position.determinize(viewer, 5)
                # The viewer cannot tell both worlds apart in the reference implementation either.
                assert knowledge(world.observe(viewer)) == game.knowledge(viewer)
