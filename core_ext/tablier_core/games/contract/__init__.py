"""Contract, for two to five players."""

from tablier_core.games.contract.draw import draw_svg, draw_text
from tablier_core.games.contract.game import ops, pack_options
from tablier_core.games.contract.observe import observe
from tablier_core.games.contract.options import OPTIONS
from tablier_core.games.contract.telling import TELLING
from tablier_core.position import Game

GAME = Game(
    ops,
    title="Contract",
    french_title="Contract",
    summary="Bid influence on Mafiosi, collect their families, and win the families' traffics.",
    options=OPTIONS,
    notation=(
        ("on 3", "influence or reinforce the third Mafioso of the row"),
        ("token", "place a token on it"),
        ("contract", "place a contract of its family"),
        ("dollar", "place a dollar face up"),
        ("vicelard", "place the Vicelard card"),
        ("copper", "place the Copper card"),
        ("down yakaz", "place a card face down: brakova, yakaz, rodrigos, costa or dollar"),
        ("done", "end the influence or reinforcement"),
        ("copper-to 2", "pay to move the Copper pawn to the second Mafioso"),
        ("vicelard-to 4", "pay to move the Vicelard pawn to the fourth Mafioso"),
        ("pay dollar", "pay one dollar with a dollar card, face up"),
        ("pay down costa", "pay half a dollar with a card, face down"),
        ("chase 5", "chase Copper to the fifth Mafioso"),
        ("pass", "pass"),
        ("join brakova", "add a Blackmat to the column of that family"),
        ("drop 1 yakaz 5", "make seat 1 discard the Yakaz of value 5"),
        ("take-copper", "take the Copper card for the next round instead"),
    ),
    action_parts=(
        "on 6 place\n"
        "piece 5 kind\n"
        "down 5 kind\n"
        "done\n"
        "copper-to 6 place\n"
        "vicelard-to 6 place\n"
        "pay-dollar\n"
        "pay-down 5 kind\n"
        "chase 6 place\n"
        "pass\n"
        "join 4 family\n"
        "drop 5x4x21 seat,family,value\n"
        "take-copper"
    ),
    pack_options=pack_options,
    observe=observe,
    draw_text=draw_text,
    draw_svg=draw_svg,
    # All but cards that are put down or paid face down.
    public_moves=(
        *("on", "token", "contract", "dollar", "vicelard", "copper", "done", "pass"),
        *("copper-to", "vicelard-to", "pay dollar", "chase", "join", "drop", "take-copper"),
    ),
    telling=TELLING,
)
