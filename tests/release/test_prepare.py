"""`make release` writes the version, the changelog and the protocol baseline."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import pytest

from release.prepare import Refused, prepare
from tests.architecture import protos
from tests.architecture.sources import ROOT

TODAY = date(2030, 1, 2)
CHANGELOG = """\
# Changelog

The format is plain. Nothing has been released yet.

## [Unreleased]

### Added

- Everything.
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A working tree with one unreleased change, and another protocol in its baseline."""
    (tmp_path / "VERSION").write_text("0.9.0\n")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    baseline = tmp_path / protos.BASELINE.relative_to(ROOT)
    baseline.parent.mkdir(parents=True)
    baseline.write_bytes(b"old")
    return tmp_path


def content(tree: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in tree.rglob("*") if path.is_file()}


def test_writes_version_changelog_and_baseline(tree: Path) -> None:
    prepare(tree, "1.0.0", TODAY)
    assert (tree / "VERSION").read_text() == "1.0.0\n"
    assert (tree / "CHANGELOG.md").read_text() == (
        "# Changelog\n\nThe format is plain.\n\n## [Unreleased]\n\n"
        "## [1.0.0] - 2030-01-02\n\n### Added\n\n- Everything.\n"
    )
    baseline = tree / protos.BASELINE.relative_to(ROOT)
    assert baseline.read_bytes() == protos.image(comments=False)


def test_the_next_release_comes_above_the_last_one(tree: Path) -> None:
    prepare(tree, "1.0.0", TODAY)
    changelog = tree / "CHANGELOG.md"
    text = changelog.read_text()
    changelog.write_text(text.replace("## [Unreleased]\n", "## [Unreleased]\n\n- More.\n"))
    prepare(tree, "1.1.0", date(2030, 3, 4))
    headings = [line for line in changelog.read_text().splitlines() if line.startswith("## ")]
    assert headings == [
        "## [Unreleased]",
        "## [1.1.0] - 2030-03-04",
        "## [1.0.0] - 2030-01-02",
    ]


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("", "use three numbers"),
        ("1.0", "use three numbers"),
        ("v1.0.0", "use three numbers"),
        ("0.8.9", "lower than the current version"),
    ],
)
def test_refuses_a_wrong_version_and_changes_nothing(
    tree: Path, version: str, message: str
) -> None:
    before = content(tree)
    with pytest.raises(Refused, match=message):
        prepare(tree, version, TODAY)
    assert content(tree) == before


def test_refuses_a_release_without_changes(tree: Path) -> None:
    prepare(tree, "1.0.0", TODAY)
    before = content(tree)
    with pytest.raises(Refused, match="no unreleased changes"):
        prepare(tree, "1.1.0", TODAY)
    assert content(tree) == before


def test_the_changelog_of_this_project_can_be_released(tree: Path) -> None:
    shutil.copy(ROOT / "CHANGELOG.md", tree)
    shutil.copy(ROOT / "VERSION", tree)
    prepare(tree, "99.0.0", TODAY)
    text = (tree / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]\n\n## [99.0.0] - 2030-01-02\n" in text
