"""Mafia de Cuba: which claims a game allows, and the moves that make them."""

from libc.stdint cimport uint16_t, uint32_t
from libc.string cimport memcpy

from tablier_core.abi cimport move_t
from tablier_core.games.mafia_de_cuba.state cimport (
    ASKABLE, CLAIMS, FIRST_SAY, FIRST_TOKEN, KINDS, PASSED_DIAMONDS, RECEIVED_DIAMONDS, SETS, TOOK,
    count_in,
)

# The legal claims depend only on the tokens of the setup, so the moves of every setup are listed at
# import: `claim_moves[setup]`, with those of question q starting at `claim_start[setup][q]`.
cdef move_t[SETS][CLAIMS] claim_moves
cdef uint16_t[SETS][ASKABLE + 1] claim_start


cdef bint claim_fits(int setup_set, int claim) noexcept nogil:
    cdef int kind, question = question_of(claim), value = claim - first_claim(question)
    if question == RECEIVED_DIAMONDS or question == PASSED_DIAMONDS:
        return True
    if question == TOOK:
        return value < FIRST_TOKEN or count_in(setup_set, value - FIRST_TOKEN) > 0
    for kind in range(KINDS):
        if count_in(value, kind) > count_in(setup_set, kind):
            return False
    return True


cdef void fill_claims() noexcept:
    cdef int setup_set, claim, question, n
    for setup_set in range(SETS):
        n = 0
        for question in range(ASKABLE):
            claim_start[setup_set][question] = <uint16_t>n
            for claim in range(first_claim(question), first_claim(question + 1)):
                if claim_fits(setup_set, claim):
                    claim_moves[setup_set][n] = FIRST_SAY + claim
                    n += 1
        claim_start[setup_set][ASKABLE] = <uint16_t>n


fill_claims()


cdef uint32_t list_claims(
    int setup_set, int first_question, int end_question, move_t* out
) noexcept nogil:
    cdef const uint16_t* start = claim_start[setup_set]
    cdef uint32_t n = start[end_question] - start[first_question]
    memcpy(out, claim_moves[setup_set] + start[first_question], n * sizeof(move_t))
    return n
