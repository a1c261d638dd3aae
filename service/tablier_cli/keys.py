"""`tablier keys new`: a new API key, printed once, and its entry for the callers file."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from hashlib import sha256

import click
from pydantic import ValidationError
from tablier_service.security.authentication import CallerEntry
from tablier_service.security.callers import Role

# Makes leaked keys easy to find, for secret scanners and people.
PREFIX = "tablier_"


def print_new_key(name: str, roles: Sequence[str]) -> None:
    """Print a new key on the first line and its entry for the callers file below."""
    key = PREFIX + secrets.token_urlsafe(32)
    digest = sha256(key.encode()).hexdigest()
    try:
        CallerEntry(name=name, roles=frozenset(map(Role, roles)), key_sha256=(digest,))
    except ValidationError as error:
        raise click.BadParameter(error.errors()[0]["msg"], param_hint="NAME") from None
    listed = ", ".join(f'"{role}"' for role in roles)
    click.echo(key)
    click.echo(
        "\n# Add this to the callers file. The key above is not stored anywhere.\n"
        "[[callers]]\n"
        f'name = "{name}"\n'
        f"roles = [{listed}]\n"
        f'key_sha256 = ["{digest}"]'
    )
