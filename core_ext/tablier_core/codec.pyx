"""Tokens: a position in an envelope that identifies it and detects damage.

    offset  size  field
    0       2     magic, "TB"
    2       1     format, 1
    3       1     viewer: 255 for the true state, else the seat whose view this is
    4       1     length n of the game's name
    5       n     the game's name, ASCII
    5+n     2     rules version
    7+n     4     ply: the number of moves played
    11+n    2     length m of the state
    13+n    m     the state, as the game packs it
    13+n+m  4     CRC-32 of all bytes before

Numbers are little-endian. Equal positions have equal tokens, byte for byte.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, strlen

from tablier_core.abi cimport MAX_PACKED, TABLE
from tablier_core.packing cimport put, take
from tablier_core.position cimport Game, Position

from tablier_core.errors import TokenMalformed, TokenUnsupported, UnknownGame

cdef enum:
    FORMAT = 1
    TRUE_STATE = 255
    FIXED = 17                          # bytes of an envelope without the name and the state
    MAX_NAME = 64

MAX_TOKEN = FIXED + MAX_NAME + MAX_PACKED

# Entry [k][b]: the CRC-32 of the byte b followed by k zero bytes. Filled once at import.
cdef uint32_t[8][256] crc_table


cdef void fill_crc() noexcept:
    cdef uint32_t value
    cdef int i, k, _bit
    for i in range(256):
        value = i
        for _bit in range(8):
            value = (value >> 1) ^ (0xEDB88320u if value & 1 else 0)
        crc_table[0][i] = value
    for k in range(1, 8):
        for i in range(256):
            value = crc_table[k - 1][i]
            crc_table[k][i] = crc_table[0][value & 255] ^ (value >> 8)


fill_crc()


cdef uint32_t crc32(const uint8_t* data, size_t length) noexcept nogil:
    """Return the CRC-32 of some bytes.

    It takes eight bytes per step: one by one would cost more than the rest of a long token.
    """
    cdef uint32_t value = 0xFFFFFFFFu
    cdef uint64_t word
    cdef const uint8_t* end = data + length
    cdef int k
    while end - data >= 8:
        word = take(&data, 8) ^ value
        value = 0
        for k in range(8):
            value ^= crc_table[7 - k][(word >> (8 * k)) & 255]
    while data < end:
        value = crc_table[0][(value ^ take(&data, 1)) & 255] ^ (value >> 8)
    return value ^ 0xFFFFFFFFu


def encode(Position position not None):
    """Return the token of a position."""
    cdef uint8_t out[FIXED + MAX_NAME + MAX_PACKED]
    cdef uint8_t* cursor = out
    cdef uint8_t* length_at
    cdef const char* name = position.game.ops.name
    cdef size_t name_length = strlen(name), length
    put(&cursor, 0x4254, 2)
    put(&cursor, FORMAT, 1)
    put(&cursor, TRUE_STATE if position.viewer == TABLE else position.viewer, 1)
    put(&cursor, name_length, 1)
    memcpy(cursor, name, name_length)
    cursor += name_length
    put(&cursor, position.game.ops.rules_version, 2)
    put(&cursor, position.ply, 4)
    length_at = cursor
    cursor += 2
    length = position.game.ops.pack(position.state, cursor)
    put(&length_at, length, 2)
    cursor += length
    put(&cursor, crc32(out, cursor - out), 4)
    return PyBytes_FromStringAndSize(<char*>out, cursor - out)


def decode(const uint8_t[::1] token, games):
    """Check a token completely and return its position; `games` maps names to Game objects."""
    cdef size_t length = token.shape[0], name_length, state_length
    cdef const uint8_t* data
    cdef const uint8_t* cursor
    cdef Game game
    cdef int viewer
    cdef uint32_t ply
    if length == 0:
        raise TokenMalformed("state", "is empty; StartGame returns the first token of a game")
    if length < FIXED:
        raise TokenMalformed("state", "is truncated")
    if length > MAX_TOKEN:
        raise TokenMalformed("state", f"is longer than {MAX_TOKEN} bytes")
    data = cursor = &token[0]
    if take(&cursor, 2) != 0x4254:
        raise TokenMalformed("state", "is not a token: its first two bytes are wrong")
    cursor = data + length - 4
    if take(&cursor, 4) != crc32(data, length - 4):
        raise TokenMalformed("state", "its checksum does not match: it is damaged or truncated")
    cursor = data + 2
    if take(&cursor, 1) != FORMAT:
        raise TokenUnsupported("state", f"its format is not {FORMAT}, the only supported one")
    viewer = <int>take(&cursor, 1)
    name_length = take(&cursor, 1)
    if FIXED + name_length > length:
        raise TokenMalformed("state", "its lengths do not add up")
    name = (<const char*>cursor)[:name_length].decode("latin-1")
    cursor += name_length
    rules_version = take(&cursor, 2)
    ply = <uint32_t>take(&cursor, 4)
    state_length = take(&cursor, 2)
    if FIXED + name_length + state_length != length:
        raise TokenMalformed("state", "its lengths do not add up")
    found = games.get(name)
    if found is None:
        raise UnknownGame("state", "belongs to a game that this service does not have")
    game = found
    if rules_version != game.ops.rules_version:
        raise TokenUnsupported(
            "state",
            f"has rules version {rules_version}; this service plays {game.ops.rules_version}",
        )
    return game.unpack_at(
        cursor, state_length, ply, TABLE if viewer == TRUE_STATE else viewer
    )
