# The Python objects around a game's table and a state of it, for other extension modules.

from libc.stdint cimport uint8_t, uint32_t

from tablier_core.abi cimport GameOps, move_t


cdef class Game:
    cdef const GameOps* ops
    cdef move_t* scratch                # for one move list; used only while the GIL is held
    cdef readonly str name
    cdef readonly str title
    cdef readonly str french_title
    cdef readonly str summary
    cdef readonly tuple phases
    cdef readonly tuple options
    cdef readonly tuple notation
    cdef object _pack_options
    cdef object _observe
    cdef object _draw_text
    cdef object _draw_svg

    cdef Position unpack_at(self, const uint8_t* data, size_t length, uint32_t ply, int viewer)


cdef class Position:
    cdef readonly Game game
    cdef void* state
    # How many moves led here.
    cdef readonly uint32_t ply
    # -1 for the true state of a game; else the seat whose knowledge this state was drawn from.
    cdef readonly int viewer

    cdef Position copy(self)
    cpdef object check_running(self)
    cdef uint32_t list_moves(self, int seat) noexcept


# A position of the game with uninitialised state, to be filled by the caller.
cdef Position new_position(Game game, uint32_t ply, int viewer)
