# The switch that stops a search, for other extension modules.

from libc.stdint cimport int32_t


cdef class Cancel:
    cdef int32_t raised
