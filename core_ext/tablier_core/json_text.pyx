"""Messages in protobuf's wire format as JSON text, written without an object per field.

This module knows only the formats. The caller knows the messages, and passes a table of the fields
of each type. The text equals what the caller's own function makes of the same bytes. That function
writes messages with other forms (Struct, Any, maps), and bytes that protobuf would not have written
itself: fields out of order or twice, unknown fields, malformed ones.
"""

cimport cython
from cpython.bytes cimport (
    PyBytes_AS_STRING,
    PyBytes_FromStringAndSize,
    PyBytes_GET_SIZE,
    _PyBytes_Resize,
)
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

cdef enum:
    VARINT = 0                          # wire types
    EIGHT_BYTES = 1
    LENGTH = 2
    FOUR_BYTES = 5
    MAX_FIELDS = 64
    MAX_NUMBER = 127                    # of a field; its tag has one or two bytes
    MAX_VARINT = 10
    MAX_LENGTH = 5                      # bytes of a length
    MAX_DEPTH = 16                      # of messages that are written here
    MAX_DIGITS = 24                     # of a number, with its sign, quotes or fraction
    MAX_ESCAPE = 6                      # the text of one byte of a string
    MAX_PLAIN = 1000000                 # whole floating-point numbers below this have no exponent
    FIRST_ROOM = 256
    STRING_PART = 4096                  # bytes of a string that are written at a time

cdef enum Kind:
    BOOL = 0
    INT32
    UINT32
    INT64
    UINT64
    ENUM
    DOUBLE
    FLOAT
    TEXT
    BYTES
    MESSAGE

KINDS = (
    "bool", "int32", "uint32", "int64", "uint64", "enum", "double", "float", "text", "bytes",
    "message",
)

cdef struct Field:
    Kind kind
    bint repeated
    bint optional                       # written even if it is zero or empty
    uint64_t oneof                      # the bit of its oneof, or 0
    const char* key                     # a comma, the name in quotes, and a colon
    size_t key_length

# A message that is being written.
cdef struct Frame:
    PyObject* writer
    const uint8_t* begin
    const uint8_t* at
    const uint8_t* end
    size_t text                         # where its text begins
    int last                            # the last field so far, or -1
    bint is_list                        # whether that is a list that may go on
    bint empty                          # whether no field has been written
    uint64_t oneofs                     # those that have a member

# What became of a field.
cdef enum:
    WRITTEN
    CALLED                              # it is a message that the caller's function has written
    ODD                                 # that function has to write the message that it is in

# The character after a backslash; 0 for what is not escaped, `u` for what has no short form.
cdef uint8_t ESCAPES[256]
cdef const char* TRUE = b"true"
cdef const char* FALSE = b"false"
cdef const char* DIGITS = b"0123456789abcdef"
cdef const char* BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
cdef uint64_t EVERY_BYTE = 0x0101010101010101u
cdef uint64_t HIGH_BITS = 0x8080808080808080u


cdef void fill_escapes() noexcept:
    for c in range(32):
        ESCAPES[c] = c'u'
    for c, short in ((8, c'b'), (9, c't'), (10, c'n'), (12, c'f'), (13, c'r')):
        ESCAPES[c] = short
    ESCAPES[c'"'] = c'"'
    ESCAPES[c'\\'] = c'\\'


fill_escapes()


cdef inline const uint8_t* after_varint(
    const uint8_t* at, const uint8_t* end, int most, uint64_t* value
) noexcept nogil:
    """Read a varint of at most `most` bytes, and return what follows; NULL if it is not one."""
    cdef int shift = 0
    cdef uint8_t c
    value[0] = 0
    while at < end and shift < 7 * most:
        c = at[0]
        at += 1
        if shift == 63 and c > 1:
            return NULL
        value[0] |= <uint64_t>(c & 127) << shift
        if c < 128:
            return at
        shift += 7
    return NULL


cdef inline bint has_zero(uint64_t word) noexcept nogil:
    """Whether a byte of a word is zero; may also be true if one has its high bit set."""
    return ((word - EVERY_BYTE) & ~word & HIGH_BITS) != 0


cdef inline bint is_plain(uint64_t word) noexcept nogil:
    """Whether eight bytes are ASCII that needs no escapes."""
    return not (
        word & HIGH_BITS
        or (word - EVERY_BYTE * 32) & ~word & HIGH_BITS
        or has_zero(word ^ EVERY_BYTE * c'"')
        or has_zero(word ^ EVERY_BYTE * c'\\')
    )


cdef inline char* put_digits(char* at, uint64_t value) noexcept nogil:
    cdef char digits[20]
    cdef int n = 0
    while True:
        digits[n] = DIGITS[value % 10]
        n += 1
        value //= 10
        if value == 0:
            break
    while n:
        n -= 1
        at[0] = digits[n]
        at += 1
    return at


