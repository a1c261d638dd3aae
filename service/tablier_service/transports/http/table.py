"""The table in the browser: `/`, its view-only frame `/embed`, and the files that they load.

Everything is read and compressed once, when the service starts, and found after the calls. Files
have the hash of their content in their path, so browsers never ask for them again.
"""

from __future__ import annotations

import gzip
from pathlib import PurePosixPath

from tablier_web import CONTENT_TYPES, read_site

from tablier_service.transports.http.cors import Header
from tablier_service.transports.http.replies import GZIP_FROM, Reply, page

PAGE_PATH = "/"
FRAME_PATH = "/embed"
# No inline code, nothing from elsewhere, and no text that becomes markup: the one policy that may
# create markup parses drawings, which the page then copies element by element (drawing.js).
POLICY_BUT_FRAMES = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    b"connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    b"require-trusted-types-for 'script'; trusted-types drawing; frame-ancestors "
)
HEADERS: tuple[Header, ...] = (
    # Links of the page contain games in their fragment, which browsers never send; this also
    # keeps the address itself from other sites.
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
PAGE_HEADERS: tuple[Header, ...] = (
    (b"content-security-policy", POLICY_BUT_FRAMES + b"'none'"),
    *HEADERS,
)
# Any page may show the frame: it asks for no key, and there is nothing in it that a click could do
# on behalf of a person.
FRAME_HEADERS: tuple[Header, ...] = (
    (b"content-security-policy", POLICY_BUT_FRAMES + b"*"),
    *HEADERS,
)
FOR_EVER: Header = (b"cache-control", b"public, max-age=31536000, immutable")


def table_pages() -> dict[str, Reply]:
    """The page and its files, by path."""
    site = read_site()
    html = b"text/html; charset=utf-8"
    return {
        PAGE_PATH: page(site.document, html, *PAGE_HEADERS),
        FRAME_PATH: page(site.frame, html, *FRAME_HEADERS),
        **{path: file_reply(path, content) for path, content in site.files.items()},
    }


def file_reply(path: str, content: bytes) -> Reply:
    """A file that never changes."""
    kind = CONTENT_TYPES[PurePosixPath(path).suffix].encode()
    zipped = gzip.compress(content, mtime=0) if len(content) >= GZIP_FROM else b""
    return Reply(200, content, kind, (FOR_EVER,), zipped=zipped)
