"""How Contract tells its moves, and what its pictures show (reference: Moves and notation)."""

from __future__ import annotations

import random
import re

import pytest
from tablier_core import languages
from tablier_core.drawing import CONTRAST, DARK, LIGHT, Look, Palette
from tablier_core.games.contract.observe import STAGES
from tablier_core.games.contract.words import MOVES
from tablier_core.position import REFEREE, Position

from tests.core.games.contract_table import GAME, ROW, Table, begun, legal, play

# The game of the player page: three seats bid on five Mafiosi.
BIDS = [
    "on 2", "token", "contract", "done",
    "on 1", "token", "contract", "contract", "done",
    "on 5", "token", "contract", "vicelard", "done",
    "copper-to 2", "pay down brakova",
    "on 4", "token", "contract", "done",
    "on 3", "token", "dollar", "done",
    "on 3", "token", "dollar", "down rodrigos", "done",
    "pass", "pass",
]  # fmt: skip
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


def example(moves: int) -> Position:
    """The game of the player page after some moves."""
    return play(GAME.start({}, 40), *BIDS[:moves])


def counted(*moves: str) -> Position:
    """The same game, when all have passed and seat 0 has won the Costa 4 under Copper."""
    return play(example(len(BIDS)), "pass", *moves)


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


def why(position: Position, move: str, language: languages.Language = ENGLISH) -> str:
    """Why a move is illegal."""
    assert move not in legal(position)
    return position.reason(position.actors[0], GAME.read_move(move), language)


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


