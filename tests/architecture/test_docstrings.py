"""The stubs of the core have the docstrings of the core: editors and the docs site show them."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from tests.architecture.sources import CORE

# The modules of the API reference, docs/api/core.md. The others serve the service alone.
MODULES = ("advice", "codec", "position", "rng", "simulation")


def described(node: Any, thing: object, name: str) -> Iterator[tuple[str, str | None, str | None]]:
    """Yield the name of everything in a stub, its docstring there, and that of the core."""
    yield name, ast.get_docstring(node), docstring(thing)
    for inner in getattr(node, "body", ()):
        if isinstance(inner, ast.ClassDef | ast.FunctionDef) and inner.name != "__init__":
            yield from described(inner, getattr(thing, inner.name), f"{name}.{inner.name}")


def docstring(thing: object) -> str | None:
    """Return the docstring of something compiled, without the signature that Cython adds."""
    text = inspect.cleandoc(thing.__doc__ or "")
    return re.sub(r"\A[\w.]+\(.*\)(\n\n|\Z)", "", text) or None


@pytest.mark.parametrize("name", MODULES)
def test_stubs_have_the_docstrings_of_the_core(name: str):
    module = f"tablier_core.{name}"
    stub = ast.parse((CORE / f"{name}.pyi").read_text(encoding="utf-8"))
    found = list(described(stub, import_module(module), module))
    assert [name for name, text, own in found if own and text != own] == []
    assert [name for name, text, own in found if not text] == []
