"""`tablier rules`: how to play a game, in the terminal."""

from __future__ import annotations

import click
from rich.console import Console
from rich.markdown import Markdown
from rich.theme import Theme
from tablier_client import TablierError

from tablier_cli.arguments import command_error, find_game
from tablier_cli.backend import open_backend
from tablier_cli.server import Server

# A page in a wide terminal is hard to read.
WIDEST = 100
# Without a background, which would be wrong in a light or in a dark terminal.
STYLES = {"markdown.code": "bold cyan"}


def show_rules(name: str, language: str, server: Server | None) -> None:
    """Print the rules of a game: Markdown into a pipe, else formatted, and in a pager if long."""
    if server is None:
        find_game(name)
    try:
        with open_backend(server) as backend:
            page = backend.send(backend.calls.rules(name, language=language))
    except TablierError as error:
        raise command_error(error) from None
    print_page(page)


def print_page(page: str) -> None:
    """Print a page in Markdown."""
    console = Console()
    if not console.is_terminal:
        click.echo(page, nl=False)
        return
    console = Console(width=min(console.width, WIDEST), theme=Theme(STYLES))
    with console.capture() as formatted:
        # Links lead to other places in the page, which a terminal cannot follow.
        console.print(Markdown(page, code_theme="ansi_dark", hyperlinks=False))
    text = formatted.get()
    if text.count("\n") < console.height:
        click.echo(text, nl=False)
    else:
        click.echo_via_pager(text, color=True)
