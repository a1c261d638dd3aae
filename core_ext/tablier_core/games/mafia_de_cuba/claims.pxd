# Claims: what a seat can say about itself (reference: The inquiry).

from libc.stdint cimport uint32_t

from tablier_core.abi cimport move_t
from tablier_core.games.mafia_de_cuba.state cimport (
    CLAIM_PASSED_DIAMONDS, CLAIM_PASSED_TOKENS, CLAIM_RECEIVED_TOKENS, CLAIM_TOOK, CLAIMS,
    PASSED_DIAMONDS, PASSED_TOKENS, RECEIVED_DIAMONDS, RECEIVED_TOKENS, TOOK,
)

# Whether a game with this set of tokens allows a claim.
cdef bint claim_fits(int setup_set, int claim) noexcept nogil
# Write the moves that claim something about the questions in [first_question, end_question), and
# return how many there are.
cdef uint32_t list_claims(
    int setup_set, int first_question, int end_question, move_t* out
) noexcept nogil


cdef inline int first_claim(int question) noexcept nogil:
    """The first claim that answers a question; CLAIMS for ASKABLE."""
    return (
        0 if question == RECEIVED_DIAMONDS else CLAIM_RECEIVED_TOKENS if question == RECEIVED_TOKENS
        else CLAIM_PASSED_DIAMONDS if question == PASSED_DIAMONDS
        else CLAIM_PASSED_TOKENS if question == PASSED_TOKENS
        else CLAIM_TOOK if question == TOOK else CLAIMS
    )


cdef inline int question_of(int claim) noexcept nogil:
    """The question that a claim answers."""
    return (
        RECEIVED_DIAMONDS if claim < CLAIM_RECEIVED_TOKENS
        else RECEIVED_TOKENS if claim < CLAIM_PASSED_DIAMONDS
        else PASSED_DIAMONDS if claim < CLAIM_PASSED_TOKENS
        else PASSED_TOKENS if claim < CLAIM_TOOK else TOOK
    )
