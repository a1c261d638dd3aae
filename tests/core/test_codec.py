"""Tokens: every field of the envelope, and the errors for bytes that are not tokens."""

from __future__ import annotations

import random
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier_core import codec
from tablier_core.errors import (
    TablierError,
    TokenInvalid,
    TokenMalformed,
    TokenUnsupported,
    UnknownGame,
)
from tablier_core.position import Game, Position
from tablier_core.registry import GAMES

from tests.core import laws
from tests.core.variants import ALL_GAMES, Options, cases, label

NAME = "contigo-alignment"
GAME = GAMES[NAME]
START = GAME.start({"first": 0}, 0)
TOKEN = codec.encode(START)

# Where the fields of this game's token begin.
MAGIC, FORMAT, VIEWER, NAME_LENGTH, NAME_AT = 0, 2, 3, 4, 5
VERSION = NAME_AT + len(NAME)
PLY, STATE_LENGTH, STATE = VERSION + 2, VERSION + 6, VERSION + 8

# Written out by hand from the layout of the envelope and of the game's state.
GOLDEN = bytes.fromhex(
    "5442 01 ff 11 636f6e7469676f2d616c69676e6d656e74 0100 00000000 3200"  # the envelope
    "00 00 02 00 00000000 c8000000"  # pawn phase, seat 0, no winner, basic, turn 0 of 200
    "300800c100 430000200c" + "02" * 28 + "5a53aa3a"
)


def reseal(body: bytes) -> bytes:
    """Append a correct checksum, as a forger would."""
    return body + zlib.crc32(body).to_bytes(4, "little")


def forge(at: int, *values: int) -> bytes:
    """Return the first position's token with some bytes replaced and a correct checksum."""
    body = bytearray(TOKEN[:-4])
    body[at : at + len(values)] = bytes(values)
    return reseal(bytes(body))


def decode(token: bytes | bytearray | memoryview) -> Position:
    return codec.decode(token, GAMES)


def test_the_envelope_has_the_documented_fields():
    position = START.apply(0, START.moves(0)[0]).view_of(1)
    token = codec.encode(position)
    state = position.pack()
    assert token == reseal(
        b"TB"
        + bytes([1, 1, len(NAME)])
        + NAME.encode("ascii")
        + GAME.rules_version.to_bytes(2, "little")
        + position.ply.to_bytes(4, "little")
        + len(state).to_bytes(2, "little")
        + state
    )
    assert TOKEN[VIEWER] == 255


def test_the_checksum_is_crc_32():
    assert int.from_bytes(TOKEN[-4:], "little") == zlib.crc32(TOKEN[:-4])


def test_the_token_of_the_first_position_is_golden():
    assert TOKEN == GOLDEN


def test_decoding_returns_the_same_position():
    position = decode(TOKEN)
    assert position == START
    assert (position.ply, position.viewer) == (0, -1)


def test_a_token_carries_ply_and_viewer():
    position = decode(forge(PLY, 1, 2, 3, 4))
    assert position.ply == 0x04030201
    assert decode(forge(VIEWER, 1)).viewer == 1


def test_ply_stops_at_the_end_of_its_range():
    position = decode(forge(PLY, 255, 255, 255, 255))
    assert position.apply(0, position.moves(0)[0]).ply == 0xFFFFFFFF


def test_a_token_may_be_any_contiguous_buffer():
    assert decode(bytearray(TOKEN)) == START
    assert decode(memoryview(b"x" + TOKEN)[1:]) == START


def test_a_truncated_token_is_malformed():
    for length in range(len(TOKEN)):
        with pytest.raises(TokenMalformed):
            decode(TOKEN[:length])


def test_a_truncated_token_with_a_new_checksum_is_malformed():
    for length in range(len(TOKEN) - 4):
        with pytest.raises(TokenMalformed):
            decode(reseal(TOKEN[:length]))


def test_a_token_that_is_too_long_is_malformed():
    assert len(TOKEN) <= codec.MAX_TOKEN
    with pytest.raises(TokenMalformed, match="longer"):
        decode(bytes(codec.MAX_TOKEN + 1))
    with pytest.raises(TokenMalformed, match="longer"):
        decode(TOKEN[:2] + bytes(50_000_000))
    with pytest.raises(TokenMalformed, match="lengths"):
        decode(reseal(TOKEN[:-4] + b"\0"))


