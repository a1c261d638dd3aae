"""Parts of answers in protobuf's wire format, written without creating an object per message.

This module knows only the format: tags, varints and lengths. The caller knows the messages and
passes the numbers of their fields. Fields are written in ascending order, and zero or empty ones
are omitted, so the bytes equal those of protobuf's own encoder.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.tuple cimport PyTuple_Check, PyTuple_GET_ITEM, PyTuple_GET_SIZE
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memmove

from tablier_core.abi cimport MAX_NOTATION, MAX_SEATS, GameOps, move_t
from tablier_core.packing cimport put
from tablier_core.position cimport Position

cdef extern from "Python.h":
    # Accepts negative numbers, too: as the 64 bits that protobuf writes for them.
    uint64_t PyLong_AsUnsignedLongLongMask(object number) except? 0xFFFFFFFFFFFFFFFFu

cdef enum:
    VARINT = 0                          # wire types
    EIGHT_BYTES = 1
    LENGTH = 2
    FOUR_BYTES = 5
    MAX_TAG = 5                         # bytes of a tag or a length
    MAX_HEAD = 2 * MAX_TAG
    MAX_NAMES = 512                     # bytes of a game's name and a phase's name together
    MAX_SITUATION = 1024
    MAX_MOVE = 2 * MAX_TAG + 1 + MAX_NOTATION   # an action, and a notation with its tag and length


cdef inline uint8_t* put_varint(uint8_t* at, uint64_t value) noexcept nogil:
    while value >= 128:
        at[0] = <uint8_t>value | 128
        at += 1
        value >>= 7
    at[0] = <uint8_t>value
    return at + 1


cdef inline size_t varint_size(uint64_t value) noexcept nogil:
    cdef size_t size = 1
    while value >= 128:
        value >>= 7
        size += 1
    return size


cdef inline uint8_t* put_tag(uint8_t* at, uint32_t number, int kind) noexcept nogil:
    return put_varint(at, number << 3 | kind)


cdef inline uint8_t* put_head(uint8_t* at, uint32_t number, size_t length) noexcept nogil:
    """Write the tag and the length of a field."""
    return put_varint(put_tag(at, number, LENGTH), length)


cdef inline uint8_t* put_number(uint8_t* at, uint32_t number, int64_t value) noexcept nogil:
    """Write a field with a number, unless it is 0. Negative numbers take ten bytes in protobuf."""
    if value == 0:
        return at
    return put_varint(put_tag(at, number, VARINT), <uint64_t>value)


cdef inline uint8_t* put_bytes(
    uint8_t* at, uint32_t number, const void* data, size_t length
) noexcept nogil:
    """Write a field with a string, bytes or a message, even if it is empty."""
    at = put_head(at, number, length)
    memcpy(at, data, length)
    return at + length


cdef uint8_t* put_doubles(
    uint8_t* at, uint32_t number, const double* values, int n
) noexcept nogil:
    cdef uint64_t bits
    cdef int i
    if n == 0:
        return at
    at = put_head(at, number, 8 * n)
    for i in range(n):
        memcpy(&bits, &values[i], 8)
        put(&at, bits, 8)
    return at


cdef uint8_t* put_actions(
    uint8_t* at, uint32_t number, const move_t* moves, uint32_t n
) noexcept nogil:
    cdef size_t length = 0
    cdef uint32_t i
    if n == 0:
        return at
    for i in range(n):
        length += varint_size(moves[i])
    at = put_head(at, number, length)
    for i in range(n):
        at = put_varint(at, moves[i])
    return at


cdef uint8_t* put_notations(
    uint8_t* at, uint32_t number, const GameOps* ops, const move_t* moves, uint32_t n
) noexcept nogil:
    cdef uint32_t i
    cdef int length
    for i in range(n):
        at = put_tag(at, number, LENGTH)
        # A notation has fewer than 128 bytes, so its length takes one byte.
        length = ops.write_move(moves[i], <char*>at + 1)
        at[0] = <uint8_t>length
        at += 1 + length
    return at


def write_field(uint32_t number, bytes content not None):
    """Return a field with a message, a string or bytes, including its tag and length."""
    cdef uint8_t head[MAX_HEAD]
    cdef size_t length = PyBytes_GET_SIZE(content)
    cdef size_t before = put_head(head, number, length) - head
    cdef bytes out = PyBytes_FromStringAndSize(NULL, before + length)
    cdef char* at = PyBytes_AS_STRING(out)
    memcpy(at, head, before)
    memcpy(at + before, PyBytes_AS_STRING(content), length)
    return out


def write_head(uint32_t number, size_t length):
    """Return what a field of this length begins with: its tag and its length."""
    cdef uint8_t head[MAX_HEAD]
    return PyBytes_FromStringAndSize(<char*>head, put_head(head, number, length) - head)


def write_number(uint32_t number, uint64_t value):
    """Return a field with an unsigned number; nothing for 0."""
    cdef uint8_t out[MAX_HEAD + MAX_TAG]
    return PyBytes_FromStringAndSize(
        <char*>out, put_number(out, number, <int64_t>value) - out
    )


cdef list in_order(fields, names):
    """Return the numbers of a message's fields, which must ascend in the order of `names`."""
    numbers = [fields[name] for name in names]
    if numbers != sorted(numbers) or len(fields) != len(names):
        raise ValueError(f"the message must have exactly the fields {', '.join(names)}, in order")
    return numbers


