"""My Game, for two to four seats."""

from tablier_core.games.my_game.draw import draw_svg, draw_text
from tablier_core.games.my_game.game import ops, pack_options
from tablier_core.games.my_game.observe import observe
from tablier_core.games.my_game.options import OPTIONS
from tablier_core.games.my_game.telling import TELLING
from tablier_core.position import Game

GAME = Game(
    ops,
    title="My Game",
    french_title="My Game",
    summary="Play the highest card to win the round, which is worth the lowest card.",
    options=OPTIONS,
    notation=(("7", "play card 7; cards are 1 to 12"),),
    pack_options=pack_options,
    observe=observe,
    draw_text=draw_text,
    draw_svg=draw_svg,
    telling=TELLING,
)
