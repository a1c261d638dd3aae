"""The engine of the alignment game: it proves wins and losses that are near instead of guessing.

A turn is a pawn move and a sowing. The engine works out once what a placement of pawns threatens
and uses that for every ring, so that it can test all sowings of a turn against all replies:

1. A pawn move that wins is played.
2. A move after which the rival wins at once is discarded if there is another.
3. A turn after which the rival cannot stop a win in the next turn is played.
4. Of the rest, turns that leave the rival such a win are discarded, starting with the turns that
   look best.

Steps 1 and 2 are always complete. Steps 3 and 4 go as far as the budget allows, and never claim
more than they have proven.

    threats    which pawn moves would win, and which sowings prevent them
    thought    the budget and the memory of one consultation
    plans      what follows from a placement of pawns, and which sowings win by force
    estimate   how good a position looks, and the slot `evaluate`
    choose     the best turns, and the slot `rank`
"""
