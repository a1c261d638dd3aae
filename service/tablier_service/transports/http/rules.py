"""The pages for players in a browser: `/rules`, and `/rules/contract` for each game.

They need no script and load nothing from elsewhere. A page is made at its first request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from html import escape
from itertools import pairwise
from urllib.parse import parse_qs

from markdown_it import MarkdownIt
from markdown_it.token import Token
from tablier_core.errors import UnknownGame
from tablier_core.languages import LANGUAGES, catalogue
from tablier_core.position import Game
from tablier_core.rulebook import Picture, read_page, read_source, read_title, write_page

from tablier_service.calls.language import ACCEPT_LANGUAGE, choose_language
from tablier_service.errors import UnknownRoute
from tablier_service.transports.http.call import failure
from tablier_service.transports.http.cors import Header
from tablier_service.transports.http.replies import Reply, page
from tablier_service.transports.http.request import PageRequest

STYLE_PATH = "/rules/style.css"
HTML = b"text/html; charset=utf-8"
CSS = b"text/css; charset=utf-8"
SVG = b"image/svg+xml"
POLICY = (
    b"default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    # The table shows the rules next to the board.
    b"frame-ancestors 'self'"
)
# A picture that is opened by itself can do nothing.
PICTURE_POLICY = b"default-src 'none'; style-src 'unsafe-inline'; sandbox"
# The pages have no HTML in them; if one had, it would be shown as text.
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
PAGE = """<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="stylesheet" href="{style}">
{alternates}
</head>
<body>
<nav>{links}</nav>
<main>
{content}</main>
</body>
</html>
"""
STYLE = b"""\
:root {
  --ink: #2b2622; --paper: #fdfaf4; --quiet: #6d6358;
  --line: #d8ccb4; --code: #f1e9da; --link: #1f5f8b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e9e2d6; --paper: #1d1a17; --quiet: #a89d8f;
    --line: #4a433b; --code: #2b2622; --link: #7fb8e0;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1rem; max-width: 46rem;
  color: var(--ink); background: var(--paper); font: 1.0625rem/1.55 system-ui, sans-serif;
}
a { color: var(--link); }
nav { display: flex; flex-wrap: wrap; gap: 0 1rem; color: var(--quiet); }
h1, h2, h3 { line-height: 1.2; margin: 1.8em 0 0.6em; }
h1 { margin-top: 0.8em; }
code {
  background: var(--code); border-radius: 3px; padding: 0.1em 0.3em;
  font: 0.9em ui-monospace, monospace;
}
pre { background: var(--code); border-radius: 6px; padding: 0.8rem 1rem; overflow-x: auto; }
pre code { padding: 0; }
table { display: block; overflow-x: auto; border-collapse: collapse; margin: 1em 0; }
th, td {
  border-bottom: 1px solid var(--line); padding: 0.35em 0.9em 0.35em 0;
  text-align: left; vertical-align: top;
}
img { display: block; max-width: 100%; height: auto; margin: 1.2em auto; }
"""


def rules_pages(
    games: Mapping[str, Game], table: bool
) -> dict[str, Reply | Callable[[PageRequest], Reply]]:
    """The list of games, the rules of each, and what these load, by path.

    The pages link to the table, if there is one.
    """
    write_list = cache(partial(list_page, tuple(games.values()), table=table))
    write_rules, draw_pictures = cache(partial(game_page, table=table)), cache(pictures)

    def show_list(request: PageRequest) -> Reply:
        return write_list(language_of(request))

    def show_rules(request: PageRequest) -> Reply:
        game = games.get(request.values["game"])
        return unknown_game() if game is None else write_rules(game, language_of(request))

    def show_picture(request: PageRequest) -> Reply:
        game = games.get(request.values["game"])
        if game is None:
            return unknown_game()
        found = draw_pictures(game, language_of(request)).get(request.values["picture"])
        return found or failure(UnknownRoute("", "the rules have no such picture"))

    return {
        "/rules": show_list,
        STYLE_PATH: page(STYLE, CSS),
        "/rules/{game}": show_rules,
        "/rules/{game}/{picture}": show_picture,
    }


def unknown_game() -> Reply:
    """The reply for a game that does not exist."""
    return failure(UnknownGame("game", "unknown game; /rules lists all games"))


def language_of(request: PageRequest) -> str:
    """The language that the address of a page names, or else the best one for the browser."""
    named = parse_qs(request.query.decode("latin-1")).get("lang", [""])[0]
    accepted = request.headers.get(ACCEPT_LANGUAGE.encode(), b"").decode("latin-1")
    return choose_language(named or accepted)


def list_page(games: Sequence[Game], language: str, table: bool) -> Reply:
    """The page with all games."""
    texts = catalogue(language)
    title = texts.gettext("How to play")
    entries = [
        f'<li><a href="/rules/{game.name}?lang={language}">{escape(read_title(game, language))}</a>'
        f"<br>{escape(texts.gettext(game.summary))}</li>\n"
        for game in games
    ]
    content = f"<h1>{escape(title)}</h1>\n<ul>\n{''.join(entries)}</ul>\n"
    return html_page("/rules", language, title, content, table)


def game_page(game: Game, language: str, table: bool) -> Reply:
    """The page with the rules of a game."""
    source = write_page(game, language, lambda picture: link_picture(game, picture, language))
    tokens = MARKDOWN.parse(source)
    for token, heading in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchor(heading))
    content = MARKDOWN.renderer.render(tokens, MARKDOWN.options, {})
    title = read_title(game, language)
    return html_page(f"/rules/{game.name}", language, title, content, table)


def link_picture(game: Game, picture: Picture, language: str) -> str:
    """A picture as Markdown."""
    return f"![{picture.description}](/rules/{game.name}/{picture.file}?lang={language})"


def anchor(heading: Token) -> str:
    """The name of a heading in links, as GitHub and the docs site form it."""
    kept = [each for each in heading.content.lower() if each.isalnum() or each in " -_"]
    return "".join(kept).replace(" ", "-")


def pictures(game: Game, language: str) -> dict[str, Reply]:
    """The pictures of a game's rules, by file."""
    headers: tuple[Header, ...] = (
        (b"content-security-policy", PICTURE_POLICY),
        (b"vary", ACCEPT_LANGUAGE.encode()),
    )
    return {
        part.file: page(part.svg(language).encode(), SVG, *headers)
        for part in read_page(game, read_source(game, language))
        if isinstance(part, Picture)
    }


