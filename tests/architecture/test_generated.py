"""What is generated from the protos is what is checked in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in (folder / "tablier").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_generated_files_are_those_of_the_protos(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "proto" / "generate.py", tmp_path], check=True)
    made, kept = contents(tmp_path), contents(ROOT / "clients" / "python")
    assert made.keys() == kept.keys()
    assert [name for name in made if made[name] != kept[name]] == []