cdef inline char* put_integer(char* at, int64_t value) noexcept nogil:
    if value < 0:
        at[0] = c'-'
        return put_digits(at + 1, 0 - <uint64_t>value)
    return put_digits(at, <uint64_t>value)


cdef char* put_escaped(
    char* at, const uint8_t* data, size_t length, bint* ascii
) noexcept nogil:
    """Write a part of a string; clears `ascii` if it has other characters."""
    cdef const uint8_t* end = data + length
    cdef uint64_t word
    cdef uint8_t c, escape
    while data < end:
        if end - data >= 8:
            memcpy(&word, data, 8)
            if is_plain(word):
                memcpy(at, data, 8)
                at += 8
                data += 8
                continue
        c = data[0]
        data += 1
        escape = ESCAPES[c]
        if c >= 128:
            ascii[0] = False
        if escape == 0:
            at[0] = <char>c
            at += 1
            continue
        at[0] = c'\\'
        at[1] = <char>escape
        at += 2
        if escape == c'u':
            at[0] = at[1] = c'0'
            at[2] = DIGITS[c >> 4]
            at[3] = DIGITS[c & 15]
            at += 4
    return at


cdef char* put_base64(char* at, const uint8_t* data, size_t length) noexcept nogil:
    """Write bytes as base64 in quotes."""
    cdef const uint8_t* end = data + length
    cdef uint32_t bits
    at[0] = c'"'
    at += 1
    while end - data >= 3:
        bits = <uint32_t>data[0] << 16 | <uint32_t>data[1] << 8 | data[2]
        at[0] = BASE64[bits >> 18]
        at[1] = BASE64[bits >> 12 & 63]
        at[2] = BASE64[bits >> 6 & 63]
        at[3] = BASE64[bits & 63]
        data += 3
        at += 4
    if data < end:
        bits = <uint32_t>data[0] << 16
        if end - data == 2:
            bits |= <uint32_t>data[1] << 8
        at[0] = BASE64[bits >> 18]
        at[1] = BASE64[bits >> 12 & 63]
        at[2] = BASE64[bits >> 6 & 63] if end - data == 2 else c'='
        at[3] = c'='
        at += 4
    at[0] = c'"'
    return at + 1


cdef inline int wire_type_of(Kind kind) noexcept nogil:
    """The wire type of a single number."""
    if kind == DOUBLE:
        return EIGHT_BYTES
    return FOUR_BYTES if kind == FLOAT else VARINT


@cython.final
cdef class TextWriter:
    """Writes the messages of one type. `whole` writes any of them: from their bytes to the text.

    Without fields, `whole` writes all of them.
    """

    cdef object whole
    cdef Field fields[MAX_FIELDS]
    cdef int8_t places[MAX_NUMBER + 1]  # by number: the index of a field, or -1
    cdef list extras, keys
    cdef bint plain                     # whether it knows its fields

    def __init__(self, whole):
        self.whole = whole
        self.extras, self.keys = [], []
        self.plain = False

    def add_fields(self, fields):
        """Let it write messages with these fields by itself."""
        cdef Field* field
        cdef int i
        cdef list ordered = sorted(fields, key=lambda entry: entry[0])
        if len(ordered) > MAX_FIELDS or any(entry[0] > MAX_NUMBER for entry in ordered):
            return
        memset(self.places, -1, sizeof(self.places))
        for i, (number, name, kind, repeated, optional, oneof, extra) in enumerate(ordered):
            key = f',"{name}":'.encode()
            self.keys.append(key)
            self.extras.append(extra)
            self.places[<int>number] = i
            field = &self.fields[i]
            field.kind = KINDS.index(kind)
            if field.kind == MESSAGE and type(extra) is not TextWriter:
                raise TypeError("a message needs a writer")
            field.repeated, field.optional = repeated, optional
            field.oneof = 0 if oneof < 0 else <uint64_t>1 << <int>oneof
            field.key, field.key_length = PyBytes_AS_STRING(key), PyBytes_GET_SIZE(key)
        self.plain = True

    def write(self, bytes wire not None):
        """Return a message as JSON text."""
        cdef Writing writing = Writing.__new__(Writing, self, wire)
        while writing.depth >= 0:
            writing.step()
        return writing.result()