cdef class SituationWriter:
    """Writes the situation of a position. `fields` maps the message's fields to their numbers."""

    cdef uint32_t game, seats, ply, phase, actors, over, scores, returns

    def __init__(self, fields):
        (
            self.game, self.seats, self.ply, self.phase,
            self.actors, self.over, self.scores, self.returns,
        ) = in_order(
            fields,
            ("game", "seats", "ply", "phase", "actors", "over", "scores", "returns"),
        )

    cdef size_t fill(self, Position position, uint8_t* out) except 0:
        """Write the message and return its length; `out` has room for MAX_SITUATION bytes."""
        cdef const GameOps* ops = position.game.ops
        cdef const void* state = position.state
        cdef Py_ssize_t name_length, phase_length
        cdef const char* name = PyUnicode_AsUTF8AndSize(position.game.name, &name_length)
        cdef const char* phase = PyUnicode_AsUTF8AndSize(
            position.game.phases[ops.phase(state)], &phase_length
        )
        if name_length + phase_length > MAX_NAMES:
            raise ValueError("the names of a game and a phase are too long")
        cdef double values[MAX_SEATS]
        cdef int seat, seats = ops.seats(state)
        cdef uint32_t mask = ops.actors(state), left = mask, count = 0
        cdef uint8_t* at = put_bytes(out, self.game, name, name_length)
        at = put_number(at, self.seats, seats)
        at = put_number(at, self.ply, position.ply)
        at = put_bytes(at, self.phase, phase, phase_length)
        while left:
            left &= left - 1
            count += 1
        if mask:
            # Seats are below 128, so each takes one byte.
            at = put_head(at, self.actors, count)
            for seat in range(MAX_SEATS):
                if mask >> seat & 1:
                    at[0] = seat
                    at += 1
        at = put_number(at, self.over, mask == 0)
        ops.scores(state, values)
        at = put_doubles(at, self.scores, values, seats)
        if mask == 0:
            ops.returns(state, values)
            at = put_doubles(at, self.returns, values, seats)
        return at - out

    def write(self, Position position not None):
        """Return the message."""
        cdef uint8_t out[MAX_SITUATION]
        cdef size_t length = self.fill(position, out)
        return PyBytes_FromStringAndSize(<char*>out, length)

    def write_state(
        self, uint32_t token_number, bytes token not None,
        uint32_t number, Position position not None,
    ):
        """Return two fields of one message: the position's token and its situation."""
        cdef uint8_t situation[MAX_SITUATION]
        cdef uint8_t token_head[MAX_HEAD]
        cdef uint8_t head[MAX_HEAD]
        cdef size_t length = self.fill(position, situation), token_length = PyBytes_GET_SIZE(token)
        cdef size_t token_before = put_head(token_head, token_number, token_length) - token_head
        cdef size_t before = put_head(head, number, length) - head
        cdef bytes out = PyBytes_FromStringAndSize(
            NULL, token_before + token_length + before + length
        )
        cdef char* at = PyBytes_AS_STRING(out)
        memcpy(at, token_head, token_before)
        at += token_before
        memcpy(at, PyBytes_AS_STRING(token), token_length)
        at += token_length
        memcpy(at, head, before)
        memcpy(at + before, situation, length)
        return out


