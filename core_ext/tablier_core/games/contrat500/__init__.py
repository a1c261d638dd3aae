"""Contrat 500, for two to four seats."""

from tablier_core.games.contrat500.draw import draw_svg, draw_text
from tablier_core.games.contrat500.game import ops, pack_options
from tablier_core.games.contrat500.observe import observe
from tablier_core.games.contrat500.options import OPTIONS
from tablier_core.games.contrat500.telling import TELLING
from tablier_core.position import Game

GAME = Game(
    ops,
    title="Contrat 500",
    french_title="Contrat 500",
    summary="Bid two totals of three tiles, be the first to hold both, and collect 500 points.",
    options=OPTIONS,
    notation=(
        ("bid 27", "place a token on contract 27 (3 to 30)"),
        ("pot", "draw the next tile from the pot"),
        ("take", "take the tile that was just discarded"),
        ("discard 9", "discard a 9 (1 to 10)"),
        ("announce", "show both contracts and settle the deal"),
        ("decline", "play on although both contracts are made"),
        ("void", "end the deal without points; only with an empty pot"),
    ),
    action_parts="bid 28 contract\npot\ntake\ndiscard 10 tile\nannounce\ndecline\nvoid",
    pack_options=pack_options,
    observe=observe,
    draw_text=draw_text,
    draw_svg=draw_svg,
    public_moves=("bid", "pot", "take", "discard", "announce", "decline", "void"),
    telling=TELLING,
)
