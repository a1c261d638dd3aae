# What a viewer sees of a state (reference: View).

from tablier_core.games.contract.state cimport State

cdef enum:
    NO_VALUE = 31               # in a veiled code: the family is visible, the value is not
    NO_MAFIOSO = 255            # in a veiled code: nothing is visible

# Overwrite everything in a state that a viewer does not see. Where a list by kind is hidden, its
# first entry becomes the number of cards and the others become 0.
cdef void veil(State* s, int viewer) noexcept nogil