cdef class ListingWriter:
    """Writes the legal moves of seats and the situation of the position, in one buffer of its own.

    `fields` maps the answer's fields to their numbers, `seat_fields` those of one seat's message.
    """

    cdef SituationWriter situations
    cdef uint32_t seats, situation
    cdef uint32_t seat, count, actions, notations
    cdef uint8_t* buffer                # used only while holding the GIL
    cdef size_t room

    def __init__(self, fields, seat_fields, SituationWriter situations not None):
        self.situations = situations
        self.seats, self.situation = in_order(fields, ("seats", "situation"))
        self.seat, self.count, self.actions, self.notations = in_order(
            seat_fields, ("seat", "count", "actions", "notations")
        )

    def __dealloc__(self):
        PyMem_Free(self.buffer)

    cdef int reserve(self, size_t size) except -1:
        """Make the buffer large enough. It keeps the size of the longest answer so far."""
        cdef void* moved
        if size > self.room:
            moved = PyMem_Realloc(self.buffer, size)
            if moved == NULL:
                raise MemoryError
            self.buffer = <uint8_t*>moved
            self.room = size
        return 0

    def write(self, Position position not None, seats, bint actions, bint notations):
        """Return the answer for existing seats: counts, with actions and notations on request."""
        cdef const GameOps* ops = position.game.ops
        cdef const move_t* moves = position.game.scratch
        cdef size_t used = 0, length
        cdef uint32_t n
        cdef int seat
        cdef uint8_t head[MAX_HEAD]
        cdef uint8_t* start
        cdef uint8_t* at
        for seat in seats:
            n = position.list_moves(seat)
            self.reserve(used + 5 * MAX_HEAD + <size_t>n * MAX_MOVE)
            # The length of a seat's message is known only afterwards: leave room for its head.
            start = self.buffer + used + MAX_HEAD
            at = put_number(start, self.seat, seat)
            at = put_number(at, self.count, n)
            if actions:
                at = put_actions(at, self.actions, moves, n)
            if notations:
                at = put_notations(at, self.notations, ops, moves, n)
            length = at - start
            at = put_head(head, self.seats, length)
            memcpy(self.buffer + used, head, at - head)
            used += at - head
            memmove(self.buffer + used, start, length)
            used += length
        self.reserve(used + MAX_HEAD + MAX_SITUATION)
        start = self.buffer + used + MAX_HEAD
        length = self.situations.fill(position, start)
        at = put_head(self.buffer + used, self.situation, length)
        memmove(at, start, length)
        return PyBytes_FromStringAndSize(<char*>self.buffer, at + length - self.buffer)


# ---- Views ---------------------------------------------------------------------------------------

cdef enum Kind:
    NUMBER = 0                          # whole numbers and booleans
    DOUBLE
    FLOAT
    TEXT
    BYTES
    MESSAGE

KINDS = ("number", "double", "float", "text", "bytes", "message")

cdef enum:
    FIRST_ROOM = 2048                   # bytes; most views need less
    MAX_VARINT = 10

cdef struct Field:
    uint32_t number
    Kind kind
    bint repeated
    bint optional                       # written even if it is zero or empty
    Py_ssize_t place                    # of the value in a tuple

# Bytes that are written from the last to the first: when the length of a message has to be written,
# its content is already there.
cdef struct Output:
    uint8_t* begin
    uint8_t* end
    uint8_t* at                         # the first byte so far


cdef int make_room(Output* out, size_t size) except -1:
    """Make room for more bytes before those written so far."""
    cdef size_t used = out.end - out.at, room
    cdef uint8_t* moved
    if <size_t>(out.at - out.begin) >= size:
        return 0
    room = 2 * (used + size) + FIRST_ROOM
    moved = <uint8_t*>PyMem_Malloc(room)
    if moved == NULL:
        raise MemoryError
    if used:
        memcpy(moved + room - used, out.at, used)
    PyMem_Free(out.begin)
    out.begin = moved
    out.end = moved + room
    out.at = out.end - used
    return 0


cdef inline void put_varint_before(Output* out, uint64_t value) noexcept nogil:
    out.at -= varint_size(value)
    put_varint(out.at, value)


cdef inline void put_tag_before(Output* out, const Field* field, int kind) noexcept nogil:
    put_varint_before(out, field.number << 3 | kind)


cdef int put_head_before(Output* out, const Field* field, size_t length) except -1:
    """Write the length and the tag of what was written last."""
    make_room(out, MAX_HEAD)
    put_varint_before(out, length)
    put_tag_before(out, field, LENGTH)
    return 0


cdef int put_data(Output* out, const Field* field, const void* data, size_t length) except -1:
    make_room(out, length + MAX_HEAD)
    out.at -= length
    memcpy(out.at, data, length)
    put_varint_before(out, length)
    put_tag_before(out, field, LENGTH)
    return 0


cdef void put_bits(Output* out, uint64_t bits, int size) noexcept nogil:
    cdef uint8_t* at
    out.at -= size
    at = out.at
    put(&at, bits, size)


cdef int put_scalar(Output* out, const Field* field, value, bint bare) except -1:
    """Write a number; `bare` without its tag, and even if it is 0."""
    cdef uint64_t bits = 0
    cdef uint32_t half
    cdef double number
    cdef float short
    make_room(out, MAX_VARINT + MAX_TAG)
    if field.kind == NUMBER:
        bits = PyLong_AsUnsignedLongLongMask(value)
        if bare:
            put_varint_before(out, bits)
        elif bits or field.optional:
            put_varint_before(out, bits)
            put_tag_before(out, field, VARINT)
        return 0
    number = value
    if field.kind == DOUBLE:
        memcpy(&bits, &number, 8)
    else:
        short = <float>number
        memcpy(&half, &short, 4)
        bits = half
    if bare or bits or field.optional:
        put_bits(out, bits, 8 if field.kind == DOUBLE else 4)
        if not bare:
            put_tag_before(out, field, EIGHT_BYTES if field.kind == DOUBLE else FOUR_BYTES)
    return 0


