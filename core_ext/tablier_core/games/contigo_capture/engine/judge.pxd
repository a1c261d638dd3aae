# Judgement of a whole turn: what a position is worth to a seat that has just sown.

from tablier_core.games.contigo_capture.state cimport State

cdef enum:
    WON = 100_000
    KING = 700                  # a King taken: more than any number of pieces
    MARGIN = 150                 # moves within this margin of the best are searched

cdef double judge(const State* s, int seat) noexcept nogil
