"""HTTP responses: bodies and headers, entity tags, and compression."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from tablier_service.calls.slices import Work
from tablier_service.transports.http.cors import CrossOrigin, Header
from tablier_service.transports.http.envelopes import COMPRESSED, envelope

JSON = b"application/json"
# Compressing a smaller body costs more time than it saves on any network.
GZIP_FROM = 4096
ZIP_LEVEL = 1
# The format of zlib that is gzip's, with the largest window.
GZIP_FORMAT = 31
# Larger bodies are compressed and sent in parts, so that other calls are served in between.
PART_BYTES = 64 * 1024

# Headers of every response. Browsers must not guess another type than the one given.
EVERY_RESPONSE: tuple[Header, ...] = ((b"x-content-type-options", b"nosniff"),)

# A response as it is sent: status, body and headers.
Response = tuple[int, bytes, list[Header]]


class Framing(NamedTuple):
    """How the body of a response is wrapped, once it is compressed or not."""

    # The headers that say how the caller accepts it, and how it is.
    accepted: bytes
    encoding: bytes
    # What follows it.
    last: bytes
    # Writes all of it.
    write: Callable[[bytes], bytes]

    def wrap(self, body: bytes, *, packed: bool) -> bytes:
        """The body as it is sent."""
        return self.write(envelope(body, COMPRESSED if packed else 0) + self.last)


class Reply(NamedTuple):
    """A response before the headers of its request are considered."""

    status: int
    body: bytes
    content_type: bytes = JSON
    headers: tuple[Header, ...] = ()
    # Set for answers to GET: a client that has the same version does not need it again.
    etag: bytes = b""
    # The compressed body, if it was compressed in advance.
    zipped: bytes = b""
    # None if the body is sent as it is.
    framing: Framing | None = None
    # Whether the body is never compressed.
    plain: bool = False

    def accepts_gzip(self, request: Mapping[bytes, bytes]) -> bool:
        """Whether a request with these headers accepts a compressed body."""
        name = b"accept-encoding" if self.framing is None else self.framing.accepted
        return not self.plain and accepts_gzip(request.get(name, b""))


def page(body: bytes, content_type: bytes, *headers: Header, etag: bytes = b"") -> Reply:
    """Make a reply that never changes, compressed once; its tag is computed unless given."""
    zipped = gzip.compress(body, mtime=0) if len(body) >= GZIP_FROM else b""
    return Reply(200, body, content_type, headers, etag or etag_of(body), zipped)


def etag_of(body: bytes) -> bytes:
    """The entity tag of a body: a weak one, as a body has two encodings."""
    return b'W/"%s"' % blake2b(body, digest_size=8).hexdigest().encode()


def finalize(
    reply: Reply, request: Mapping[bytes, bytes], request_id: bytes, cors: CrossOrigin | None
) -> Response:
    """Turn a reply into the response to a request with these headers."""
    status, body, content_type, extra, etag, zipped, framing, plain = reply
    headers = [(b"content-type", content_type), (b"x-request-id", request_id), *extra]
    if cors is not None:
        headers += cors.headers(request)
    if etag:
        headers += ((b"etag", etag), (b"cache-control", b"no-cache"))
        if is_known(etag, request.get(b"if-none-match")):
            return 304, b"", headers[1:]
    packed = False
    if len(body) >= GZIP_FROM and not plain:
        encoding = b"content-encoding" if framing is None else framing.encoding
        if framing is None:
            headers.append((b"vary", b"accept-encoding"))
        if reply.accepts_gzip(request):
            packed = True
            headers.append((encoding, b"gzip"))
            body = zipped or gzip.compress(body, compresslevel=ZIP_LEVEL, mtime=0)
    if framing is not None:
        body = framing.wrap(body, packed=packed)
    headers.append((b"content-length", b"%d" % len(body)))
    return status, body, headers


def compress(body: bytes) -> Work[bytes]:
    """Compress a large body, with a possible pause after each part of it."""
    compressor = zlib.compressobj(ZIP_LEVEL, wbits=GZIP_FORMAT)
    parts = []
    for start in range(0, len(body), PART_BYTES):
        parts.append(compressor.compress(body[start : start + PART_BYTES]))
        yield
    return b"".join((*parts, compressor.flush()))


def is_known(etag: bytes, known: bytes | None) -> bool:
    """Whether an If-None-Match header covers a tag."""
    if known is None:
        return False
    tags = [tag.strip().removeprefix(b"W/") for tag in known.split(b",")]
    return tags == [b"*"] or etag.removeprefix(b"W/") in tags


def accepts_gzip(accepted: bytes) -> bool:
    """Whether an Accept-Encoding header allows gzip."""
    weights = weights_in(accepted)
    return weights.get(b"gzip", weights.get(b"*", 0.0)) > 0


@lru_cache(maxsize=256)
def weights_in(accepted: bytes) -> Mapping[bytes, float]:
    """The weights in an Accept header, by name; clients send one of a few, so cache them."""
    weights = {}
    for part in accepted.lower().split(b","):
        name, _, weight = part.replace(b" ", b"").partition(b";q=")
        try:
            weights[name] = float(weight) if weight else 1.0
        except ValueError:
            weights[name] = 0.0
    return weights
