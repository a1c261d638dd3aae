"""The workflows and forms on GitHub are valid, and workflows only call make targets that exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from release import dist
from tests.architecture.sources import ROOT

GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").iterdir())
FORMS = sorted(set((GITHUB / "ISSUE_TEMPLATE").iterdir()) - {GITHUB / "ISSUE_TEMPLATE/config.yml"})
JOBS: dict[str, Any] = {
    name: job
    for path in WORKFLOWS
    for name, job in yaml.safe_load(path.read_text())["jobs"].items()
}
COMMANDS = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]
SUPPORTED = [f"3.{minor}" for minor in range(dist.OLDEST, dist.NEWEST + 1)]


def validate(schema: str, *paths: Path) -> subprocess.CompletedProcess[str]:
    """Check files with a schema of GitHub that check-jsonschema contains."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    return subprocess.run([*command, *paths], check=False, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        ("github-workflows", WORKFLOWS),
        ("github-issue-forms", FORMS),
        ("github-issue-config", [GITHUB / "ISSUE_TEMPLATE" / "config.yml"]),
    ],
)
def test_is_valid(schema: str, paths: list[Path]) -> None:
    done = validate(schema, *paths)
    assert done.returncode == 0, done.stdout


def test_detects_an_invalid_workflow(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(WORKFLOWS[0].read_text().replace("runs-on:", "runs-at:"))
    assert validate("github-workflows", wrong).returncode == 1


def test_workflows_only_call_make_targets_that_exist() -> None:
    known = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    words = [shlex.split(re.sub(r"\$\{\{.*?\}\}", "x", command)) for command in COMMANDS]
    assert {program for program, *_ in words} == {"make"}
    assert {target for _, target, *_ in words} - set(known) == set()
    assert all(re.match(r"[A-Z]+=", word) for _, _, *rest in words for word in rest)


def test_workflows_cover_everything_that_is_checked() -> None:
    called = {command.split()[1] for command in COMMANDS}
    on_a_clean_checkout = re.findall(r"^make (\S+)$", (ROOT / ".ci" / "run").read_text(), re.M)
    assert {"lint", "test", "docs"} <= set(on_a_clean_checkout)
    others = {
        *("test-client", "browser", "sanitize", "fuzz", "mutants", "manifests"),
        *("dist", "wheels", "audit"),
    }
    assert called == {*on_a_clean_checkout, *others}


def test_workflows_test_every_supported_python_and_system() -> None:
    assert JOBS["test"]["strategy"]["matrix"]["python"] == SUPPORTED
    client = JOBS["client"]["strategy"]["matrix"]
    assert client["system"] == ["ubuntu-latest", "macos-latest", "windows-latest"]
    assert client["python"] == [SUPPORTED[0], SUPPORTED[-1]]


def test_the_pre_commit_configuration_is_valid() -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-config", ".pre-commit-config.yaml"]
    subprocess.run(command, cwd=ROOT, check=True)


def test_everything_names_the_same_home() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    home = project["urls"]["Source"]
    owner = home.split("/")[-2]
    assert f'source="{home}"' in (ROOT / "Dockerfile").read_text()
    assert f"{home}/security" in (GITHUB / "ISSUE_TEMPLATE" / "config.yml").read_text()
    assert f"@{owner}/" in (GITHUB / "CODEOWNERS").read_text()
