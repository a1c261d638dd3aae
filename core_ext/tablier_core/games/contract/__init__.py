"""Contract, for two to five seats."""

from tablier_core.games.contract.draw import draw_svg, draw_text
from tablier_core.games.contract.observe import observe
from tablier_core.games.contract.options import (
    DEFAULT_BRIEFCASES,
    DEFAULT_MAFIOSI,
    DEFAULT_TRAFFICS,
)
from tablier_core.games.contract.game import ops, pack_options
from tablier_core.options import Option, Whole
from tablier_core.position import Game

GAME = Game(
    ops,
    title="Contract",
    french_title="Contract",
    summary="Bid influence on Mafiosi, collect their families, and win the families' traffics.",
    options=(
        Whole("seats", "how many play", default=3, low=2, high=5),
        Option(
            "mafiosi",
            "the values of the Mafiosi by colour",
            default=DEFAULT_MAFIOSI,
            form="a map of brakova, yakaz, rodrigos, costa and blackmat to lists of different"
            " values from 0 to 20; without the 2s at 2 or 3 seats, 20 in all, or 24 at 4 or 5",
        ),
        Option(
            "traffics",
            "the values of the traffic tiles",
            default=DEFAULT_TRAFFICS,
            form="a map of first and second to lists of four values from 0 to 20",
        ),
        Option(
            "briefcases",
            "the bonus tiles; one that names 2s is out at 2 or 3 seats",
            default=DEFAULT_BRIEFCASES,
            form="a list of 0 to 6 maps of sides, two of families-3, families-4, same-2, same-3,"
            " blackmats-2, twos-3, most-mafiosi, largest-family, most-threes and most-twos,"
            " and worth, from 0 to 20",
        ),
        Option(
            "copper_card",
            "the influence points of the Copper card",
            default=1,
            form="a number from 0 to 3, in halves",
        ),
    ),
    notation=(
        ("on 3", "influence or reinforce the third Mafioso of the row"),
        ("token", "place a token on it"),
        ("contract", "place a contract of its family"),
        ("dollar", "place a dollar, face up"),
        ("vicelard", "place the Vicelard card"),
        ("copper", "place the Copper card"),
        ("down yakaz", "place a card face down: brakova, yakaz, rodrigos, costa or dollar"),
        ("done", "end the influence or reinforcement"),
        ("copper-to 2", "pay to move the Copper pawn to the second Mafioso"),
        ("vicelard-to 4", "pay to move the Vicelard pawn to the fourth Mafioso"),
        ("pay dollar", "pay one dollar with a dollar card, face up"),
        ("pay down costa", "pay half a dollar with a card, face down"),
        ("chase 5", "Copper, chased by Vicelard, goes to the fifth Mafioso"),
        ("pass", "pass"),
        ("join brakova", "a Blackmat joins the column of that family"),
        ("drop 1 yakaz 5", "Copper makes seat 1 discard the Yakaz of value 5"),
        ("take-copper", "take the Copper card for the next round instead"),
    ),
    pack_options=pack_options,
    observe=observe,
    draw_text=draw_text,
    draw_svg=draw_svg,
)