def html_page(path: str, language: str, title: str, content: str, table: bool) -> Reply:
    """A page with its head, and with links to other pages and to the other languages."""
    texts = catalogue(language)
    addresses = {other: f"{path}?lang={other}" for other in LANGUAGES}
    all_games = escape(texts.gettext("All games"))
    links = [f'<a href="/rules?lang={language}">{all_games}</a>', '<a href="/docs">API</a>']
    if table:
        links.insert(0, '<a href="/">Tablier</a>')
    for other, address in addresses.items():
        if other != language:
            # Translators: the name of the language of the catalogue, in that language.
            name = escape(catalogue(other).gettext("English"))
            links.append(f'<a href="{address}" hreflang="{other}" lang="{other}">{name}</a>')
    alternates = [
        f'<link rel="alternate" hreflang="{other}" href="{address}">'
        for other, address in addresses.items()
    ]
    body = PAGE.format(
        language=language,
        title=escape(f"{title} · Tablier"),
        style=STYLE_PATH,
        alternates="\n".join(alternates),
        links=" ".join(links),
        content=content,
    )
    headers: tuple[Header, ...] = (
        (b"content-security-policy", POLICY),
        (b"content-language", language.encode()),
        (b"vary", ACCEPT_LANGUAGE.encode()),
    )
    return page(body.encode(), HTML, *headers)
