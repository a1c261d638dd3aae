"""Prepares a release in the working tree: `make release VERSION=1.2.3`.

Writes the version, gives the unreleased changes of the changelog their version and date, and stores
the protocol as the baseline that later changes must not break. It commits nothing.
"""

from __future__ import annotations

import re
import sys
from datetime import UTC, date, datetime
from pathlib import Path

from tests.architecture import protos

ROOT = Path(__file__).parent.parent
UNRELEASED = "## [Unreleased]\n"
NEVER_RELEASED = " Nothing has been released yet."
NEXT = """\
Prepared {0}. Next: read `git diff`, run `make lint test dist`, then

    git commit -am "Release {0}" && git tag -a v{0} -m v{0} && git push --follow-tags
"""


class Refused(Exception):
    """This version cannot be released now."""


def check(version: str, current: str) -> None:
    """Raise Refused unless the version is well-formed and not lower than the current one."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise Refused(f"{version!r} is not a version: use three numbers, as in VERSION=1.2.3")
    if [*map(int, version.split("."))] < [*map(int, current.split("."))]:
        raise Refused(f"{version} is lower than the current version, {current}")


def released(changelog: str, version: str, today: date) -> str:
    """The changelog with the unreleased changes under their version."""
    before, heading, after = changelog.partition(UNRELEASED)
    changes = after.split("\n## ")[0].strip()
    if not heading or not changes:
        raise Refused("CHANGELOG.md has no unreleased changes")
    if f"## [{version}]" in changelog:
        raise Refused(f"CHANGELOG.md lists {version} as released already")
    before = before.replace(NEVER_RELEASED, "")
    return f"{before}{UNRELEASED}\n## [{version}] - {today}\n{after}"


def prepare(root: Path, version: str, today: date) -> None:
    """Write a release into the working tree at `root`."""
    check(version, (root / "VERSION").read_text().strip())
    changelog = root / "CHANGELOG.md"
    # All checks come first: a refused release changes nothing.
    text = released(changelog.read_text(encoding="utf-8"), version, today)
    changelog.write_text(text, encoding="utf-8")
    (root / "VERSION").write_text(f"{version}\n")
    (root / protos.BASELINE.relative_to(ROOT)).write_bytes(protos.image(comments=False))


def main() -> None:
    version = sys.argv[1]
    try:
        prepare(ROOT, version, datetime.now(UTC).date())
    except Refused as error:
        sys.exit(str(error))
    print(NEXT.format(version))


if __name__ == "__main__":
    main()
