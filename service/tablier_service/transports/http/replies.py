"""What the REST door sends: bodies, their headers, and how they shrink or are left out."""

from __future__ import annotations

import gzip
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

JSON = b"application/json"
# Below this, compressing costs more time than it saves on any network.
GZIP_FROM = 4096

Header = tuple[bytes, bytes]


class Reply(NamedTuple):
    """An answer before it meets the request's wishes."""

    status: int
    body: bytes
    content_type: bytes = JSON
    headers: tuple[Header, ...] = ()
    # Set for what GET reads: asked for again, it need not be sent if it is still the same.
    etag: bytes = b""
    # The body's compressed form where that was made beforehand.
    zipped: bytes = b""


def page(body: bytes, content_type: bytes, *headers: Header, etag: bytes = b"") -> Reply:
    """An answer that never changes, compressed once; its tag is of its body, or is given."""
    zipped = gzip.compress(body, mtime=0) if len(body) >= GZIP_FROM else b""
    return Reply(200, body, content_type, headers, etag or etag_of(body), zipped)


def etag_of(body: bytes) -> bytes:
    """A weak tag, as one body has two encodings."""
    return b'W/"%s"' % blake2b(body, digest_size=8).hexdigest().encode()


def fit(
    reply: Reply, request: dict[bytes, bytes], request_id: bytes
) -> tuple[int, bytes, list[Header]]:
    """The status, body and headers of a reply to a request with these headers."""
    status, body, content_type, extra, etag, zipped = reply
    headers = [(b"content-type", content_type), (b"x-request-id", request_id), *extra]
    if etag:
        headers += ((b"etag", etag), (b"cache-control", b"no-cache"))
        if is_known(etag, request.get(b"if-none-match")):
            return 304, b"", headers[1:]
    if len(body) >= GZIP_FROM:
        headers.append((b"vary", b"accept-encoding"))
        if accepts_gzip(request.get(b"accept-encoding", b"")):
            headers.append((b"content-encoding", b"gzip"))
            body = zipped or gzip.compress(body, compresslevel=1, mtime=0)
    headers.append((b"content-length", b"%d" % len(body)))
    return status, body, headers


def is_known(etag: bytes, known: bytes | None) -> bool:
    """Whether the tags of an If-None-Match cover this one."""
    if known is None:
        return False
    tags = [tag.strip().removeprefix(b"W/") for tag in known.split(b",")]
    return tags == [b"*"] or etag.removeprefix(b"W/") in tags


@lru_cache(maxsize=256)
def accepts_gzip(accepted: bytes) -> bool:
    """Whether an Accept-Encoding allows gzip; clients send one of a few, so remember them."""
    weights = {}
    for part in accepted.lower().split(b","):
        name, _, weight = part.replace(b" ", b"").partition(b";q=")
        try:
            weights[name] = float(weight) if weight else 1.0
        except ValueError:
            weights[name] = 0.0
    return weights.get(b"gzip", weights.get(b"*", 0.0)) > 0
