"""What the two Contigo games share.

board      the geometry of the board and its ring of pits
sowing     the sowings of a ring: numbers, lists, effects
notation   squares, moves along a line and sowings as text
layout     the board as text
options    the options that both games have
pieces     the names of colours and pieces
draw       the board as text and SVG
telling    sowings in words and as paths, and reasons
"""
