from collections.abc import Mapping
from typing import Any

ops: object

def pack_options(values: Mapping[str, object]) -> bytes:
    """Fill the options struct from checked values; what is left to the table is looked up."""

def facts(packed: bytes) -> dict[str, Any]:
    """Everything that a packed state says, by name."""

def count_worlds(packed: bytes, viewer: int) -> int:
    """In how many ways the box can have gone round, by all that a viewer knows."""

def suspect(packed: bytes, viewer: int) -> list[dict[str, float]]:
    """By seat after the Godfather's: the chance of each take, by what a viewer knows and heard."""
