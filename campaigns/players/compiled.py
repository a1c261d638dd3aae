"""Opponents written in C, for searches that must be as fast as the engine: compiled when needed."""

from __future__ import annotations

import ctypes
import os
import subprocess
from functools import cache
from hashlib import sha256
from pathlib import Path

SOURCES = Path(__file__).parent
BUILT = Path(__file__).parents[2] / "build" / "players"
FLAGS = ("-O2", "-Wall", "-Wextra", "-shared", "-fPIC")


@cache
def library(name: str) -> ctypes.CDLL:
    """Load a compiled source of this folder; a changed one is compiled first."""
    source = SOURCES / f"{name}.c"
    text = source.read_bytes() + (SOURCES / "contigo.h").read_bytes()
    file = BUILT / f"{name}-{sha256(text).hexdigest()[:16]}.so"
    if not file.exists():
        BUILT.mkdir(parents=True, exist_ok=True)
        # Several processes may start at once: each puts a complete file in its place.
        draft = file.with_suffix(f".{os.getpid()}")
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, *FLAGS, "-o", str(draft), str(source)], check=True)
        draft.replace(file)
    return ctypes.CDLL(str(file))
