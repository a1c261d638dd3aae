"""Headers declare: an inline function has one statement, except in the few kernel headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.sources import CORE, ROOT, files

DECISION = ROOT / "docs" / "adr" / "0011-declarations-in-headers.md"
KERNELS = {
    ROOT / name for name in re.findall(r"^\| `(core_ext/\S+)` \|", DECISION.read_text(), re.M)
}
# Statements, declarations and conditions of a kernel, one per line.
LONGEST_KERNEL = 16
HEADERS = files(CORE, ".pxd")

INLINE = re.compile(r"^cdef inline [^\n]*?(\w+)\((?:[^()]|\([^()]*\))*\)[^\n:]*:[^\n]*\n", re.M)
DOCSTRING = re.compile(r'^\s*""".*?"""', re.S)


def statements(body: str) -> list[str]:
    """The logical lines of a function body, without its docstring and comments."""
    found, depth = [], 0
    for line in DOCSTRING.sub("", body, count=1).splitlines():
        code = line.split("#")[0].strip()
        if not code:
            continue
        if depth == 0:
            found.append(code)
        else:
            found[-1] += f" {code}"
        depth += sum(map(code.count, "([{")) - sum(map(code.count, ")]}"))
    return found


def inline_functions(text: str) -> Iterator[tuple[str, list[str]]]:
    """The inline functions of a header with their statements."""
    for head in INLINE.finditer(text):
        body = re.match(r"(?:[ \t][^\n]*\n?|\n)*", text[head.end() :])
        assert body is not None
        yield head[1], statements(body[0])


def too_long(path: Path) -> Iterator[str]:
    """The inline functions of a header that belong in a .pyx."""
    most = LONGEST_KERNEL if path in KERNELS else 1
    text = path.read_text(encoding="utf-8")
    found = list(inline_functions(text))
    assert len(found) == len(re.findall(r"^\s*cdef inline ", text, re.M)), path
    for name, lines in found:
        if len(lines) > most:
            yield f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}: {name}"


@pytest.mark.parametrize("path", HEADERS, ids=lambda path: str(path.relative_to(CORE)))
def test_a_header_contains_no_implementation(path: Path):
    assert list(too_long(path)) == []


def test_the_kernel_headers_of_the_decision_exist_and_have_kernels():
    assert KERNELS
    for path in KERNELS:
        lengths = [len(lines) for _, lines in inline_functions(path.read_text(encoding="utf-8"))]
        assert max(lengths) > 1, f"{path.name} is no kernel header any more"


def test_a_longer_inline_function_is_found(tmp_path: Path):
    header = tmp_path / "state.pxd"
    header.write_text(
        "cdef inline int one(const State* s) noexcept nogil:\n"
        '    """Explain\n\n    at length."""\n'
        "    # Why.\n"
        "    return (\n        s.a\n        + s.b\n    )\n\n\n"
        "cdef inline void two(\n    State* s, int (*f)(int) noexcept\n) noexcept nogil:\n"
        "    s.a = 1\n"
        "    s.b = f(2)\n\n\n"
        "cdef int declared(int a) noexcept nogil\n"
    )
    assert [found.rpartition(": ")[2] for found in too_long(header)] == ["two"]
