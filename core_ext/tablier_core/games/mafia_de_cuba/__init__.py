"""Mafia de Cuba, a game of hidden roles and talk for 5 to 12 players."""

from tablier_core.games.mafia_de_cuba.draw import draw_svg, draw_text
from tablier_core.games.mafia_de_cuba.game import ops, pack_options
from tablier_core.games.mafia_de_cuba.observe import observe
from tablier_core.games.mafia_de_cuba.options import OPTIONS
from tablier_core.games.mafia_de_cuba.telling import TELLING
from tablier_core.position import Game

GAME = Game(
    ops,
    title="Mafia de Cuba",
    french_title="Mafia de Cuba",
    summary="A cigar box goes round; the Godfather asks who emptied it, and anyone may lie.",
    options=OPTIONS,
    notation=(
        ("hide 3", "the Godfather keeps 3 diamonds (0 to 5)"),
        ("pouch driver", "seat 1 sets aside a token: loyal, fbi, cia, driver, cleaner or none"),
        ("take 4", "take 4 diamonds"),
        ("take loyal", "take a token: loyal, fbi, cia, driver or cleaner"),
        ("take nothing", "take nothing, from an empty box or as the last seat"),
        ("ask 5 took", "ask seat 5 what it took, or one of the four questions below"),
        ("accuse 5", "order seat 5 to empty its pockets"),
        ("say received-diamonds 7", "claim that the box arrived with 7 diamonds"),
        ("say received-tokens L2F1D1", "claim that it had 2 loyal, 1 FBI and 1 driver; - for none"),
        ("say passed-diamonds 7", "claim to have passed on 7 diamonds"),
        ("say passed-tokens L2F1", "claim to have passed on these tokens (C: CIA, N: cleaner)"),
        ("say took 4", "claim a take: diamonds, a token kind or nothing"),
        ("silent", "refuse to answer"),
        ("hold", "let the accused empty its pockets"),
        ("bang", "the cleaner fires at the accused"),
    ),
    action_parts=(
        "hide 6 diamonds\n"
        "pouch 6 token\n"
        "take 21 what\n"
        "ask 11x5 seat,question\n"
        "accuse 11 seat\n"
        "received-diamonds 16 number\n"
        "received-tokens 6x2x2x3x2 loyal,fbi,cia,driver,cleaner\n"
        "passed-diamonds 16 number\n"
        "passed-tokens 6x2x2x3x2 loyal,fbi,cia,driver,cleaner\n"
        "took 21 what\n"
        "silent\n"
        "hold\n"
        "bang"
    ),
    pack_options=pack_options,
    observe=observe,
    draw_text=draw_text,
    draw_svg=draw_svg,
    public_moves=("ask", "accuse", "say", "silent"),
    optional_phases=("inquiry",),
    telling=TELLING,
)
