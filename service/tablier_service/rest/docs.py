"""The OpenAPI document in a browser: Swagger UI, served from here and asking nobody else."""

from __future__ import annotations

from importlib.resources import files

from tablier_service.rest.replies import Reply, page

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
<div id="document"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""
# A file, as the policy below allows no script in the page. The validator would be another host's.
START = b"""SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#document",
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
"""
# The page can reach this service alone. Swagger UI sets elements' styles and has icons inline.
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


def docs_pages() -> dict[str, Reply]:
    """The page and what it loads, by path."""
    static = files("swagger_ui").joinpath("static")
    html = b"text/html; charset=utf-8"
    return {
        "/docs": page(PAGE, html, (b"content-security-policy", POLICY)),
        "/docs/start.js": page(START, JAVASCRIPT),
        **{
            f"/docs/{name}": page(static.joinpath(name).read_bytes(), kind)
            for name, kind in FILES.items()
        },
    }
