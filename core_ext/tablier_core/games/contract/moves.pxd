# The actions of Contract by number (docs/reference/contract.md: Moves and notation).

from tablier_core.games.contract.state cimport FAMILIES, KINDS, MOST_ROW, MOST_SEATS, VALUES

cdef enum:
    ON = 0                              # + place
    PLACE_TOKEN = ON + MOST_ROW
    PLACE_CONTRACT
    PLACE_DOLLAR
    PLACE_VICELARD
    PLACE_COPPER
    PLACE_DOWN                          # + kind
    DONE = PLACE_DOWN + KINDS
    COPPER_TO                           # + place
    VICELARD_TO = COPPER_TO + MOST_ROW  # + place
    PAY_DOLLAR = VICELARD_TO + MOST_ROW
    PAY_DOWN                            # + kind
    CHASE_TO = PAY_DOWN + KINDS         # + place
    PASS = CHASE_TO + MOST_ROW
    JOIN_FAMILY                         # + family
    DROP = JOIN_FAMILY + FAMILIES       # + (seat x 4 + family) x 21 + value
    TAKE_COPPER = DROP + MOST_SEATS * FAMILIES * VALUES
    ACTIONS
    MAX_MOVES = 24                      # 21 cards of a family at most, and two pawns in a row of 6
