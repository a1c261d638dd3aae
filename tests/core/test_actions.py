"""The parts of action spaces: their factors are those of the moves that the notation names."""

from collections.abc import Callable, Iterator

import pytest
from tablier_core.actions import ActionPart, read_parts
from tablier_core.games.contrast.notation import SYMBOL_NAMES
from tablier_core.position import Game
from tablier_core.registry import GAMES
from tablier_core.testing.games import TESTING_GAMES

EVERY_GAME = [*GAMES.values(), *TESTING_GAMES.values()]
FAMILIES = ("brakova", "yakaz", "rodrigos", "costa")
QUESTIONS = (
    "received-diamonds",
    "received-tokens",
    "passed-diamonds",
    "passed-tokens",
    "took",
)


@pytest.mark.parametrize("game", EVERY_GAME, ids=lambda game: game.name)
def test_every_action_has_one_place_in_one_part(game: Game):
    actions: list[int] = []
    for part in game.action_parts:
        assert part.first == len(actions)
        for action in range(part.first, part.first + part.size):
            factors = part.factors(action)
            assert part.action(*factors) == action
            assert action in part
            actions.append(action)
    assert actions == list(range(game.num_actions))


@pytest.mark.parametrize("game", EVERY_GAME, ids=lambda game: game.name)
def test_the_parts_of_a_game_have_different_names(game: Game):
    names = [part.name for part in game.action_parts]
    assert len(set(names)) == len(names)


def square(number: int) -> str:
    return "abcdef"[number % 6] + str(number // 6 + 1)


def tokens(*counts: int) -> str:
    named = zip("LFCDN", counts, strict=True)
    return "".join([f"{letter}{count}" for letter, count in named if count]) or "-"


# How the notation of an action begins, by game and part. The rest follows from the other factors.
BEGINNINGS: dict[tuple[str, str], Callable[..., str]] = {
    ("contigo-alignment", "pawn"): lambda origin, _: f"{square(origin)}-",
    ("contigo-alignment", "ell"): lambda origin, *_: f"{square(origin)}-",
    ("contigo-alignment", "sow"): lambda pit, direction, _: f"{pit}{'+-'[direction]}",
    ("contigo-capture", "move"): lambda origin, _: f"{square(origin)}-",
    ("contigo-capture", "capture"): lambda origin, _: f"{square(origin)}x",
    ("contigo-capture", "stop"): lambda: "stop",
    ("contigo-capture", "sow"): lambda pit, direction, _: f"{pit}{'+-'[direction]}",
    ("contract", "on"): lambda place: f"on {place + 1}",
    ("contract", "piece"): lambda kind: ("token", "contract", "dollar", "vicelard", "copper")[kind],
    ("contract", "down"): lambda kind: f"down {(*FAMILIES, 'dollar')[kind]}",
    ("contract", "copper-to"): lambda place: f"copper-to {place + 1}",
    ("contract", "vicelard-to"): lambda place: f"vicelard-to {place + 1}",
    ("contract", "pay-dollar"): lambda: "pay dollar",
    ("contract", "pay-down"): lambda kind: f"pay down {(*FAMILIES, 'dollar')[kind]}",
    ("contract", "chase"): lambda place: f"chase {place + 1}",
    ("contract", "join"): lambda family: f"join {FAMILIES[family]}",
    ("contract", "drop"): lambda seat, family, value: f"drop {seat} {FAMILIES[family]} {value}",
    ("contrast", "symbol"): lambda card, half: SYMBOL_NAMES[2 * card + half],
    ("contrat500", "bid"): lambda contract: f"bid {contract + 3}",
    ("contrat500", "discard"): lambda tile: f"discard {tile + 1}",
    ("mafia-de-cuba", "hide"): lambda diamonds: f"hide {diamonds}",
    ("mafia-de-cuba", "ask"): lambda seat, question: f"ask {seat + 1} {QUESTIONS[question]}",
    ("mafia-de-cuba", "accuse"): lambda seat: f"accuse {seat + 1}",
    ("mafia-de-cuba", "received-diamonds"): lambda number: f"say received-diamonds {number}",
    ("mafia-de-cuba", "received-tokens"): lambda *counts: f"say received-tokens {tokens(*counts)}",
    ("mafia-de-cuba", "passed-diamonds"): lambda number: f"say passed-diamonds {number}",
    ("mafia-de-cuba", "passed-tokens"): lambda *counts: f"say passed-tokens {tokens(*counts)}",
    ("mafia-de-cuba", "took"): lambda _: "say took ",
}


def parts() -> Iterator[tuple[Game, ActionPart]]:
    for game in GAMES.values():
        # A game that names no parts has a single one.
        for part in game.action_parts if len(game.action_parts) > 1 else ():
            yield game, part


@pytest.mark.parametrize(
    ("game", "part"),
    [pytest.param(game, part, id=f"{game.name} {part.name}") for game, part in parts()],
)
def test_factors_are_what_the_notation_says(game: Game, part: ActionPart):
    beginning = BEGINNINGS.get((game.name, part.name), lambda *_: part.name)
    spellings = set()
    for action in range(part.first, part.first + part.size):
        notation = game.write_move(action)
        assert notation.startswith(beginning(*part.factors(action)))
        spellings.add(notation)
    assert len(spellings) == part.size


def test_rejects_actions_and_factors_of_others():
    part = read_parts("first\nsecond 2x3 row,column")[1]
    assert (part.first, part.size) == (1, 6)
    for action in (0, 7, "1"):
        assert action not in part
    with pytest.raises(ValueError, match="7 is not one of the actions second"):
        part.factors(7)
    with pytest.raises(ValueError, match="3 is not one of the 3 values"):
        part.action(0, 3)
    with pytest.raises(ValueError, match="second has 2 factors"):
        part.action(0)


def test_rejects_parts_without_names_of_their_axes():
    with pytest.raises(ValueError, match="needs a name for every axis"):
        read_parts("sow 28x2 pit")
