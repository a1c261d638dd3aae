"""Why moves of Contract are illegal."""

from __future__ import annotations

import random

import pytest
from tablier_core import languages
from tablier_core.position import REFEREE, Position

from tests.core.games.contract_example import counted
from tests.core.games.contract_positions import GAME, ROW, Table, begun, legal, play

ENGLISH, FRENCH = languages.catalogue("en"), languages.catalogue("fr")
ORDER = (
    "Pieces are placed in this order: tokens, contracts, dollars, Vicelard card, Copper card, cards"
    " face down"
)
CHOOSE = (
    "First choose an action: influence or reinforce a Mafioso, move Copper or Vicelard, or pass"
)
NO_TOKENS = (
    "An influence needs a token, and all tokens of seat 1 are on the row: only reinforcing is"
    " possible"
)
VICELARD_COSTS = "Moving Vicelard costs a dollar card or two cards face down, and seat 1"
KINDS_ORDER = "Cards go face down in this order: Brakova, Yakaz, Rodrigos, Costa, dollar"


def why(position: Position, move: str, language: languages.Language = ENGLISH) -> str:
    """Why a move is illegal."""
    assert move not in legal(position)
    return position.reason(position.actors[0], GAME.read_move(move), language)


def spent(tokens: int, dollars: int, hand: list[str]) -> Position:
    """Seat 1 has put some of its tokens and dollars on the second Mafioso."""
    stakes = {(1, 0): (1, 0, 0, ["costa"]), (2, 1): (tokens, 0, 0, ["dollar"] * dollars)}
    return begun(stakes=stakes, hands={1: hand}).position()


HAND = {1: ["yakaz", "brakova", "costa", "dollar", "dollar"]}
NO_DOLLARS = {1: ["brakova", "brakova", "brakova", "costa", "costa"]}
SECOND = {"to_move": 1, "vicelard_holder": 2, "copper_holder": 1}


