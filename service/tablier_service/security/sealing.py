"""Tokens as callers hold them: plain, or sealed so that callers can neither read nor write them.

A sealed token is

    offset  size  field
    0       2     magic, "TS"
    2       1     format, 1
    3       1     key id
    4       1     length of the game's name
    5       n     the game's name, ASCII
    5+n     2     rules version, little-endian
    7+n     12    nonce
    19+n    …     AES-256-GCM-SIV of the sealed content

Everything before the nonce is authenticated, and so is the caller's `match`: a token of one game or
match cannot be used in another. The content is

    offset  size  field
    0       16    hash of the previous token, from which this one was made; zeros if there is none
    16      2     length of the plain token, little-endian
    18      m     the plain token, which contains the ply
    18+m    …     zeros up to one of a few sizes, because a length can reveal the size of a hand
"""

from __future__ import annotations

import base64
from bisect import bisect_left
from collections.abc import Callable, Mapping
from hashlib import sha256
from os import urandom
from typing import NamedTuple, Protocol

from tablier_core import codec
from tablier_core.errors import TokenMalformed
from tablier_core.position import Game, Position

MAGIC_AND_FORMAT = b"TS\x01"
KEY_BYTES = 32
NONCE_BYTES = 12
TAG_BYTES = 16
HASH_BYTES = 16
# The sizes that contents are padded to; the last is larger than the longest token needs.
BUCKETS = (128, 256, 512, 1024, 2304)
MAX_SEALED = 7 + 255 + NONCE_BYTES + BUCKETS[-1] + TAG_BYTES
NO_TOKEN = bytes(HASH_BYTES)
# How many open tokens are remembered; they take about two megabytes.
MAX_RECENT = 512
# How many nonces are drawn at once: asking the system for each would cost more than using it.
NONCES = 64


class Opened(NamedTuple):
    """The content of a token."""

    position: Position
    # The hash of the token that it was made from; empty if there is none, and for plain tokens.
    previous: bytes


class Tokens(Protocol):
    """Converts between positions and the bytes that callers hold."""

    # Whether tokens are encrypted.
    sealed: bool

    def write(self, position: Position, match: str = "", made_from: bytes = b"") -> bytes:
        """Write the token of a position for a match, following the token it was made from."""
        ...

    def open(self, token: bytes, match: str = "") -> Opened:
        """Open a token of a match; raises a TablierError for the field `state`."""
        ...


class PlainTokens:
    """Tokens that anyone can read: for trusted callers, and for games without hidden information.

    They are not bound to a match and do not name a previous token: a caller that can write tokens
    could write those as well.
    """

    sealed = False

    def __init__(self, games: Mapping[str, Game]) -> None:
        self._games = games

    def write(self, position: Position, match: str = "", made_from: bytes = b"") -> bytes:
        return codec.encode(position)

    def open(self, token: bytes, match: str = "") -> Opened:
        return Opened(codec.decode(token, self._games), b"")


