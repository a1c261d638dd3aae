# Memory that a caller lends: NumPy arrays, bytearrays, tensors on the CPU.

from cpython.buffer cimport Py_buffer
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t

# What the items of a buffer are.
cdef enum Kind:
    FLOATS                      # float32
    BYTES                       # one byte each: uint8, int8 or bool
    INTEGERS                    # int32 or int64
    SHORT_INTEGERS              # int32
    LONG_INTEGERS               # int64

# From the DLPack specification: https://dmlc.github.io/dlpack/latest/c_api.html
ctypedef struct DLDevice:
    int32_t device_type
    int32_t device_id

ctypedef struct DLDataType:
    uint8_t code
    uint8_t bits
    uint16_t lanes

ctypedef struct DLTensor:
    void* data
    DLDevice device
    int32_t ndim
    DLDataType dtype
    int64_t* shape
    int64_t* strides
    uint64_t byte_offset

ctypedef struct DLManagedTensor:
    DLTensor dl_tensor
    void* manager_ctx
    void (*deleter)(DLManagedTensor*) noexcept


cdef class Lent:
    cdef Py_buffer view
    cdef bint viewed
    cdef DLManagedTensor* tensor
    cdef void* data
    cdef Py_ssize_t items
    cdef int item_size

# Return the writable memory of an array; raises InvalidField for the field if it has not exactly
# this many items (any number, if negative) of this kind, in a row.
cdef Lent borrow(object array, str field, Kind kind, Py_ssize_t items)
