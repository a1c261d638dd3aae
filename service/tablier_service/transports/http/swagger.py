"""Swagger UI, which shows the OpenAPI document in a browser without loading anything elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path

from tablier_service.transports.http.replies import Reply, etag_of, page
from tablier_service.transports.http.request import PageRequest

PAGE = b"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tablier</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<p>@table@<a href="/rules">Rules</a></p>
<div id="document"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""
# A file of its own, as the policy below forbids inline scripts. The validator is on another host.
START = b"""SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#document",
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
"""
# The page can only reach this service. Swagger UI sets styles of elements and has inline icons.
POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    b"img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    b"frame-ancestors 'none'"
)
JAVASCRIPT = b"text/javascript; charset=utf-8"
FILES = {
    "swagger-ui-bundle.js": JAVASCRIPT,
    "swagger-ui.css": b"text/css; charset=utf-8",
    "favicon-32x32.png": b"image/png",
}


def swagger_pages(table: bool) -> dict[str, Reply | Callable[[PageRequest], Reply]]:
    """The page and the files that it loads, by path; it links to the table if there is one."""
    link = b'<a href="/">Table</a> ' if table else b""
    html = b"text/html; charset=utf-8"
    return {
        "/docs": page(PAGE.replace(b"@table@", link), html, (b"content-security-policy", POLICY)),
        "/docs/start.js": page(START, JAVASCRIPT),
        **{f"/docs/{name}": partial(show_file, name) for name in FILES},
    }


def show_file(name: str, request: PageRequest) -> Reply:
    """A file of Swagger UI."""
    return static_page(name)


@cache
def static_page(name: str) -> Reply:
    """A file of Swagger UI, read at the first request: most services never show it."""
    # Importing the package would load its own server, which is not used here.
    package = find_spec("swagger_ui")
    assert package is not None
    assert package.origin is not None
    content = Path(package.origin).with_name("static").joinpath(name).read_bytes()
    # Not compressed here, which would take a tenth of a second.
    return Reply(200, content, FILES[name], etag=etag_of(content))
