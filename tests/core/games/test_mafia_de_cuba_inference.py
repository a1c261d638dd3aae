"""The chances of takes, compared with an enumeration of every way of the box."""

from __future__ import annotations

import pytest
from tablier_core.games.mafia_de_cuba.engine.inference import suspect
from tablier_core.position import Position

from tests.core import laws
from tests.core.games.mafia_de_cuba_positions import GAME, ROUND, play, start, theft
from tests.core.variants import VARIANTS, Options, label
from tests.reference.mafia_de_cuba_reasoning import reason

SMALL: dict[str, object] = {
    "seats": 5,
    "tokens": {"loyal": 1, "fbi": 1},
    "jokers": 1,
    "statements": 8,
}
TAKES = ("4", "loyal", "3", "nothing")


def small(*moves: str, takes: tuple[str, ...] = TAKES, **theft_options: object) -> Position:
    options = SMALL | {"cleaner": theft_options.pop("cleaner", False)}
    position = theft(start(**options), *takes, hide=5, **theft_options)  # type: ignore[arg-type]
    return play(position, *moves)


GAMES = {
    "nobody has spoken": small(),
    "true statements": small("2 say took loyal", "2 say received-diamonds 6", "4 say took nothing"),
    "a thief that starts with the truth": small(
        "3 say received-diamonds 6",
        "3 say received-tokens F1",
        "3 say took fbi",
        "3 say passed-tokens -",
    ),
    "a thief that ends with the truth": small(
        "3 say passed-diamonds 3", "3 say received-tokens L1F1", "3 say took loyal"
    ),
    "seat 1 fills the pouch": small(
        "1 say received-diamonds 10",
        "1 say received-tokens L1F1",
        takes=("4", "loyal", "2", "1"),
        pouch="fbi",
    ),
    "seat 1 ends with the truth": small(
        "1 say passed-tokens L1", "1 say took fbi", takes=("4", "loyal", "2", "1"), pouch="fbi"
    ),
    "silence": small("0 ask 3 took", "3 silent", "0 ask 2 took", "2 say took loyal"),
    "a contradiction": small("3 say took loyal", "3 say took fbi"),
    "an open question": small("3 say took loyal", "0 ask 1 took"),
    "an innocent seat was accused": small(
        "0 accuse 2", "1 say took loyal", "3 say passed-diamonds 6", "4 say received-diamonds 3"
    ),
    "a thief was found": small("1 say took fbi", "3 say took fbi", "0 accuse 1"),
    "nonsense": small("2 say received-diamonds 15", "2 say passed-diamonds 0"),
    "the cleaner": small(
        "2 say took cleaner", "1 say took cleaner", takes=("4", "cleaner", "3", "fbi"), cleaner=True
    ),
    "an empty box": small(
        "3 say took nothing", "4 say took nothing", takes=("10", "loyal", "fbi", "nothing")
    ),
}


@pytest.mark.parametrize("viewer", [0, 1, 3])
@pytest.mark.parametrize("name", GAMES)
def test_chances_agree_with_an_enumeration_of_all_ways(name: str, viewer: int):
    position = GAMES[name]
    found = suspect(position.pack(), viewer)
    expected = reason(position.observe(viewer))
    for seat, chances in enumerate(expected):
        for take, chance in chances.items():
            assert found[seat].get(take, 0.0) == pytest.approx(chance, rel=1e-9, abs=1e-12)
        assert sum(found[seat].values()) == pytest.approx(1.0)


def test_chances_depend_only_on_what_the_viewer_knows():
    for position in GAMES.values():
        for viewer in range(5):
            worlds = [position.determinize(viewer, seed) for seed in range(4)]
            found = [suspect(world.pack(), viewer) for world in (position, *worlds)]
            assert all(chances == found[0] for chances in found)


@pytest.mark.parametrize("options", VARIANTS["mafia-de-cuba"], ids=label)
def test_chances_add_up_to_one_whatever_is_said(options: Options):
    for position in laws.sample(GAME, options, 3, count=8):
        for viewer in range(position.seats):
            if position.phase in ("inquiry", "answer", "react"):
                for chances in suspect(position.pack(), viewer):
                    assert sum(chances.values()) == pytest.approx(1.0)


def thief_chance(position: Position, seat: int, viewer: int = 0) -> float:
    chances = suspect(position.pack(), viewer)[seat - 1]
    return sum(chance for take, chance in chances.items() if take.isdigit())


def test_agreement_clears_a_seat_and_contradiction_incriminates_it():
    position = play(
        theft(start(statements=8), *ROUND),
        "3 say passed-diamonds 11",
        "4 say received-diamonds 11",
        "4 say passed-diamonds 11",
        "4 say took driver",
    )
    agreed = play(position, "5 say received-diamonds 11")
    quarrel = play(position, "5 say received-diamonds 8")
    assert thief_chance(agreed, 4) < 0.2 * thief_chance(position, 4)
    assert thief_chance(quarrel, 4) > 2 * thief_chance(position, 4)
    assert thief_chance(quarrel, 5) > thief_chance(agreed, 5)


def test_two_seats_that_claim_the_same_token_are_suspects():
    position = theft(start(statements=8), *ROUND)
    alone = play(position, "4 say took driver")
    both = play(alone, "5 say took driver")
    assert thief_chance(alone, 4) < thief_chance(both, 4)
    assert thief_chance(both, 5) > 0.5


def test_silence_makes_a_loyal_less_likely():
    position = theft(start(statements=8), *ROUND)
    silent = play(position, "0 ask 6 took", "6 silent")
    assert suspect(silent.pack(), 0)[5]["loyal"] < suspect(position.pack(), 0)[5]["loyal"]
