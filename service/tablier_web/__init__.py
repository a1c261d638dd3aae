"""The table in the browser: the files of the page, which the HTTP transport serves as they are.

The page is for every game and uses only the public REST API. There is no build step: the files are
served as they are, without the comments, which are for readers of the repository. `read_site` puts
them below a folder that is named after their content, so that browsers can keep them.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).with_name("page")
# Below it, a folder named after the content of all files; then the files.
ROOT = "/table"
CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
LANGUAGES = "languages"
# Comments on lines of their own. Others, and those of libraries, which may be licences, stay.
COMMENT = re.compile(rb"^[ \t]*(?:/\*(?:(?!\*/).)*\*/|//[^\n]*)[ \t]*$", re.MULTILINE | re.DOTALL)
# Types of expressions, which only the checks of the sources read.
TYPE = re.compile(rb"/\*\* @type [^*\n]*\*/ ?")
COMMENTED = (".css", ".js")
VENDOR = "vendor/"
# What only the frame for other pages loads.
FRAME_MODULE = "frame.js"


class Site(NamedTuple):
    """The page and its files."""

    # The document, which names the files.
    document: bytes
    # The document for frames in other pages, which only shows a game.
    frame: bytes
    # The files that it loads, by path on the service.
    files: dict[str, bytes]


def read_files() -> dict[str, bytes]:
    """Every file that the page loads, by its path in the folder `page`."""
    found = sorted(path for path in PAGE.rglob("*") if path.suffix in CONTENT_TYPES)
    named = {path.relative_to(PAGE).as_posix(): path.read_bytes() for path in found}
    return {
        name: without_comments(content)
        if name.endswith(COMMENTED) and not name.startswith(VENDOR)
        else content
        for name, content in named.items()
    }


def without_comments(content: bytes) -> bytes:
    """Leave out comments, but keep empty lines for them: errors name the lines of the source."""
    lines = COMMENT.sub(lambda comment: b"\n" * comment[0].count(b"\n"), content)
    return TYPE.sub(b"", lines)


def read_site() -> Site:
    """Read the page once; its documents name the languages, and the table preloads its modules."""
    files = read_files()
    digest = blake2b(digest_size=8)
    for name, content in files.items():
        digest.update(b"%s %d\n" % (name.encode(), len(content)))
        digest.update(content)
    root = f"{ROOT}/{digest.hexdigest()}"
    languages = " ".join(Path(name).stem for name in files if name.startswith(LANGUAGES))
    preloads = [
        f'<link rel="modulepreload" href="{root}/{name}">'
        for name in files
        if name.endswith(".js") and not name.startswith(LANGUAGES) and name != FRAME_MODULE
    ]

    def document(name: str) -> bytes:
        text = PAGE.joinpath(name).read_text(encoding="utf-8")
        text = text.replace("@root@", root).replace("@languages@", languages)
        return text.replace("<!-- modules -->", "\n".join(preloads)).encode()

    named = {f"{root}/{name}": content for name, content in files.items()}
    return Site(document("index.html"), document("frame.html"), named)
