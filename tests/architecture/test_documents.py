"""The documentation names only files, targets, calls, errors and packages that exist."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from google.rpc import code_pb2
from tablier_service.errors import CODES, HTTP_STATUS
from tablier_service.observability.metrics import Metrics

from bench.sizing import WAYS
from tests.architecture.protos import http_rule, image, methods, own_files
from tests.architecture.sources import ROOT

PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "core_ext").rglob("rules.*.md"),
    *(ROOT / "clients").glob("*/README.md"),
    *(ROOT / "loadtests").glob("*.md"),
    *(ROOT / "campaigns").glob("*.md"),
    *(ROOT / "examples").glob("*.md"),
]
# Where HTTP has a more precise status than the one of the gRPC code.
FINER = {"TOO_LARGE": 413}
every_page = pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: str(page.relative_to(ROOT)).replace("/", "-")
)


def rows(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading, without backticks."""
    text = (ROOT / page).read_text(encoding="utf-8").split(f"\n## {heading}\n")[1]
    lines = [line for line in text.split("\n## ")[0].splitlines() if line.startswith("|")]
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_architecture_page_names_everything_in_the_repository():
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    top = {path.split("/")[0] for path in listed.splitlines()}
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = {name.split("/")[0] for name in re.findall(r"`([^`\n]+)`", page)}
    assert sorted(top - named) == []


@every_page
def test_links_lead_to_existing_files(page: Path):
    targets = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (page.parent / target).exists()] == []


@every_page
def test_named_files_and_make_targets_exist(page: Path):
    code = re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8"))
    folders = "bench|campaigns|clients|core_ext|deploy|docs|examples|loadtests|proto|release"
    folders += "|service|templates|tests"
    paths = [text for text in code if re.fullmatch(rf"({folders})/[\w./-]*", text)]
    mentioned = [path for path in paths if "my_game" not in path and "my-game" not in path]
    assert [path for path in mentioned if not (ROOT / path).exists()] == []
    known = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    asked = [text.split()[1] for text in code if re.match(r"make [a-z]", text)]
    assert [name for name in asked if name not in known and not name.startswith("apart-")] == []


def test_the_protocol_page_lists_every_error():
    expected = {
        reason: [code_pb2.Code.Name(code), str(FINER.get(reason, HTTP_STATUS[code]))]  # type: ignore[arg-type]
        for reason, code in CODES.items()
    }
    found = {reason: [code, http] for reason, code, http, _ in rows("docs/protocol.md", "Errors")}
    assert found == expected


def test_the_protocol_page_lists_every_call():
    expected = {}
    for file in own_files(image(comments=False)):
        for name, method in methods(file):
            verb, path = http_rule(method) or ("", "none: a stream")
            expected[name.rpartition(".")[2]] = f"{verb.upper()} {path}".strip()
    found = {call.split("`")[0]: route for call, route, _ in rows("docs/protocol.md", "Calls")}
    assert found == expected


def test_the_dependencies_page_explains_every_package():
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").lower()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    client = tomllib.loads((ROOT / "clients" / "python" / "pyproject.toml").read_text())
    groups = project["dependency-groups"].values()
    needed = [
        *project["tool"]["tablier"]["dependencies"],
        *(text for group in groups for text in group if isinstance(text, str)),
        *client["project"]["dependencies"],
    ]
    names = {re.split(r"[<>=]", text)[0].removesuffix("-bin") for text in needed}
    stubs = {name for name in names if name.startswith("types-") or name.endswith("-stubs")}
    assert sorted(name for name in names - stubs if name.lower() not in page) == []


def test_the_protocol_page_lists_the_responsibilities_of_the_caller():
    heading = "Sealed tokens, and what statelessness leaves to you"
    left = " ".join(what for what, how in rows("docs/protocol.md", heading) if how)
    for word in ("rollback", "fork", "replay", "match", "who sits where", "clocks"):
        assert word in left


def test_the_operations_page_lists_every_metric():
    metrics = Metrics()
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8").split("\n## Watching\n")[1]
    documented = set(re.findall(r"\b(?:grpc_server|tablier|process)_\w+", text.split("\n## ")[0]))
    kinds = {"counter": "_total"}
    assert {family.name + kinds.get(family.type, "") for family in metrics.collect()} == documented


def test_the_operations_page_has_a_section_per_task_and_sizing_figures():
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^## (.+)$", page, re.MULTILINE))
    assert headings >= {
        *("Settings", "Sizing", "Starting and stopping", "Who may call", "Sealed tokens"),
        *("Watching", "Traces", "Dashboard", "Kubernetes", "In front of it"),
    }
    # Calls per second and core: filled by `python -m bench.sizing --write`.
    assert f"| call | {' | '.join(WAYS)} |" in page
    figures = [row[1:] for row in rows("docs/operations.md", "Sizing") if row[0].endswith("Moves")]
    assert len(figures) == 2
    assert all(re.fullmatch(r"[\d,]+", figure) for row in figures for figure in row)
