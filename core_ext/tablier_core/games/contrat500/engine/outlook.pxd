# The working memory of the engine while it values the moves of one seat.

from libc.stdint cimport uint8_t, uint16_t, uint64_t

from tablier_core.budget cimport Budget
from tablier_core.games.contrat500.engine.prospects cimport Draws
from tablier_core.games.contrat500.hands cimport HANDS, SEVENS
from tablier_core.games.contrat500.state cimport SEATS, TURNS_EACH, State
from tablier_core.games.contrat500.tiles cimport HAND, HIGHEST

cdef enum:
    SAMPLES = 32                        # hands drawn per rival; payments are averaged over them
    MOST_SUM = HAND * HIGHEST

cdef struct Rival:
    int seat
    int ahead                           # 1 if it has a turn before this seat's next one, else 0
    bint guessed                        # its bids are not complete: they are guessed from its hand
    uint8_t contracts[2]
    # By turn from now: the probability that it announces, and hands it may hold before that turn.
    double hazard[TURNS_EACH + 2]
    uint16_t hands[TURNS_EACH + 2][SAMPLES]
    uint8_t split[SAMPLES][2]           # if guessed: the contracts for each of its present hands
    double fed[HIGHEST]                 # by tile: the probability that this tile completes it

cdef struct Outlook:
    const State* s
    const Budget* budget
    uint64_t sweeps                     # over all hands: the iterations of the budget
    int bids_tried
    int seat
    uint64_t unseen
    int stages                          # turns of this seat to look ahead
    int rivals
    Rival rival[SEATS - 1]
    uint8_t first_to_announce[SAMPLES]  # an index into `rival`
    double hazard[TURNS_EACH + 1]       # that a rival announces between turns i and i + 1
    double spared                       # that none does before this seat's next turn
    # For the pair of contracts under study.
    uint8_t contracts[2]
    float losses[3][MOST_SUM + 1]       # if a rival announces: by realised contract and sum
    Draws draws
    float lost[HANDS]                   # by hand: the value if a rival announces
    float after[HANDS]                  # at the end of the turn
    float begin[HANDS]                  # at its beginning
    float later[HANDS]                  # at the beginning of the next turn
    float sevens[SEVENS]
    # For the rival under study.
    Draws theirs
    float mass[HANDS]                   # the probability of each hand
    uint16_t left[SEVENS]               # the hand it keeps of each seven

# Count a sweep; returns whether the budget allows another.
cdef bint more_time(Outlook* o) noexcept nogil
