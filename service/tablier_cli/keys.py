"""`tablier keys`: new API keys with their entries for the callers file, and new seal keys."""

from __future__ import annotations

import base64
import os
import secrets
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import click
from pydantic import ValidationError
from tablier_service.observability.metrics import Metrics
from tablier_service.security.authentication import Authentication, CallerEntry
from tablier_service.security.callers import Role
from tablier_service.security.sealing import KEY_BYTES, read_keys

# Makes leaked keys easy to find, for secret scanners and people.
PREFIX = "tablier_"
# The numbers of seal keys.
NUMBERS = range(256)


def print_new_key(name: str, roles: Sequence[str], callers_file: Path | None) -> None:
    """Print a new key, and add its entry to the callers file, or print that as well."""
    key = PREFIX + secrets.token_urlsafe(32)
    digest = sha256(key.encode()).hexdigest()
    try:
        CallerEntry(name=name, roles=frozenset(map(Role, roles)), key_sha256=(digest,))
    except ValidationError as error:
        raise click.BadParameter(error.errors()[0]["msg"], param_hint="NAME") from None
    listed = ", ".join(f'"{role}"' for role in roles)
    entry = f'[[callers]]\nname = "{name}"\nroles = [{listed}]\nkey_sha256 = ["{digest}"]\n'
    if callers_file is None:
        click.echo(key)
        click.echo("\n# Add this to the callers file. The key above is not stored anywhere.")
        click.echo(entry, nl=False)
        return
    content = content_of(callers_file)
    try:
        Authentication(Metrics()).read_callers(f"{content}\n{entry}".encode())
    except ValueError as error:
        raise bad_file(callers_file, error) from None
    append(callers_file, entry, content)
    click.echo(key)


def make_seal_key(keys_file: Path | None) -> None:
    """Print a new seal key, or add it to a file as the last one."""
    content = content_of(keys_file) if keys_file else ""
    try:
        used = read_keys(content) if content.strip() else {}
    except ValueError as error:
        raise bad_file(keys_file, error) from None
    # A number that was never used, if possible: tokens name the number of their key.
    free = [number for number in NUMBERS if number not in used]
    if not free:
        raise click.ClickException(f"{keys_file} has a key for every number; remove old ones")
    last = max(used, default=0)
    number = last + 1 if last + 1 in free else free[0]
    line = f"{number}:{base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode()}\n"
    if keys_file is None:
        click.echo(line, nl=False)
        return
    append(keys_file, line, content)
    does = "opens tokens; move it to the first line to seal with it" if used else "seals tokens"
    click.echo(f"{keys_file}: added key {number}, which {does}.")


def content_of(path: Path) -> str:
    """The text of a file; empty if there is no file."""
    try:
        return path.read_text()
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        raise bad_file(path, error) from None


def append(path: Path, lines: str, content: str) -> None:
    """Add lines to a file with this content at once; only the owner can read a new file."""
    finished = not content or content.endswith("\n")
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w") as file:
            file.write(lines if finished else f"\n{lines}")
    except OSError as error:
        raise bad_file(path, error) from None


def bad_file(path: Path | None, error: Exception) -> click.ClickException:
    """Make the error for a file that cannot be used."""
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return click.ClickException(f"{path} cannot be used: {reason}")
