"""How Contract tells its moves (reference: Moves and notation)."""

from __future__ import annotations

import random
import re

from tablier_core import languages
from tablier_core.games.contract.observe import STAGES
from tablier_core.games.contract.words import MOVES
from tablier_core.position import REFEREE, Position

from tests.core.games.contract_example import BIDS, counted, example
from tests.core.games.contract_positions import GAME, begun, legal, play

ENGLISH, FRENCH = languages.catalogue("en"), languages.catalogue("fr")


def words(position: Position, language: languages.Language = ENGLISH) -> dict[str, str]:
    """The words of all legal moves, by notation."""
    return dict(zip(legal(position), position.words(position.actors[0], language), strict=True))


def story(
    position: Position, move: str, viewer: int, language: languages.Language = ENGLISH
) -> str:
    """What a viewer sees of a move."""
    (seat,) = position.actors
    action = GAME.read_move(move)
    return position.story(position.apply(seat, action), seat, action, viewer, language)


def test_moves_are_taken_apart_as_they_are_written():
    assert len(MOVES) == GAME.num_actions
    for action, move in enumerate(MOVES):
        written = move.verb
        written += f" {move.place}" if move.place else ""
        written += f" {move.seat}" if move.seat >= 0 else ""
        written += f" {move.kind}" if move.kind else ""
        written += f" {move.value}" if move.value >= 0 else ""
        assert GAME.write_move(action) == written


# ---- Words (reference: Moves and notation) -------------------------------------------------------


def test_actions_in_words():
    told = words(example(14))
    assert told["on 1"] == "Seat 0 influences Mafioso 1 (Costa, face down)"
    assert told["on 2"] == "Seat 0 reinforces the influence on Mafioso 2 (Costa 4)"
    assert told["copper-to 4"] == "Seat 0 decides to move Copper to Mafioso 4 (Yakaz 3)"
    assert told["vicelard-to 2"] == "Seat 0 decides to move Vicelard to Mafioso 2 (Costa 4)"
    assert told["pass"] == "Seat 0 passes"


def test_pieces_in_words():
    told = words(play(example(24), "on 3", "token"))
    assert told["token"] == "Seat 0 places a token on Mafioso 3 (Blackmat, face down)"
    assert told["dollar"] == "Seat 0 places a dollar card on Mafioso 3 (Blackmat, face down)"
    assert told["down rodrigos"] == (
        "Seat 0 places a Rodrigos contract face down on Mafioso 3 (Blackmat, face down)"
    )
    assert words(example(2))["contract"] == "Seat 0 places a Costa contract on Mafioso 2 (Costa 4)"
    assert words(example(28))["done"] == (
        "Seat 0 ends the turn with an influence of 2½ on Mafioso 3 (Blackmat, face down)"
    )
    assert words(example(12))["vicelard"] == (
        "Seat 2 places the Vicelard card on Mafioso 5 (Rodrigos, face down)"
    )


def test_payments_in_words():
    copper = words(example(15))
    assert copper["pay down brakova"] == (
        "Seat 0 pays half a dollar with a Brakova contract face down, and Copper moves to Mafioso 2"
        " (Costa 4)"
    )
    vicelard = begun(hands={1: ["yakaz", "brakova", "costa", "dollar", "dollar"]}).position()
    told = words(play(vicelard, "vicelard-to 1"))
    assert told["pay dollar"] == (
        "Seat 1 pays a dollar card, and Vicelard moves to Mafioso 1 (Yakaz, face down)"
    )
    assert told["pay down costa"] == (
        "Seat 1 pays the first half dollar with a Costa contract face down"
    )
    assert words(play(vicelard, "vicelard-to 1", "pay down costa"))["pay down dollar"] == (
        "Seat 1 pays the second half dollar with a dollar card face down, and Vicelard moves to"
        " Mafioso 1 (Yakaz, face down)"
    )
    assert words(play(vicelard, "vicelard-to 1", "pay dollar"))["chase 3"] == (
        "Seat 1 chases Copper to Mafioso 3 (Blackmat, face down)"
    )


def test_choices_of_the_counting_in_words():
    assert words(counted()) == {
        "drop 1 costa 6": "Seat 0 makes seat 1 discard the Costa 6",
        "take-copper": "Seat 0 takes the Copper card for the next round",
    }
    assert words(counted("take-copper")) == {
        "join costa": "Seat 0 adds the Blackmat 5 to the Costa column"
    }


# ---- Stories (reference: View) -------------------------------------------------------------------


