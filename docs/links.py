"""Checks the links of the built site: `python -m docs.links build/docs`.

A link within the site must lead to a file, and to an element in it if it names one. Other links
are not followed, because the build works offline; they must be well-formed https addresses, or
addresses of this machine.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOCAL = ("127.0.0.1", "localhost")


class Page(HTMLParser):
    """What a page links to, and what links can lead to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the links and names of an element."""
        for name, value in attrs:
            if name in ("href", "src") and tag != "base":
                self.links.append(value or "")
            elif name in ("id", "name"):
                self.names.add(value or "")


@cache
def read(path: Path) -> Page:
    """Read a page once."""
    return Page(path.read_text("utf-8"))


def leads_somewhere(page: Path, link: str) -> bool:
    """Return whether a link of a page is right, as far as this can be known offline."""
    target = urlsplit(link)
    if target.scheme == "data":
        return True
    if target.scheme or target.netloc:
        host = target.hostname or ""
        return (target.scheme == "https" and "." in host) or host in LOCAL
    path = (page.parent / unquote(target.path)) if target.path else page
    if not path.is_file():
        return False
    # Other files, such as pictures, have no elements to lead to.
    return path.suffix != ".html" or unquote(target.fragment) in read(path).names


def broken(site: Path) -> Iterator[str]:
    """Yield the links of a site that lead nowhere, with their pages."""
    for page in sorted(site.rglob("*.html")):
        for link in dict.fromkeys(read(page).links):
            if not leads_somewhere(page, link):
                yield f"{page.relative_to(site)}: {link}"


def main() -> None:
    """Check the site in the folder that the command line names."""
    site = Path(sys.argv[1])
    pages = len(list(site.rglob("*.html")))
    if not pages:
        sys.exit(f"{site} has no pages")
    found = list(broken(site))
    if found:
        sys.exit("links that lead nowhere:\n" + "\n".join(found))
    sys.stdout.write(f"the links of {pages} pages are right\n")


if __name__ == "__main__":
    main()
