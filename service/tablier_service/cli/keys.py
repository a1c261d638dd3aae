"""`tablier keys new`: an API key, shown once, and the entry that lets its holder in."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from hashlib import sha256

import click

# Found by scanners of leaked secrets, and by people in their own files.
PREFIX = "tablier_"


def print_new_key(name: str, roles: Sequence[str]) -> None:
    """Print a new key on the first line, and below it what belongs into the file of callers."""
    key = PREFIX + secrets.token_urlsafe(32)
    listed = ", ".join(f'"{role}"' for role in roles)
    click.echo(key)
    click.echo(
        "\n# For the callers file; the key above is not stored anywhere.\n"
        "[[callers]]\n"
        f'name = "{name}"\n'
        f"roles = [{listed}]\n"
        f'key_sha256 = ["{sha256(key.encode()).hexdigest()}"]'
    )
