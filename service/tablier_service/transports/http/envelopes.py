"""Envelopes: the prefix of each message in a stream, with its flags and its length."""

from __future__ import annotations

from binascii import Error, a2b_base64, b2a_base64
from struct import Struct

from tablier_service.errors import InvalidField

# Flags and length.
PREFIX = Struct(">BI")
COMPRESSED = 0x01
# What ends a stream: of Connect, and of gRPC-Web.
END_OF_STREAM = 0x02
TRAILERS = 0x80


def envelope(data: bytes, flags: int = 0) -> bytes:
    """Put a message into an envelope."""
    return PREFIX.pack(flags, len(data)) + data


def only_message(body: bytes, packs: bool) -> tuple[bytes, bool]:
    """The only message of a request, and whether it is compressed; raises InvalidField.

    `packs` is whether messages may be compressed.
    """
    if len(body) < PREFIX.size:
        raise InvalidField("", "the body must be a message after a prefix of five bytes")
    flags, length = PREFIX.unpack_from(body)
    if length != len(body) - PREFIX.size:
        raise InvalidField("", "the body must be exactly one message, as long as its prefix says")
    if flags & ~COMPRESSED:
        raise InvalidField("", "the flags of the message are unknown")
    if flags and not packs:
        raise InvalidField("", "the message is compressed, but no header says how")
    return body[PREFIX.size :], bool(flags)


def to_text(data: bytes) -> bytes:
    """Write bytes as the base64 of grpc-web-text."""
    return b2a_base64(data, newline=False)


def from_text(text: bytes) -> bytes:
    """Read the base64 of grpc-web-text: clients may pad every part; raises InvalidField."""
    try:
        parts = [part for part in text.split(b"=") if part]
        return b"".join(
            a2b_base64(part + b"=" * (-len(part) % 4), strict_mode=True) for part in parts
        )
    except Error:
        raise InvalidField("", "the body is not base64") from None