@cython.final
@cython.no_gc
cdef class Writing:
    """A message on its way to JSON text, for callers that pause while they write a large one."""

    cdef bytes wire
    cdef TextWriter writer
    cdef PyObject* text                 # bytes, with room for more
    cdef size_t used, room
    cdef int depth                      # of the message that is being written; -1 at the end
    cdef Frame frames[MAX_DEPTH]

    def __cinit__(self, TextWriter writer not None, bytes wire not None):
        cdef size_t length = PyBytes_GET_SIZE(wire)
        cdef bytes text = PyBytes_FromStringAndSize(NULL, FIRST_ROOM + 2 * length)
        Py_INCREF(text)
        self.text = <PyObject*>text
        self.room = FIRST_ROOM + 2 * length
        self.writer, self.wire = writer, wire
        self.depth = -1
        self.put_message(writer, <const uint8_t*>PyBytes_AS_STRING(wire), length)

    def __dealloc__(self):
        Py_XDECREF(self.text)

    def advance(self, size_t most):
        """Write on; returns the text when it is complete.

        It pauses, and returns None, after `most` bytes of text, and after every message that
        `whole` writes.
        """
        cdef size_t end = self.used + most
        if self.text == NULL:
            raise ValueError("the text is complete, or has failed")
        while self.depth >= 0:
            if self.step() == CALLED or self.used >= end:
                return None
        return self.result()

    cdef bytes result(self):
        """Return the text, once."""
        cdef bytes text
        _PyBytes_Resize(&self.text, self.used)
        text = <bytes>self.text
        Py_XDECREF(self.text)
        self.text = NULL
        return text

    cdef char* reserve(self, size_t size) except NULL:
        """Make room for more text, and return where it begins."""
        if self.room - self.used < size:
            self.room += self.room // 2 + size
            _PyBytes_Resize(&self.text, self.room)
        return PyBytes_AS_STRING(<bytes>self.text) + self.used

    cdef inline void end_at(self, const char* at) noexcept:
        self.used = at - PyBytes_AS_STRING(<bytes>self.text)

    cdef int put_text(self, bytes text) except -1:
        cdef size_t length = PyBytes_GET_SIZE(text)
        memcpy(self.reserve(length), PyBytes_AS_STRING(text), length)
        self.used += length
        return 0

    cdef int put_message(
        self, TextWriter writer, const uint8_t* data, size_t length
    ) except -1:
        """Begin a message, or write all of it if only `whole` can do so."""
        cdef Frame* frame
        if not writer.plain or self.depth + 1 == MAX_DEPTH:
            self.put_text(writer.whole(data[:length]))
            return CALLED
        self.depth += 1
        frame = &self.frames[self.depth]
        frame.writer = <PyObject*>writer
        frame.begin = frame.at = data
        frame.end = data + length
        frame.text = self.used
        frame.last = -1
        frame.is_list = False
        frame.empty = True
        frame.oneofs = 0
        self.reserve(1)[0] = c'{'
        self.used += 1
        return WRITTEN

    cdef int step(self) except -1:
        """Write the next field, or the end of a message."""
        cdef Frame* frame = &self.frames[self.depth]
        cdef TextWriter writer = <TextWriter>frame.writer
        cdef int outcome
        if frame.at == frame.end:
            self.end_list(frame)
            self.reserve(1)[0] = c'}'
            self.used += 1
            self.depth -= 1
            return WRITTEN
        outcome = self.put_field(frame, writer)
        if outcome == ODD:
            self.used = frame.text
            self.put_text(writer.whole(frame.begin[:frame.end - frame.begin]))
            self.depth -= 1
            return CALLED
        return outcome

    cdef int end_list(self, Frame* frame) except -1:
        if frame.is_list:
            frame.is_list = False
            self.reserve(1)[0] = c']'
            self.used += 1
        return 0

    cdef char* begin_value(self, Frame* frame, const Field* field, size_t size) except NULL:
        """Write what precedes a value of at most this size, and return where it begins."""
        cdef char* at = self.reserve(field.key_length + 1 + size)
        if frame.is_list:
            at[0] = c','
            return at + 1
        memcpy(at, field.key + frame.empty, field.key_length - frame.empty)
        at += field.key_length - frame.empty
        frame.empty = False
        if field.repeated:
            at[0] = c'['
            at += 1
            frame.is_list = True
        return at

    cdef int put_field(self, Frame* frame, TextWriter writer) except -1:
        cdef const uint8_t* at = frame.at
        cdef const uint8_t* after
        cdef const Field* field
        cdef uint64_t tag, value
        cdef int i, wire_type
        at = after_varint(at, frame.end, 2, &tag)
        if at == NULL or tag >> 3 > MAX_NUMBER:
            return ODD
        i = writer.places[tag >> 3]
        wire_type = tag & 7
        if i < frame.last or i < 0:
            return ODD
        field = &writer.fields[i]
        if i == frame.last:
            if not field.repeated:
                return ODD
        else:
            if frame.oneofs & field.oneof:
                return ODD
            frame.oneofs |= field.oneof
            self.end_list(frame)
            frame.last = i
        if wire_type == LENGTH:
            at = after_varint(at, frame.end, MAX_LENGTH, &value)
            if at == NULL or value > <uint64_t>(frame.end - at):
                return ODD
            after = at + value
        elif wire_type == VARINT:
            after = after_varint(at, frame.end, MAX_VARINT, &value)
            if after == NULL:
                return ODD
        else:
            # Groups begin and end with other wire types.
            value = 8 if wire_type == EIGHT_BYTES else 4
            if value > <uint64_t>(frame.end - at):
                return ODD
            after = at + value
        frame.at = after
        if field.kind >= TEXT:
            if wire_type != LENGTH:
                return ODD
            return self.put_data(frame, field, writer.extras[i], at, after - at)
        if wire_type != wire_type_of(field.kind) and not (field.repeated and wire_type == LENGTH):
            return ODD
        while at < after:
            at = self.put_number(frame, field, writer.extras[i], at, after)
            if at == NULL:
                return ODD
        return WRITTEN

    cdef int put_data(
        self, Frame* frame, const Field* field, extra, const uint8_t* data, size_t length
    ) except -1:
        """Write a string, bytes or a message."""
        cdef bint ascii = True
        cdef size_t part, left = length
        cdef const uint8_t* from_
        cdef char* at
        if field.kind == MESSAGE:
            self.end_at(self.begin_value(frame, field, 0))
            return self.put_message(<TextWriter>extra, data, length)
        if length == 0 and not (field.repeated or field.optional):
            return WRITTEN
        if field.kind == BYTES:
            at = self.begin_value(frame, field, (length + 2) // 3 * 4 + 2)
            self.end_at(put_base64(at, data, length))
            return WRITTEN
        at = self.begin_value(frame, field, 1)
        at[0] = c'"'
        self.end_at(at + 1)
        from_ = data
        while left:
            part = min(left, STRING_PART)
            at = self.reserve(MAX_ESCAPE * part)
            self.end_at(put_escaped(at, from_, part, &ascii))
            from_ += part
            left -= part
        self.reserve(1)[0] = c'"'
        self.used += 1
        if not ascii:
            try:
                PyUnicode_DecodeUTF8(<const char*>data, length, NULL)
            except UnicodeDecodeError:
                return ODD
        return WRITTEN

    cdef const uint8_t* put_number(
        self, Frame* frame, const Field* field, extra, const uint8_t* data, const uint8_t* end
    ) except? NULL:
        """Write a number or boolean and return what follows it; NULL if it is not one."""
        cdef uint64_t bits = 0
        cdef float short
        cdef double number = 0
        cdef char* at
        if field.kind <= ENUM:
            data = after_varint(data, end, MAX_VARINT, &bits)
            if data == NULL:
                return NULL
            if field.kind == BOOL:
                bits = bits != 0
            elif field.kind == UINT32:
                bits = <uint32_t>bits
            elif field.kind == INT32 or field.kind == ENUM:
                bits = <uint64_t><int64_t><int32_t><uint32_t>bits
        elif field.kind == DOUBLE:
            if end - data < 8:
                return NULL
            memcpy(&bits, data, 8)
            memcpy(&number, data, 8)
            data += 8
        else:
            if end - data < 4:
                return NULL
            memcpy(&bits, data, 4)
            memcpy(&short, data, 4)
            number = short
            data += 4
        if bits == 0 and not (field.repeated or field.optional):
            return data
        at = self.begin_value(frame, field, MAX_DIGITS)
        if field.kind == BOOL:
            memcpy(at, TRUE if bits else FALSE, 5)
            at += 4 if bits else 5
        elif field.kind == INT32:
            at = put_integer(at, <int64_t>bits)
        elif field.kind == UINT32:
            at = put_digits(at, bits)
        elif field.kind == INT64 or field.kind == UINT64:
            # Numbers in JavaScript cannot hold these.
            at[0] = c'"'
            at = put_integer(at + 1, bits) if field.kind == INT64 else put_digits(at + 1, bits)
            at[0] = c'"'
            at += 1
        elif field.kind == ENUM:
            self.end_at(at)
            name = (<dict>extra).get(<int64_t>bits)
            if name is not None:
                self.put_text(name)
                return data
            at = put_integer(at, <int64_t>bits)
        elif -MAX_PLAIN < number < MAX_PLAIN and number == <int64_t>number:
            # Only the bits of -0.0 show its sign.
            if number < 0 or (number == 0 and bits):
                at[0] = c'-'
                at += 1
                number = -number
            at = put_digits(at, <uint64_t>number)
            at[0] = c'.'
            at[1] = c'0'
            at += 2
        else:
            self.end_at(at)
            self.put_text(extra(number))
            return data
        self.end_at(at)
        return data
