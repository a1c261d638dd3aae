"""Reads the sources of the project for the architecture tests: files, imports and strings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
CORE = ROOT / "core_ext" / "tablier_core"
SERVICE = ROOT / "service" / "tablier_service"
CLI = ROOT / "service" / "tablier_cli"
CYTHON_IMPORT = re.compile(
    r"^\s*(?:from\s+(?P<module>[\w.]+)\s+c?import\s+(?P<names>\([^)]*\)|[^\n]*)"
    r"|c?import\s+(?P<whole>[\w.]+))",
    re.MULTILINE,
)


def files(folder: Path, *suffixes: str) -> list[Path]:
    """Return the files below a folder that have one of the suffixes."""
    return sorted(path for path in folder.rglob("*") if path.suffix in suffixes)


def imports(path: Path) -> set[str]:
    """Return the full names of everything that a source imports; `from a import b` is a.b."""
    text = path.read_text(encoding="utf-8")
    return set(python_imports(text) if path.suffix in (".py", ".pyi") else cython_imports(text))


def python_imports(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            # Every package of this project imports by full name.
            assert node.level == 0, "a relative import"
            yield from (f"{node.module}.{name.name}" for name in node.names)


def cython_imports(text: str) -> Iterator[str]:
    for found in CYTHON_IMPORT.finditer(text):
        if found["whole"]:
            yield found["whole"]
        else:
            names = re.findall(r"[\w*]+", found["names"].split("#")[0])
            yield from (f"{found['module']}.{name}" for name in names)


def is_in(name: str, *modules: str) -> bool:
    """Return whether an imported name is one of the modules or belongs to one."""
    return any(name == module or name.startswith(f"{module}.") for module in modules)


def strings(path: Path) -> Iterator[str]:
    """Yield the string literals of a source."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
    else:
        yield from re.findall(r'b?"([^"\n]*)"', text)