cdef class MessageWriter:
    """Writes messages whose values are the entries of a tuple, or of a dict.

    `fields` has an entry for each field, in ascending order of their numbers: the number; one of
    KINDS; whether it is repeated, with a tuple as its value; whether it is written even if it is
    zero or empty; where the value is, as a place in the tuple, a key of the dict, or a function of
    either; and, for a message, its own writer. A value of None is not written; in a tuple of texts
    it is an empty text. Tuples must have `width` entries.
    """

    cdef Field* fields
    cdef Py_ssize_t count, width
    cdef list sources, writers

    def __init__(self, fields, Py_ssize_t width=0):
        cdef Py_ssize_t i
        self.width = width
        self.sources, self.writers = [], []
        fields = list(fields)
        numbers = [entry[0] for entry in fields]
        if numbers != sorted(set(numbers)):
            raise ValueError("the numbers of fields must ascend")
        self.fields = <Field*>PyMem_Calloc(max(1, len(fields)), sizeof(Field))
        if self.fields == NULL:
            raise MemoryError
        for i, (number, kind, repeated, optional, source, writer) in enumerate(fields):
            in_tuple = isinstance(source, int)
            if in_tuple and not 0 <= source < width:
                raise ValueError(f"a tuple of {width} entries has none at {source}")
            if (writer is None) == (kind == "message"):
                raise ValueError("exactly the messages need a writer")
            self.fields[i] = Field(
                number, <Kind><int>KINDS.index(kind), repeated, optional, source if in_tuple else -1
            )
            self.sources.append(None if in_tuple else source)
            self.writers.append(writer)
            self.count += 1

    def __dealloc__(self):
        PyMem_Free(self.fields)

    def write(self, value):
        """Return the message of a tuple or a dict."""
        # Not a buffer of the writer: functions of sources may let another thread write.
        cdef Output out = Output(NULL, NULL, NULL)
        try:
            make_room(&out, FIRST_ROOM)
            self.put_message(&out, value)
            return PyBytes_FromStringAndSize(<char*>out.at, out.end - out.at)
        finally:
            PyMem_Free(out.begin)

    cdef int put_message(self, Output* out, value) except -1:
        cdef Py_ssize_t i
        cdef bint is_tuple = PyTuple_Check(value)
        if is_tuple and PyTuple_GET_SIZE(value) != self.width:
            raise TypeError(f"must have {self.width} entries, not {len(value)}")
        for i in range(self.count - 1, -1, -1):
            if self.fields[i].place < 0:
                source = self.sources[i]
                found = value[source] if type(source) is str else source(value)
            elif is_tuple:
                found = <object>PyTuple_GET_ITEM(value, self.fields[i].place)
            else:
                raise TypeError(f"must be a tuple, not {type(value).__name__}")
            if found is None:
                continue
            if self.fields[i].repeated:
                self.put_repeated(out, i, found)
            else:
                self.put_single(out, i, found)
        return 0

    cdef int put_single(self, Output* out, Py_ssize_t i, value, bint entry=False) except -1:
        """Write one value; an `entry` of a repeated field even if it is empty."""
        cdef const Field* field = &self.fields[i]
        cdef Py_ssize_t length = 0
        cdef const char* data = b""
        cdef size_t after
        if field.kind == MESSAGE:
            after = out.end - out.at
            (<MessageWriter>self.writers[i]).put_message(out, value)
            put_head_before(out, field, out.end - out.at - after)
        elif field.kind == TEXT or field.kind == BYTES:
            if field.kind == BYTES:
                data, length = PyBytes_AS_STRING(<bytes?>value), PyBytes_GET_SIZE(value)
            elif value is not None:
                data = PyUnicode_AsUTF8AndSize(value, &length)
            if length or entry or field.optional:
                put_data(out, field, data, length)
        else:
            put_scalar(out, field, value, False)
        return 0

    cdef int put_repeated(self, Output* out, Py_ssize_t i, values) except -1:
        cdef const Field* field = &self.fields[i]
        cdef Py_ssize_t k, n
        cdef size_t after = out.end - out.at
        if not PyTuple_Check(values):
            raise TypeError(f"must be a tuple, not {type(values).__name__}")
        n = PyTuple_GET_SIZE(values)
        for k in range(n - 1, -1, -1):
            if field.kind >= TEXT:
                self.put_single(out, i, <object>PyTuple_GET_ITEM(values, k), True)
            else:
                put_scalar(out, field, <object>PyTuple_GET_ITEM(values, k), True)
        if n and field.kind < TEXT:
            put_head_before(out, field, out.end - out.at - after)
        return 0
