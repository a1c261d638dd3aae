"""Tokens as they leave the service: plain, or sealed, which callers can neither read nor write.

A sealed token is

    offset  size  field
    0       2     magic, "TS"
    2       1     format, 1
    3       1     key id
    4       1     length of the game's name
    5       n     the game's name, ASCII
    5+n     2     rules version, little-endian
    7+n     12    nonce
    19+n    …     AES-256-GCM-SIV of the padded plain token

All before the nonce is authenticated too, so a token cannot be passed off as another game's. The
plain token is padded to a few sizes, because its length can tell how many cards somebody holds.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Mapping
from typing import Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
from tablier_core import codec
from tablier_core.errors import TokenMalformed
from tablier_core.position import Game, Position

MAGIC_AND_FORMAT = b"TS\x01"
KEY_BYTES = 32
NONCE_BYTES = 12
# The sizes that a token is padded to; the last is more than the longest token.
BUCKETS = (128, 256, 512, 1024, 2304)


class Tokens(Protocol):
    """The way between positions and the bytes that callers hold."""

    def write(self, position: Position) -> bytes:
        """The token of a position."""
        ...

    def open(self, token: bytes) -> Position:
        """The position of a token; raises a TablierError for the field `state`."""
        ...


class PlainTokens:
    """Tokens that anybody can read: for callers who are trusted, and for games without secrets."""

    def __init__(self, games: Mapping[str, Game]) -> None:
        self._games = games

    def write(self, position: Position) -> bytes:
        return codec.encode(position)

    def open(self, token: bytes) -> Position:
        return codec.decode(token, self._games)


class SealedTokens:
    """Tokens under keys that only the service has. The first key seals; all of them open."""

    def __init__(self, games: Mapping[str, Game], keys: Mapping[int, bytes]) -> None:
        self._plain = PlainTokens(games)
        self._ciphers = {number: AESGCMSIV(key) for number, key in keys.items()}
        self._sealing = next(iter(keys))

    def write(self, position: Position) -> bytes:
        name = position.game.name.encode("ascii")
        header = b"".join(
            (
                MAGIC_AND_FORMAT,
                bytes((self._sealing, len(name))),
                name,
                position.game.rules_version.to_bytes(2, "little"),
            )
        )
        nonce = secrets.token_bytes(NONCE_BYTES)
        plain = pad(self._plain.write(position))
        return header + nonce + self._ciphers[self._sealing].encrypt(nonce, plain, header)

    def open(self, token: bytes) -> Position:
        # One answer for everything that does not open: the differences would help a forger only.
        refused = TokenMalformed("state", "is no token of this service, or was changed")
        if len(token) > codec.MAX_TOKEN + 512 or token[:3] != MAGIC_AND_FORMAT or len(token) < 5:
            raise refused
        cipher = self._ciphers.get(token[3])
        body = 7 + token[4]
        if cipher is None or len(token) < body + NONCE_BYTES + 16:
            raise refused
        header, nonce = token[:body], token[body : body + NONCE_BYTES]
        try:
            padded = cipher.decrypt(nonce, token[body + NONCE_BYTES :], header)
        except InvalidTag:
            raise refused from None
        return self._plain.open(unpad(padded))


def pad(plain: bytes) -> bytes:
    """The bytes behind their length, filled up to the next bucket."""
    data = len(plain).to_bytes(2, "little") + plain
    return data.ljust(next(size for size in BUCKETS if size >= len(data)), b"\0")


def unpad(padded: bytes) -> bytes:
    """What `pad` was given."""
    return padded[2 : 2 + int.from_bytes(padded[:2], "little")]


def read_keys(text: str) -> dict[int, bytes]:
    """Keys from a setting: `id:base64` with commas between, the sealing one first."""
    keys: dict[int, bytes] = {}
    for part in text.split(","):
        number, _, encoded = part.strip().partition(":")
        if not number.isdigit() or int(number) > 255 or int(number) in keys:
            raise ValueError("each key needs an id of its own from 0 to 255: id:base64")
        key = base64.b64decode(encoded, validate=True)
        if len(key) != KEY_BYTES:
            raise ValueError(f"key {number} must have {KEY_BYTES} bytes, in base64")
        keys[int(number)] = key
    return keys
