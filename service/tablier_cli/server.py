"""The service that commands call: its address, and how to connect to it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Server:
    """The flags of a connection; the key itself is never one of them."""

    address: str
    # Has the API key in its first line. Without it, the environment variable TABLIER_API_KEY has.
    key_file: Path | None = None
    # Authorities that sign the server's certificate, if not the usual ones.
    ca_file: Path | None = None
    # A certificate of the caller and its private key.
    certificate_file: Path | None = None
    certificate_key_file: Path | None = None
    # Whether to use plain text, also for other machines.
    insecure: bool = False
