"""Compressed requests: reading them never takes more memory than the call accepts."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from tablier_service.calls.slices import Work
from tablier_service.errors import EncodingUnsupported, InvalidField, TooLarge
from tablier_service.transports.http.replies import GZIP_FORMAT, PART_BYTES

GZIP = b"gzip"
IDENTITY = b"identity"


def is_packed(encoding: bytes) -> bool:
    """Whether a header says that requests are compressed; raises EncodingUnsupported."""
    if encoding in (b"", IDENTITY):
        return False
    if encoding != GZIP:
        raise EncodingUnsupported("", "requests can be compressed with gzip, or not at all")
    return True


def decompress(data: bytes, limit: int, hold: Callable[[int], object] | None = None) -> Work[bytes]:
    """Decompress a request, with a possible pause after each part of it.

    `hold` is called with the number of bytes of each part. Raises TooLarge and InvalidField.
    """
    decompressor = zlib.decompressobj(GZIP_FORMAT)
    parts = []
    size = 0
    packed = data
    try:
        for start in range(0, len(data), PART_BYTES):
            packed = data[start : start + PART_BYTES]
            while packed and not decompressor.eof:
                # One byte more than the limit shows that there is more.
                part = decompressor.decompress(packed, min(PART_BYTES, limit - size + 1))
                packed = decompressor.unconsumed_tail
                size += len(part)
                if size > limit:
                    raise TooLarge("", f"the request has more than {limit} bytes, unpacked")
                parts.append(part)
                if hold is not None:
                    hold(len(part))
                if len(data) > PART_BYTES or packed:
                    yield
    except zlib.error:
        raise InvalidField("", "the request is not valid gzip") from None
    packed_size = len(data) - len(decompressor.unused_data)
    if not decompressor.eof or packed_size < len(data) or packed:
        raise InvalidField("", "the request is not valid gzip")
    return b"".join(parts)
