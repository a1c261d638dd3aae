"""The engine of the capture game: it takes Kings and keeps its own out of reach.

The engine examines a seat's whole turn: every move of a piece, every chain of captures, then the
sowings. What matters most comes first: a win; the own King out of the next seat's reach; Kings
taken; the own King out of reach of the seats after that, under the same ring; then pieces and
places. In the quick game another seat's King counts like the own one where its loss would end the
game with the captor ahead. The search that follows finds out what
the other seats do until then.

    reach      which pieces a seat could capture under a ring
    judge      what a position is worth to a seat that has just sown
    choose     the worth of every move, and the slot `rank`
    estimate   the slot `evaluate`
"""
