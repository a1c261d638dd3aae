"""The size of a request in elements: values of JSON text, fields of protobuf's wire format.

Reading a request creates objects for each of them, many times slower and larger than its bytes.
These functions only look at the bytes, and create nothing. They accept malformed requests, which
the reader rejects afterwards. Only `count_members` looks at a value: it may have lost keys.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int16_t, uint8_t, uint64_t
from libc.string cimport memchr

cdef enum:
    MAX_DEPTH = 1024                    # of JSON; deeper text is rejected by every reader
    MAX_VALUE_DEPTH = 254               # of a JSON value; no message is as deep
    MAX_MEMBERS = 100                   # of a JSON object that is split
    MAX_NESTING = 100                   # of messages; the limit of protobuf
    NUMBERS = 32                        # field numbers of requests are below this
    VARINT = 0                          # wire types
    FIXED64 = 1
    LENGTH = 2
    FIXED32 = 5


# What a byte outside of strings is.
cdef enum:
    SPACE
    OTHER                               # a part of a number, true, false or null
    QUOTE
    OPENING
    CLOSING
    COMMA
    COLON

cdef uint8_t KINDS[256]


cdef void fill_kinds() noexcept:
    for c in range(256):
        KINDS[c] = OTHER
    for kind, bytes_of_it in (
        (SPACE, b" \t\r\n"), (QUOTE, b'"'), (OPENING, b"[{"), (CLOSING, b"]}"),
        (COMMA, b","), (COLON, b":"),
    ):
        for c in bytes_of_it:
            KINDS[c] = kind


fill_kinds()


def strip_json(bytes text not None):
    """Return JSON text without the white space around it."""
    cdef const char* begin = PyBytes_AS_STRING(text)
    cdef Py_ssize_t start = 0, end = PyBytes_GET_SIZE(text)
    while start < end and KINDS[<uint8_t>begin[start]] == SPACE:
        start += 1
    while start < end and KINDS[<uint8_t>begin[end - 1]] == SPACE:
        end -= 1
    return text[start:end]


cdef const char* after_string(const char* at, const char* end) noexcept nogil:
    """Return where a string ends, given what follows its first quote; NULL if it does not."""
    cdef const char* quote = <const char*>memchr(at, c'"', end - at)
    if quote == NULL:
        return NULL
    if memchr(at, c'\\', quote - at) == NULL:
        return quote + 1
    while at < end:
        if at[0] == c'"':
            return at + 1
        # A backslash and what it escapes are two bytes, or begin with two bytes.
        at += 2 if at[0] == c'\\' else 1
    return NULL


def count_keys(bytes text not None):
    """Return the number of keys in all objects of JSON text."""
    cdef const char* at = PyBytes_AS_STRING(text)
    cdef const char* end = at + PyBytes_GET_SIZE(text)
    cdef Py_ssize_t keys = 0
    while at < end:
        if at[0] == c'"':
            at = after_string(at + 1, end)
            if at == NULL:
                break
        else:
            keys += at[0] == c':'
            at += 1
    return keys


def count_members(value):
    """Return the number of keys in all objects of a JSON value; -1 if it is nested too deeply."""
    return members_in(value, 0)


cdef Py_ssize_t members_in(value, int depth) except -2:
    cdef Py_ssize_t members = 0, inner
    cdef type kind = type(value)
    if kind is dict:
        members = len(<dict>value)
        inside = (<dict>value).values()
    elif kind is list:
        inside = value
    else:
        return 0
    if depth == MAX_VALUE_DEPTH:
        return -1
    for item in inside:
        inner = members_in(item, depth + 1)
        if inner < 0:
            return inner
        members += inner
    return members


def count_json(bytes text not None, Py_ssize_t most, Py_ssize_t longest):
    """Return the number of values in JSON text: objects, arrays and what they contain.

    Return -1 if there are more than `most`, -2 if a string or number has more than `longest` bytes.
    """
    cdef const char* at = PyBytes_AS_STRING(text)
    cdef const char* end = at + PyBytes_GET_SIZE(text)
    cdef const char* start = at         # of the current string or number
    cdef Py_ssize_t values = 1
    cdef bint empty = False             # whether an object or array has just begun
    cdef uint8_t kind
    while at < end:
        kind = KINDS[<uint8_t>at[0]]
        at += 1
        if kind == SPACE:
            start = at
            continue
        if kind == QUOTE:
            start = at
            at = after_string(at, end)
            if at == NULL:
                return values
        if kind == QUOTE or kind == OTHER:
            if at - start > longest + 1:
                return -2
            empty = False
            continue
        start = at
        if kind == OPENING or kind == COMMA:
            values += 1
            # The last object may turn out to be empty.
            if values > most + 1:
                return -1
        elif kind == CLOSING:
            values -= empty
        empty = kind == OPENING
    return values if values <= most else -1


cdef class Parts:
    """The parts of a JSON object or array; members are added as they end."""

    cdef list found
    cdef bint is_array
    cdef Py_ssize_t most, longest                       # values and bytes of a part of an array
    cdef Py_ssize_t start, colon, members, values       # of the current part
    cdef Py_ssize_t own_start                           # of the current member

    def __cinit__(self, Py_ssize_t most, Py_ssize_t longest):
        self.found = []
        self.most, self.longest = most, longest

    cdef void begin(self, bint is_array, Py_ssize_t start) noexcept:
        self.is_array = is_array
        self.start = self.own_start = start
        self.colon = -1

    cdef bint add(self, Py_ssize_t end, Py_ssize_t values) except -1:
        """Add the current member, which ends here. Return False if there are too many."""
        if self.is_array:
            if self.values + values > self.most or end + 1 - self.start > self.longest:
                self.end_part()
            self.members += 1
            self.values += values
        elif len(self.found) == MAX_MEMBERS:
            return False
        else:
            self.found.append((self.start, self.colon, end, 1, values))
            self.start, self.colon = end + 1, -1
        self.own_start = end + 1
        return True

    cdef int end_part(self) except -1:
        """End the current part of an array before the current member, unless it is empty."""
        if self.members:
            self.found.append((self.start, -1, self.own_start - 1, self.members, self.values))
            self.start, self.members, self.values = self.own_start, 0, 0
        return 0


def split_json(bytes text not None, Py_ssize_t most, Py_ssize_t longest):
    """Return the parts of a JSON object or array, or None if its brackets do not match.

    A part is (start, colon, end, members, values). In an object, it is one member: its name is
    before the colon, its value after it. In an array, the colon is -1, and a part is a number of
    successive members with at most `most` values and `longest` bytes, or a single larger one.

    Messages have few fields: of a larger object, only the first MAX_MEMBERS (100) are returned.
    """
    cdef const char* begin = PyBytes_AS_STRING(text)
    cdef const char* end = begin + PyBytes_GET_SIZE(text)
    cdef const char* at = begin
    cdef char closers[MAX_DEPTH]
    cdef int depth = 0
    cdef bint closed = False
    cdef bint blank = True              # whether the current member has nothing so far
    cdef bint empty = False             # whether an object or array has just begun
    cdef Py_ssize_t values = 1          # of the current member
    cdef uint8_t kind
    cdef Parts parts = Parts(most, longest)
    while at < end:
        kind = KINDS[<uint8_t>at[0]]
        at += 1
        if kind == SPACE:
            continue
        if depth == 0 and (closed or kind != OPENING):
            return None
        if kind == OTHER:
            blank = empty = False
            continue
        if kind == QUOTE:
            at = after_string(at, end)
            if at == NULL:
                return None
            blank = empty = False
            continue
        if kind == OPENING:
            if depth == MAX_DEPTH:
                return None
            # In ASCII, the brackets of a pair are two apart.
            closers[depth] = (at - 1)[0] + 2
            depth += 1
            if depth == 1:
                parts.begin((at - 1)[0] == c'[', at - begin)
            else:
                values += 1
                blank = False
                empty = True
            continue
        if depth == 1 and kind == COLON and parts.colon < 0 and not parts.is_array:
            parts.colon = at - 1 - begin
        elif depth == 1 and kind != COLON:
            # A comma or the end: a member is complete.
            if not blank:
                if not parts.add(at - 1 - begin, values):
                    return parts.found
                values = 1
                blank = True
            elif kind == COMMA or parts.members or parts.found:
                # There is no member before this comma, or after the last one.
                return None
        elif kind == COMMA:
            values += 1
        if kind == CLOSING:
            if (at - 1)[0] != closers[depth - 1]:
                return None
            values -= empty
            depth -= 1
            closed = depth == 0
        empty = False
    if not closed:
        return None
    parts.end_part()
    return parts.found


cdef const uint8_t* after_varint(
    const uint8_t* at, const uint8_t* end, uint64_t* value
) noexcept nogil:
    """Read a varint and return what follows it; NULL if it has no end."""
    cdef int shift = 0
    cdef uint8_t c
    value[0] = 0
    while at < end and shift < 64:
        c = at[0]
        at += 1
        value[0] |= <uint64_t>(c & 127) << shift
        if c < 128:
            return at
        shift += 7
    return NULL


cdef class FieldCounter:
    """Counts the fields of a message, and of the messages in it.

    `children` has an entry per type of message, the first for the message itself: by the number of
    each field that is a message, the index of its type. `longest` has the number of bytes that
    strings may have; entries of `longer` are for fields that may have more, by number.
    """

    cdef int16_t* children
    cdef uint64_t* longest
    cdef Py_ssize_t unknown             # the place of unknown fields in `longest`

    def __cinit__(self, list children not None, uint64_t longest, list longer not None):
        cdef Py_ssize_t index, number
        self.unknown = len(children) * NUMBERS
        self.children = <int16_t*>PyMem_Calloc(self.unknown, sizeof(int16_t))
        self.longest = <uint64_t*>PyMem_Calloc(self.unknown + 1, sizeof(uint64_t))
        if self.children == NULL or self.longest == NULL:
            raise MemoryError
        for index in range(self.unknown + 1):
            self.longest[index] = longest
        for index, (fields, own) in enumerate(zip(children, longer, strict=True)):
            for number in own:
                if number >= NUMBERS:
                    raise ValueError(f"cannot count field {number}")
            for number, child in fields.items():
                if number >= NUMBERS or child >= len(children):
                    raise ValueError(f"cannot count field {number}")
                # 0 means that a field is not a message.
                self.children[index * NUMBERS + number] = child + 1
            for number, length in own.items():
                self.longest[index * NUMBERS + number] = length

    def __dealloc__(self):
        PyMem_Free(self.children)
        PyMem_Free(self.longest)

    def count(self, bytes data not None, Py_ssize_t most):
        """Return the number of fields; if there are more than `most`, some larger number.

        Return -1 if a string or bytes are too long.
        """
        cdef const uint8_t* begin = <const uint8_t*>PyBytes_AS_STRING(data)
        return self.fields(begin, begin + PyBytes_GET_SIZE(data), 0, 0, most)

    cdef Py_ssize_t fields(
        self, const uint8_t* at, const uint8_t* end, int kind, int depth, Py_ssize_t most
    ) noexcept nogil:
        cdef Py_ssize_t count = 0, inner, field
        cdef uint64_t tag, length
        cdef int16_t child
        while at < end and count <= most:
            at = after_varint(at, end, &tag)
            if at == NULL:
                break
            count += 1
            if tag & 7 == VARINT:
                at = after_varint(at, end, &length)
                if at == NULL:
                    break
            elif tag & 7 == LENGTH:
                at = after_varint(at, end, &length)
                if at == NULL or length > <uint64_t>(end - at):
                    break
                field = kind * NUMBERS + <Py_ssize_t>(tag >> 3)
                child = self.children[field] if tag >> 3 < NUMBERS else 0
                if child and depth < MAX_NESTING:
                    inner = self.fields(at, at + length, child - 1, depth + 1, most - count)
                    if inner < 0:
                        return inner
                    count += inner
                elif length > self.longest[field if tag >> 3 < NUMBERS else self.unknown]:
                    return -1
                at += length
            elif tag & 7 == FIXED64 or tag & 7 == FIXED32:
                # Groups, the other wire types, contain fields that are counted like any.
                length = 8 if tag & 7 == FIXED64 else 4
                if length > <uint64_t>(end - at):
                    break
                at += length
        return count
