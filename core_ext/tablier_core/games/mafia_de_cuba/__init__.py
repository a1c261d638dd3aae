"""Mafia de Cuba, a game of hidden roles and of talk for 5 to 12 seats."""

from tablier_core.games.mafia_de_cuba.draw import draw_svg, draw_text
from tablier_core.games.mafia_de_cuba.observe import observe
from tablier_core.games.mafia_de_cuba.rules import ops, pack_options
from tablier_core.options import Flag, Option, Whole, WholeOr
from tablier_core.position import Game

GAME = Game(
    ops,
    title="Mafia de Cuba",
    french_title="Mafia de Cuba",
    summary="A cigar box goes round; the Godfather asks who emptied it, and anybody may lie.",
    options=(
        Whole("seats", "how many play, the Godfather included", default=8, low=5, high=12),
        Flag("cleaner", "the cleaner takes the place of one loyal"),
        WholeOr("jokers", "wrong accusations that are forgiven", low=0, high=2, word="table"),
        Option(
            "tokens",
            "the tokens in the box, instead of those of the table",
            form="a map to counts: loyal to 5, fbi to 1, cia to 1, driver to 2, cleaner to 1",
        ),
        WholeOr(
            "questions",
            "how often the Godfather may ask; by default 4 times the seats",
            low=0,
            high=96,
            word="table",
        ),
        Whole("statements", "how often each seat may speak unasked", default=2, low=0, high=8),
    ),
    notation=(
        ("hide 3", "the Godfather keeps 3 diamonds, 0 to 5"),
        ("pouch driver", "seat 1 puts a token aside: loyal, fbi, cia, driver, cleaner or none"),
        ("take 4", "take 4 diamonds"),
        ("take loyal", "take a token: loyal, fbi, cia, driver or cleaner"),
        ("take nothing", "take nothing: the box is empty, or the seat is the last"),
        ("ask 5 took", "ask seat 5 what it took, or one of the four questions below"),
        ("accuse 5", "order seat 5 to empty its pockets"),
        ("say received-diamonds 7", "claim that the box had 7 diamonds on arrival"),
        ("say received-tokens L2F1D1", "claim that it had 2 loyal, 1 FBI and 1 driver; - for none"),
        ("say passed-diamonds 7", "claim that it had 7 diamonds when passed on"),
        ("say passed-tokens L2F1", "claim that it had these tokens then (C: CIA, N: cleaner)"),
        ("say took 4", "claim a take: diamonds, a token kind or nothing"),
        ("silent", "give no answer"),
        ("hold", "let the accused empty its pockets"),
        ("bang", "the cleaner fires at the accused"),
    ),
    pack_options=pack_options,
    observe=observe,
    draw_text=draw_text,
    draw_svg=draw_svg,
)
