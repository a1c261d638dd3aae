# The bytes of Mafia de Cuba (reference: Byte layout).

from libc.stdint cimport uint8_t

from tablier_core.games.mafia_de_cuba.state cimport State

# What `unpack` found wrong: one line per error code, from 1.
cdef const char* FAULTS

cdef size_t pack(const void* state, uint8_t* out) noexcept nogil
cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil
# The bytes of a state with everything that a viewer does not know masked, followed by the box that
# it received. For TABLE these are the canonical bytes.
cdef size_t write_known(const State* s, int viewer, uint8_t* out) noexcept nogil