class SealedTokens:
    """Tokens encrypted with keys of the service. The first key seals; every key opens."""

    sealed = True

    def __init__(
        self,
        games: Mapping[str, Game],
        keys: Mapping[int, bytes],
        failed: Callable[[], None] = lambda: None,
    ) -> None:
        # Imported only for sealed tokens: it takes seven megabytes.
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV

        self._cipher, self._does_not_open = AESGCMSIV, InvalidTag
        self._games = games
        # Called for every token that does not open.
        self._failed = failed
        # Nonces that are still unused. Any thread takes and adds some.
        self._nonces: list[bytes] = []
        self.use(keys)

    def use(self, keys: Mapping[int, bytes]) -> None:
        """Use these keys from now on."""
        sealing = next(iter(keys))
        self._ciphers = {number: self._cipher(key) for number, key in keys.items()}
        headers = {
            name: b"".join(
                (
                    MAGIC_AND_FORMAT,
                    bytes((sealing, len(name))),
                    name.encode("ascii"),
                    game.rules_version.to_bytes(2, "little"),
                )
            )
            for name, game in self._games.items()
        }
        # One assignment, because other threads may be writing tokens: a header names its key.
        self._sealing = self._ciphers[sealing], headers
        # Last, so that what other threads still open with the old keys is forgotten with them.
        self._recent: dict[bytes, tuple[bytes, str, Opened]] = {}

    def write(self, position: Position, match: str = "", made_from: bytes = b"") -> bytes:
        recent = self._recent
        cipher, headers = self._sealing
        header = headers[position.game.name]
        nonce = self._draw_nonce()
        previous = token_hash(made_from) if made_from else NO_TOKEN
        content = pad(previous, codec.encode(position))
        # The header states its own length, so the match can follow it in the associated data.
        bound = header + match.encode() if match else header
        token = b"%b%b%b" % (header, nonce, cipher.encrypt(nonce, content, bound))
        self._remember(recent, token, match, Opened(position, named(previous)))
        return token

    def open(self, token: bytes, match: str = "") -> Opened:
        # Before the keys are used: `use` replaces it after the keys.
        recent = self._recent
        known = recent.get(token[-TAG_BYTES:])
        if known is not None and known[0] == token and known[1] == match:
            return known[2]
        content = self._unseal(token, match)
        if content is None:
            self._failed()
            # One answer for every token that does not open: differences would only help a forger.
            raise TokenMalformed("state", "is not a token of this service and match, or is damaged")
        previous, plain = unpad(content)
        opened = Opened(codec.decode(plain, self._games), named(previous))
        self._remember(recent, token, match, opened)
        return opened

    def _remember(
        self,
        recent: dict[bytes, tuple[bytes, str, Opened]],
        token: bytes,
        match: str,
        opened: Opened,
    ) -> None:
        """Remember an open token: callers use nearly every token that they get, often twice."""
        if len(recent) >= MAX_RECENT:
            recent.clear()
        # By its end, which is as good as random: hashing the whole token would cost more.
        recent[token[-TAG_BYTES:]] = token, match, opened

    def _draw_nonce(self) -> bytes:
        """Take an unused nonce."""
        try:
            return self._nonces.pop()
        except IndexError:
            drawn = urandom(NONCE_BYTES * NONCES)
            first, *others = (
                drawn[at : at + NONCE_BYTES] for at in range(0, len(drawn), NONCE_BYTES)
            )
            self._nonces += others
            return first

    def _unseal(self, token: bytes, match: str) -> bytes | None:
        if not 5 <= len(token) <= MAX_SEALED or token[:3] != MAGIC_AND_FORMAT:
            return None
        cipher = self._ciphers.get(token[3])
        body = 7 + token[4]
        if cipher is None or len(token) < body + NONCE_BYTES + TAG_BYTES:
            return None
        sealed = body + NONCE_BYTES
        try:
            return cipher.decrypt(token[body:sealed], token[sealed:], token[:body] + match.encode())
        except self._does_not_open:
            return None


def named(previous: bytes) -> bytes:
    """The hash of the previous token; empty if there is none."""
    return b"" if previous == NO_TOKEN else previous


def token_hash(token: bytes) -> bytes:
    """The hash by which later tokens name this one: the first half of its SHA-256."""
    return sha256(token).digest()[:HASH_BYTES]


def pad(previous: bytes, plain: bytes) -> bytes:
    """Make a content, padded to the next bucket size."""
    data = previous + len(plain).to_bytes(2, "little") + plain
    return data.ljust(BUCKETS[bisect_left(BUCKETS, len(data))], b"\0")


def unpad(content: bytes) -> tuple[bytes, bytes]:
    """The previous hash and plain token in a content."""
    begin = HASH_BYTES + 2
    length = int.from_bytes(content[HASH_BYTES:begin], "little")
    return content[:HASH_BYTES], content[begin : begin + length]


def read_keys(text: str) -> dict[int, bytes]:
    """Parse keys, the sealing key first: `id:base64`, separated by commas or line breaks.

    Lines that begin with `#` are comments.
    """
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    keys: dict[int, bytes] = {}
    for part in ",".join(line for line in lines if line.strip()).split(","):
        number, _, encoded = part.strip().partition(":")
        if not number.isdigit() or int(number) > 255 or int(number) in keys:
            raise ValueError("each key needs a unique id from 0 to 255, in the form id:base64")
        key = base64.b64decode(encoded, validate=True)
        if len(key) != KEY_BYTES:
            raise ValueError(f"key {number} must be the base64 of {KEY_BYTES} bytes")
        keys[int(number)] = key
    return keys