def test_others_see_only_that_a_card_goes_face_down():
    position = example(27)
    told = "Seat 0 places a Rodrigos contract face down on Mafioso 3 (Blackmat, face down)"
    assert story(position, "down rodrigos", 0) == told
    for viewer in (1, 2):
        assert story(position, "down rodrigos", viewer) == (
            "Seat 0 places a card face down on Mafioso 3 (Blackmat, face down)"
        )
    # The referee sees both the card and the Mafioso.
    assert story(position, "down rodrigos", REFEREE) == (
        "Seat 0 places a Rodrigos contract face down on Mafioso 3 (Blackmat 5)"
    )


def test_others_see_only_that_a_card_is_paid_face_down():
    position = example(15)
    assert story(position, "pay down brakova", 2) == (
        "Seat 0 pays half a dollar with a card face down, and Copper moves to Mafioso 2 (Costa 4)"
    )
    vicelard = begun(hands={1: ["yakaz", "brakova", "costa", "dollar", "dollar"]}).position()
    first = play(vicelard, "vicelard-to 1")
    assert story(first, "pay down costa", 0) == (
        "Seat 1 pays the first half dollar with a card face down"
    )
    assert story(play(first, "pay down costa"), "pay down dollar", 0) == (
        "Seat 1 pays the second half dollar with a card face down, and Vicelard moves to Mafioso 1"
        " (Yakaz, face down)"
    )


def test_all_viewers_read_the_same_story_of_an_open_move():
    position = GAME.start({}, 40)
    seen = set()
    for move in [*BIDS, "pass", "drop 1 costa 6", "join costa"]:
        if "down" not in move:
            stories = {story(position, move, viewer) for viewer in range(3)}
            assert len(stories) == 1, stories
            assert stories.pop().startswith(words(position)[move])
            seen.add(move.split()[0])
        position = play(position, move)
    assert seen >= {"on", "copper-to", "pass", "drop", "join", "done", *STAGES[1:5]} - {"copper"}


def test_a_story_tells_what_a_counting_brought():
    assert story(example(len(BIDS)), "pass", 2) == (
        "Seat 0 passes. The row is counted: seat 0 takes the Costa 4; seat 1 takes the Costa 6."
    )
    assert story(counted(), "drop 1 costa 6", 2) == (
        "Seat 0 makes seat 1 discard the Costa 6. The counting goes on: seat 0 takes the Blackmat"
        " 5."
    )
    assert story(counted("drop 1 costa 6"), "join costa", 1) == (
        "Seat 0 adds the Blackmat 5 to the Costa column. The counting goes on: seat 1 takes the"
        " Yakaz 3; seat 2 takes the Rodrigos 6; seat 2 takes the Vicelard card. Round 2"
        " begins."
    )


def test_a_story_tells_briefcases_and_lost_mafiosi():
    table = begun(
        owned={"yakaz 4": 0, "brakova 3": 1},
        round=2,
        briefcases={"same-2": None},
        numbers={"to_move": 1, "vicelard_holder": 2, "round": 1},
    )
    position = play(table.position(), "pass", "pass")
    assert story(position, "pass", 1) == (
        "Seat 0 passes. The row is counted: seat 0 takes the Yakaz 5; nobody takes the Blackmat 3,"
        " the Brakova 4, the Costa 6 and the Yakaz 3; seat 0 wins a briefcase (2 of a family);"
        " seat 0 takes the Copper card. Round 3 begins."
    )


def test_the_last_story_tells_who_wins():
    chance = random.Random(3)
    position = GAME.start({"seats": 2}, 3)
    before, move, seat = position, 0, 0
    while not position.over:
        before, (seat,) = position, position.actors
        move = chance.choice(position.moves(seat))
        position = position.apply(seat, move)
    told = before.story(position, seat, move, 0, ENGLISH)
    assert re.search(r"The game is over: seats? \d( and \d)? .* with \d+ points?\.$", told), told


# ---- French --------------------------------------------------------------------------------------


def test_moves_in_french():
    told = words(example(14), FRENCH)
    assert told["on 1"] == "La place 0 influence le Mafieux 1 (Costa, face cachée)"
    assert told["on 2"] == "La place 0 renforce son influence sur le Mafieux 2 (Costa 4)"
    assert told["copper-to 4"] == "La place 0 décide de déplacer Copper sur le Mafieux 4 (Yakaz 3)"
    assert told["pass"] == "La place 0 passe son tour"
    assert words(counted(), FRENCH)["drop 1 costa 6"] == (
        "La place 0 oblige la place 1 à défausser le Costa 6"
    )


def test_stories_in_french():
    assert story(example(27), "down rodrigos", 1, FRENCH) == (
        "La place 0 pose une carte face cachée sur le Mafieux 3 (Blackmat, face cachée)"
    )
    assert story(example(len(BIDS)), "pass", 2, FRENCH) == (
        "La place 0 passe son tour. Décompte\xa0: la place 0 gagne le Costa 4\xa0; la place 1"
        " gagne le Costa 6."
    )