def test_the_checksum_covers_every_bit():
    for bit in range(8 * len(TOKEN)):
        damaged = bytearray(TOKEN)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(TokenMalformed):
            decode(bytes(damaged))


@pytest.mark.parametrize(
    ("token", "error", "message"),
    [
        (b"", TokenMalformed, "empty"),
        (b"TB", TokenMalformed, "truncated"),
        (forge(MAGIC, ord("X")), TokenMalformed, "first two bytes"),
        (TOKEN[:-1] + bytes([TOKEN[-1] ^ 1]), TokenMalformed, "checksum"),
        (forge(FORMAT, 0), TokenUnsupported, "format"),
        (forge(FORMAT, 2), TokenUnsupported, "format"),
        (forge(VIEWER, 2), TokenInvalid, "viewer"),
        (forge(VIEWER, 254), TokenInvalid, "viewer"),
        (forge(NAME_LENGTH, 255), TokenMalformed, "lengths"),
        (forge(NAME_LENGTH, 0), TokenMalformed, "lengths"),
        (forge(NAME_AT, ord("C")), UnknownGame, "game"),
        (forge(NAME_AT, 0xFF), UnknownGame, "game"),
        (forge(VERSION, 0, 0), TokenUnsupported, "rules version 0"),
        (forge(VERSION, 2, 1), TokenUnsupported, "rules version 258"),
        (forge(STATE_LENGTH, 49, 0), TokenMalformed, "lengths"),
        (forge(STATE_LENGTH, 255, 255), TokenMalformed, "lengths"),
        (forge(STATE, 3), TokenInvalid, "phase"),
    ],
)
def test_reports_what_is_wrong_with_a_token(token: bytes, error: type[TablierError], message: str):
    with pytest.raises(error, match=message) as caught:
        decode(token)
    assert caught.value.field == "state"


@pytest.mark.parametrize(
    ("at", "values", "message"),
    [
        (0, [2], "turns"),  # over without a winner, before the limit
        (1, [2], "range"),  # a third seat
        (2, [3], "range"),  # a winner that is not a seat
        (2, [0], "phase"),  # a winner during the game
        (3, [2], "range"),  # neither basic nor advanced
        (4, [201], "turns"),  # more turns than the limit
        (4, [200], "turns"),  # the limit is reached, but the game continues
        (12, [0xFF] * 5, "pawns"),  # off the board
        (17, [0x30], "pawns"),  # two pawns on one square
        (22, [7], "beads"),  # a pit over its limit
        (22, [0] * 28, "beads"),  # an empty ring
        (22, [6] * 28, "beads"),  # a full ring
    ],
)
def test_rejects_forged_states(at: int, values: list[int], message: str):
    with pytest.raises(TokenInvalid, match=message):
        decode(forge(STATE + at, *values))


def test_a_token_of_an_unregistered_game_is_unknown():
    with pytest.raises(UnknownGame):
        codec.decode(TOKEN, {})


@settings(max_examples=300)
@given(data=st.binary(max_size=200))
def test_random_bytes_raise_typed_errors(data: bytes):
    for token in (data, reseal(b"TB\x01" + data)):
        with pytest.raises(TablierError):
            decode(token)


@pytest.mark.parametrize("game", ALL_GAMES.values(), ids=label)
@settings(max_examples=100)
@given(data=st.binary(max_size=2100))
def test_unpack_rejects_random_bytes_or_packs_them_again(game: Game, data: bytes):
    try:
        position = game.unpack(data)
    except TokenInvalid:
        return
    assert position.pack() == data


@pytest.mark.parametrize(("game", "options"), cases(), ids=label)
@settings(max_examples=5)
@given(seed=st.integers(0, 2**64 - 1))
def test_forged_envelopes_raise_typed_errors_or_encode_to_the_same_bytes(
    game: Game, options: Options, seed: int
):
    chance = random.Random(seed)
    for position in laws.sample(game, options, seed, count=2):
        for _ in range(50):
            body = bytearray(codec.encode(position)[:-4])
            for _ in range(chance.choice((1, 2, 8))):
                body[chance.randrange(len(body))] = chance.randrange(256)
            token = reseal(bytes(body))
            try:
                forged = codec.decode(token, ALL_GAMES)
            except TablierError:
                continue
            assert codec.encode(forged) == token