def test_what_is_played_openly_is_told_to_all():
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
        "Seat 0 passes. The row is counted: seat 0 takes Costa 4; seat 1 takes Costa 6."
    )
    assert story(counted(), "drop 1 costa 6", 2) == (
        "Seat 0 makes seat 1 discard the Costa 6. The counting goes on: seat 0 takes Blackmat 5."
    )
    assert story(counted("drop 1 costa 6"), "join costa", 1) == (
        "Seat 0 adds the Blackmat 5 to the Costa column. The counting goes on: seat 1 takes Yakaz"
        " 3; seat 2 takes Rodrigos 6. Round 2 begins."
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
        "Seat 0 passes. The row is counted: seat 0 takes Yakaz 5; nobody takes Blackmat 3, Brakova"
        " 4, Costa 6 and Yakaz 3; seat 0 wins a briefcase (2 of a family). Round 3 begins."
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


# ---- Reasons -------------------------------------------------------------------------------------


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
            f"{VICELARD_COSTS} has only one card, which is no dollar",
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


# ---- Paths and pictures (reference: Picture) -----------------------------------------------------


def paths(position: Position) -> dict[str, tuple[str, ...]]:
    """The paths of all legal moves, by notation."""
    return dict(zip(legal(position), position.paths(position.actors[0]), strict=True))


def test_moves_are_clicks_on_the_table():
    told = paths(example(14))
    assert told["on 3"] == ("mafioso-3",)
    assert told["copper-to 4"] == ("copper-pawn", "mafioso-4")
    assert told["vicelard-to 2"] == ("vicelard-pawn", "mafioso-2")
    assert told["pass"] == ("button-pass",)
    assert paths(example(2))["token"] == ("tokens-0",)
    assert paths(example(2))["contract"] == ("hand-0-costa",)
    told = paths(example(27))
    assert told["down rodrigos"] == ("back-0-rodrigos",)
    assert told["done"] == ("button-done",)
    assert paths(example(12))["vicelard"] == ("vicelard-card",)
    told = paths(play(begun(hands=HAND).position(), "vicelard-to 1"))
    assert told["pay dollar"] == ("hand-1-dollar",)
    assert told["pay down dollar"] == ("back-1-dollar",)
    chased = play(begun(hands=HAND).position(), "vicelard-to 1", "pay dollar")
    assert paths(chased)["chase 3"] == ("mafioso-3",)
    assert paths(counted()) == {"drop 1 costa 6": ("costa-6",), "take-copper": ("copper-card",)}
    assert paths(counted("take-copper")) == {"join costa": ("column-0-costa",)}


def parts(svg: str) -> list[str]:
    """The parts of a picture."""
    return re.findall(r'data-part="([^"]+)"', svg)


def test_a_picture_shows_hidden_hands_as_backs():
    position = example(len(BIDS))
    hands = [name for name in parts(position.draw_svg(0)) if name.startswith(("hand-", "back-"))]
    assert hands == ["hand-0", "hand-0-costa", "back-0-costa", "hand-1", "hand-2"]
    assert "hand-1-yakaz" in parts(position.draw_svg(1)) + parts(position.draw_svg(REFEREE))


@pytest.mark.parametrize("width", [0, 360, 1200])
@pytest.mark.parametrize("palette", [LIGHT, DARK, CONTRAST])
@pytest.mark.parametrize("viewer", [REFEREE, 0, 2])
def test_a_picture_can_be_read(width: int, palette: Palette, viewer: int):
    for position in (GAME.start({}, 40), counted()):
        svg = position.draw_svg(viewer, Look(width=width, palette=palette))
        sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"', svg)]
        assert min(sizes) >= 12
        wide = re.search(r'viewBox="0 0 (\d+) ', svg)
        assert wide is not None
        # On a phone, a unit of the picture is nearly a pixel.
        assert int(wide[1]) <= (400 if width < 720 else 800)
        assert len(parts(svg)) == len(set(parts(svg)))
        assert ">Legend<" in svg


def test_a_picture_begins_with_the_viewer_or_the_chosen_seat():
    position = example(4)
    for viewer, bottom, first in ((REFEREE, None, 0), (2, None, 2), (2, 1, 1)):
        svg = position.draw_svg(viewer, Look(bottom=bottom))
        seats = [name for name in parts(svg) if name.startswith("seat-")]
        assert seats == [f"seat-{(first + step) % 3}" for step in range(3)]


def test_marks_are_drawn_around_the_parts():
    position = example(4)
    plain = position.draw_svg(1)
    marked = position.draw_svg(1, Look(starts=("mafioso-3", "tokens-1"), marks=("nothing",)))
    marks = re.findall(r'<rect x="(\S+)" y="(\S+)" [^>]* pointer-events="none"/>', marked)
    assert marks[0] == ("6", f"{52 + 24 + 2 * 59 - 2}")
    assert len(marks) == 2
    assert "pointer-events" not in plain


# ---- French --------------------------------------------------------------------------------------


def test_moves_in_french():
    told = words(example(14), FRENCH)
    assert told["on 1"] == "Place 0 influence le Mafieux 1 (Costa, face cachée)"
    assert told["on 2"] == "Place 0 renforce son influence sur le Mafieux 2 (Costa 4)"
    assert told["copper-to 4"] == "Place 0 décide de déplacer Copper sur le Mafieux 4 (Yakaz 3)"
    assert told["pass"] == "Place 0 passe son tour"
    assert words(counted(), FRENCH)["drop 1 costa 6"] == (
        "Place 0 fait défausser le Costa 6 à la place 1"
    )


def test_stories_and_reasons_in_french():
    assert story(example(27), "down rodrigos", 1, FRENCH) == (
        "Place 0 pose une carte face cachée sur le Mafieux 3 (Blackmat, face cachée)"
    )
    assert story(example(len(BIDS)), "pass", 2, FRENCH) == (
        "Place 0 passe son tour. Décompte : la place 0 gagne Costa 4 ; la place 1 gagne Costa 6."
    )
    assert why(begun().position(), "copper-to 5", FRENCH) == (
        "Copper ne peut pas aller sur le Mafieux 5, car Vicelard y est"
    )


def test_drawings_in_french():
    position = example(14)
    drawn = position.draw_text(0, FRENCH)
    assert drawn.startswith("Manche 1 sur 4 : la place 0 choisit une action\n")
    assert "Place 0, premier joueur : 0 point\n" in drawn
    svg = position.draw_svg(0, Look(language=FRENCH))
    assert ">La rangée<" in svg
    assert ">Premier à avoir<" in svg
