# The Python objects around a game's table and one of its states, for other extension modules.

from libc.stdint cimport uint8_t, uint32_t

from tablier_core.abi cimport GameOps, move_t


cdef class Game:
    cdef const GameOps* ops
    cdef move_t* scratch                # room for one move list; used only while holding the GIL
    cdef readonly str name
    cdef readonly str title
    cdef readonly str french_title
    cdef readonly str summary
    cdef readonly tuple phases
    cdef readonly tuple features        # a FeatureSlice for each group of numbers
    cdef readonly tuple action_parts    # an ActionPart for each kind of action
    cdef readonly object options        # an OptionSchema
    cdef readonly tuple notation
    cdef readonly tuple public_moves    # the first words of moves that every seat sees
    cdef readonly tuple optional_phases  # where only the lowest actor has to move
    cdef object _pack_options
    cdef object _observe
    cdef object _draw_text
    cdef object _draw_svg
    cdef object _telling                # a Telling

    cdef Position unpack_at(self, const uint8_t* data, size_t length, uint32_t ply, int viewer)


cdef class Position:
    cdef readonly Game game
    cdef void* state
    # The number of moves played to get here.
    cdef readonly uint32_t ply
    # -1 for the true state of a game; otherwise the seat whose view this state is: a world that the
    # seat cannot tell from the truth.
    cdef readonly int viewer

    cdef Position copy(self)
    cpdef object check_running(self)
    cpdef object check_seat(self, int seat, bint table=*)
    cpdef object check_viewer(self, int viewer, str field=*)
    cpdef object check_actor(self, int seat)
    cdef uint32_t list_moves(self, int seat) noexcept


# Return a position whose state is uninitialised, for the caller to fill.
cdef Position new_position(Game game, uint32_t ply, int viewer)
