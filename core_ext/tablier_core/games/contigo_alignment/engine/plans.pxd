# Plans: what follows from a placement of pawns, for any ring, and which sowings win by force.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from tablier_core.games.contigo_alignment.engine.threats cimport Need, Threats
from tablier_core.games.contigo_alignment.engine.thought cimport Thought

# A pawn move that the rivals may have in reply.
ctypedef struct Reply:
    Need need
    uint8_t origin
    uint8_t target
    uint16_t slot               # where the plan keeps what follows from it

# A placement of pawns whose owner `own` is about to sow; `rivals` move next. What follows from a
# reply is worked out when it is first needed.
ctypedef struct Plan:
    uint64_t own
    uint64_t rivals
    const Threats* dangers      # the rivals' threats
    const Threats* standing     # own threats if the rivals have no pawn move
    uint32_t replies
    Reply* reply                # the most recent refutations first
    const Threats** threats     # own threats after a reply, by its slot
    Plan** follow               # the rivals' plans after a reply, by its slot

# Make the plan of a placement. When no memory is left, stops the thought and returns NULL.
cdef Plan* new_plan(Thought* t, uint64_t own, uint64_t rivals) noexcept nogil

# Both of these are also False when the budget runs out before there is a proof.

# Whether `own`, having sown this ring, wins next turn whatever `rivals` do. The caller knows that
# the rivals do not win at once.
cdef bint forces(Thought* t, Plan* plan, const uint8_t* beads) noexcept nogil
# Whether `rivals`, next to move with this ring, can force a win in their second turn.
cdef bint rivals_force(Thought* t, Plan* plan, const uint8_t* beads) noexcept nogil