@pytest.mark.parametrize(
    ("position", "move", "reason"),
    [
        # Illegal targets (reference: Actions).
        (
            begun().position(),
            "on 6",
            "The row has only 5 Mafiosi, so there is no Mafioso 6",
        ),
        (
            spent(3, 1, ["dollar"] * 4),
            "on 3",
            NO_TOKENS,
        ),
        (
            spent(1, 5, []),
            "on 3",
            "An influence needs a card, and seat 1 has none for Mafioso 3",
        ),
        (
            spent(3, 5, []),
            "on 2",
            "Seat 1 has neither a token nor a card left to reinforce Mafioso 2",
        ),
        # The first action of a round (reference: Actions).
        *(
            (
                Table(row=ROW).position(),
                move,
                "The first player must begin the round with an influence",
            )
            for move in ("pass", "copper-to 2", "vicelard-to 2")
        ),
        # Moving the pawns (reference: Actions).
        (begun().position(), "copper-to 1", "Copper stands on Mafioso 1 already"),
        (
            begun().position(),
            "copper-to 5",
            "Copper may not move to Mafioso 5, because Vicelard stands there",
        ),
        (
            begun().position(),
            "copper-to 6",
            "The row has only 5 Mafiosi, so there is no Mafioso 6",
        ),
        (
            spent(1, 5, []),
            "copper-to 2",
            "Moving Copper costs half a dollar, that is any card, and seat 1 has no cards",
        ),
        (begun().position(), "vicelard-to 5", "Vicelard stands on Mafioso 5 already"),
        (
            spent(1, 5, []),
            "vicelard-to 2",
            f"{VICELARD_COSTS} has no cards",
        ),
        (
            spent(1, 4, ["costa"]),
            "vicelard-to 2",
            f"{VICELARD_COSTS} has only one card, which is not a dollar",
        ),
        # What a phase does not allow (reference: Moves and notation).
        *(
            (
                begun().position(),
                move,
                CHOOSE,
            )
            for move in ("token", "done", "pay dollar", "chase 2", "join costa", "take-copper")
        ),
        (
            play(begun().position(), "on 1"),
            "pass",
            "Now place tokens and cards on Mafioso 1 (Yakaz, face down), or end the turn",
        ),
        (
            play(begun().position(), "copper-to 2"),
            "pass",
            "Now pay half a dollar for Copper: one card face down",
        ),
        (
            play(begun(hands=HAND).position(), "vicelard-to 2"),
            "done",
            "Now pay one dollar for Vicelard: a dollar card, or two cards face down",
        ),
        (
            play(begun(hands=HAND).position(), "vicelard-to 2", "pay down brakova"),
            "done",
            "Now pay the second half dollar for Vicelard: one more card face down",
        ),
        (counted("take-copper"), "pass", "Now choose a column for the Blackmat 5"),
        (
            counted(),
            "join costa",
            "Now make another seat discard a Costa, or take the Copper card",
        ),
        # Influences and reinforcements (reference: Actions).
        (
            play(begun(hands=HAND).position(), "on 1"),
            "contract",
            "An influence begins with a token",
        ),
        (
            play(begun(hands=HAND).position(), "on 1", "token"),
            "done",
            "An influence needs at least one token and one card",
        ),
        (
            play(spent(1, 1, ["dollar"] * 4), "on 2"),
            "done",
            "A reinforcement needs at least one token or card",
        ),
        # Which pieces go where (reference: Influence points).
        (
            play(begun(hands=HAND).position(), "on 3", "token"),
            "contract",
            "Mafioso 3 is a Blackmat, and Blackmats accept no contracts",
        ),
        (
            play(begun(hands=NO_DOLLARS).position(), "on 1", "token"),
            "contract",
            "Seat 1 has no Yakaz contract",
        ),
        (
            play(begun(hands=NO_DOLLARS).position(), "on 1", "token"),
            "dollar",
            "Seat 1 has no dollar card",
        ),
        (
            play(begun(hands=NO_DOLLARS).position(), "on 1", "token"),
            "down rodrigos",
            "Seat 1 has no Rodrigos contract",
        ),
        (
            play(begun(hands=NO_DOLLARS).position(), "on 1", "token", "token", "token"),
            "token",
            "Seat 1 has no token left: all are on the row",
        ),
        (
            play(begun().position(), "on 1", "token"),
            "vicelard",
            "Seat 2 has the Vicelard card",
        ),
        (
            play(begun().position(), "on 1", "token"),
            "copper",
            "Nobody has the Copper card in this round",
        ),
        (
            play(begun().position(), "pass", "on 1", "token"),
            "vicelard",
            "The Vicelard card goes only where his pawn stands, on Mafioso 5",
        ),
        (
            play(begun().position(), "pass", "on 5", "token", "vicelard"),
            "vicelard",
            "The Vicelard card lies on Mafioso 5 already",
        ),
        # The order of pieces (reference: Moves and notation).
        (play(begun(hands=HAND).position(), "on 1", "token", "dollar"), "token", ORDER),
        (play(begun(hands=HAND).position(), "on 1", "token", "dollar"), "contract", ORDER),
        (play(begun(hands=HAND).position(), "on 1", "token", "down costa"), "dollar", ORDER),
        (
            play(
                begun(hands=HAND, numbers=SECOND, round=2).position(), "on 1", "token", "down costa"
            ),
            "copper",
            ORDER,
        ),
        (
            play(begun(hands=HAND).position(), "on 1", "token", "down costa"),
            "down brakova",
            KINDS_ORDER,
        ),
        # Payments (reference: Actions).
        (
            play(begun(hands=HAND).position(), "copper-to 2"),
            "pay dollar",
            "Now pay half a dollar for Copper: one card face down",
        ),
        (
            play(begun(hands=HAND).position(), "copper-to 2"),
            "pay down rodrigos",
            "Seat 1 has no Rodrigos contract",
        ),
        (
            play(begun(hands=NO_DOLLARS).position(), "vicelard-to 2"),
            "pay dollar",
            "Seat 1 has no dollar card",
        ),
        (
            play(begun(hands=HAND).position(), "vicelard-to 2", "pay down brakova"),
            "pay dollar",
            "Now pay the second half dollar for Vicelard: one more card face down",
        ),
        (
            play(begun(hands=HAND).position(), "vicelard-to 2", "pay down costa"),
            "pay down yakaz",
            f"The first card was a Costa contract. {KINDS_ORDER}.",
        ),
        (
            play(spent(1, 3, ["brakova", "dollar"]), "vicelard-to 2"),
            "pay down dollar",
            f"No card could follow a dollar card. {KINDS_ORDER}.",
        ),
        (
            play(spent(1, 4, ["dollar"]), "vicelard-to 2"),
            "pay down dollar",
            "One dollar takes two cards face down, and seat 1 has only this one",
        ),
        # Chasing Copper (reference: Actions).
        (
            play(begun(hands=HAND).position(), "vicelard-to 1", "pay dollar"),
            "chase 1",
            "Now move Copper away from Mafioso 1 (Yakaz, face down), where Vicelard has arrived",
        ),
        (
            play(begun(hands=HAND).position(), "vicelard-to 1", "pay dollar"),
            "chase 6",
            "The row has only 5 Mafiosi, so there is no Mafioso 6",
        ),
        # Choices of the counting (reference: Counting).
        (counted("take-copper"), "join brakova", "Seat 0 has no Brakova column"),
        (counted(), "drop 1 costa 5", "Seat 1 does not have the Costa 5"),
        (counted(), "drop 0 costa 4", "Another seat has to discard, not seat 0"),
        (
            counted(),
            "drop 1 yakaz 3",
            "Copper stands on the Costa 4, so only a Costa can be discarded",
        ),
        (counted(), "drop 4 costa 6", "There is no seat 4"),
    ],
)
def test_an_illegal_move_has_a_reason(position: Position, move: str, reason: str):
    assert why(position, move) == reason


def test_others_wait_for_their_turn():
    position, move = begun().position(), GAME.read_move("pass")
    assert position.actors == [1]
    for seat in (REFEREE, 0, 2):
        assert position.reason(seat, move) == "It is the turn of seat 1"
    # What seat 2 or the table may not do does not depend on anybody's cards.
    placing = play(begun(hands=HAND).position(), "on 1", "token")
    assert placing.reason(REFEREE, GAME.read_move("contract")) == "It is the turn of seat 1"


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_every_illegal_move_of_a_game_has_a_reason(seats: int):
    chance = random.Random(seats)
    position = GAME.start({"seats": seats}, seats)
    while not position.over:
        (seat,) = position.actors
        moves = position.moves(seat)
        for move in chance.sample(sorted(set(range(GAME.num_actions)) - set(moves)), 40):
            assert position.reason(seat, move, ENGLISH)
        position = position.apply(seat, chance.choice(moves))


def test_reasons_in_french():
    assert why(begun().position(), "copper-to 5", FRENCH) == (
        "Copper ne peut pas aller sur le Mafieux 5, car Vicelard y est"
    )
