"""Memory that a caller lends, through the buffer protocol or DLPack, without a copy."""

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_SetName
from libc.stdint cimport int64_t

from tablier_core.errors import InvalidField

cdef enum:
    CPU = 1                     # DLPack's number for memory of the host
    # DLPack's numbers for kinds of items.
    SIGNED = 0
    UNSIGNED = 1
    FLOATING = 2
    TRUTH = 6


cdef class Lent:
    """The memory of an array, which stays in place until this object is deleted."""

    def __dealloc__(self):
        if self.viewed:
            PyBuffer_Release(&self.view)
        if self.tensor != NULL and self.tensor.deleter != NULL:
            self.tensor.deleter(self.tensor)


cdef tuple expected(Kind kind):
    """Return what a kind is called, the formats of its items, and their sizes in bytes."""
    if kind == FLOATS:
        return ("float32", "f", (4,))
    if kind == BYTES:
        return ("uint8, int8 or bool", "Bb?", (1,))
    if kind == INTEGERS:
        return ("int32 or int64", "ilq", (4, 8))
    if kind == SHORT_INTEGERS:
        return ("int32", "il", (4,))
    return ("int64", "lq", (8,))


cdef Lent borrow(object array, str field, Kind kind, Py_ssize_t items):
    cdef Lent lent = Lent.__new__(Lent)
    cdef bint fits
    try:
        PyObject_GetBuffer(array, &lent.view, PyBUF_WRITABLE | PyBUF_FORMAT | PyBUF_C_CONTIGUOUS)
    except TypeError:
        if not hasattr(array, "__dlpack__"):
            raise InvalidField(field, "must be an array that lends its memory") from None
        try:
            fits = borrow_tensor(lent, array.__dlpack__(), kind)
        except (BufferError, ValueError) as error:
            raise InvalidField(field, f"must lend its memory: {error}") from None
    except (BufferError, ValueError) as error:
        raise InvalidField(field, f"must be writable and contiguous: {error}") from None
    else:
        lent.viewed = True
        fits = borrow_view(lent, kind)
    name, _, sizes = expected(kind)
    if not fits or lent.item_size not in sizes:
        raise InvalidField(field, f"must be contiguous and contain {name}")
    if lent.items and <size_t>lent.data % lent.item_size:
        raise InvalidField(field, "must be aligned for its items")
    if items >= 0 and lent.items != items:
        raise InvalidField(field, f"must have {items} items, not {lent.items}")
    return lent


cdef bint borrow_view(Lent lent, Kind kind):
    """Use a buffer; return whether its items are of this kind."""
    cdef str form = lent.view.format.decode("ascii").lstrip("@=<") if lent.view.format else "B"
    lent.data = lent.view.buf
    lent.item_size = <int>lent.view.itemsize
    lent.items = lent.view.len // lent.view.itemsize
    return len(form) == 1 and form in expected(kind)[1]


cdef bint borrow_tensor(Lent lent, object capsule, Kind kind):
    """Take over a tensor; return whether its items are of this kind and in a row."""
    cdef DLTensor* t
    cdef int64_t expected_stride = 1
    cdef int axis, code
    lent.tensor = <DLManagedTensor*>PyCapsule_GetPointer(capsule, "dltensor")
    # From here on the tensor is ours to delete.
    PyCapsule_SetName(capsule, "used_dltensor")
    t = &lent.tensor.dl_tensor
    for axis in range(t.ndim - 1, -1, -1):
        if t.strides != NULL and t.shape[axis] > 1 and t.strides[axis] != expected_stride:
            return False
        expected_stride *= t.shape[axis]
    lent.data = <char*>t.data + t.byte_offset
    lent.items = expected_stride
    lent.item_size = t.dtype.bits // 8
    code = t.dtype.code
    if t.device.device_type != CPU or t.dtype.lanes != 1:
        return False
    if kind == FLOATS:
        return code == FLOATING
    return code == SIGNED or (kind == BYTES and code in (UNSIGNED, TRUTH))
