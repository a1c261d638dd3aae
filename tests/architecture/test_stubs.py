"""Generated files are never edited: generating them again gives what is checked in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.architecture.sources import ROOT


def texts(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.suffix in (".py", ".pyi", ".typed")
    }


def test_the_stubs_are_those_of_the_protos(tmp_path: Path):
    # A process of its own: protoc keeps what it has read. Without PATH, as in any shell.
    script = ROOT / "proto" / "generate.py"
    subprocess.run([sys.executable, script, tmp_path], check=True, env={})
    checked_in = texts(ROOT / "clients" / "python" / "tablier")
    assert checked_in
    assert texts(tmp_path / "tablier") == checked_in, "run `make gen`"
