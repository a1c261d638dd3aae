"""Builds all distributions into dist/, and tries them: `make dist`.

For every CPython from 3.11 on PATH, this builds wheels from the sdists, installs them in empty
environments that have no compiler, starts `tablier serve` and plays every game with the client.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
FOLDERS = ("clients/python", ".", "clients/adapters")
OLDEST = 11
NEWEST = 14
UNWANTED = ("PYTHON", "PIP_CONSTRAINT", "TABLIER_", "VIRTUAL_ENV")


def clean_environment() -> dict[str, str]:
    """The environment without what could lead Python or pip to other packages."""
    return {name: text for name, text in os.environ.items() if not name.startswith(UNWANTED)}


def run(*command: str | Path, **variables: str) -> None:
    """Run a command outside the checkout; it must succeed."""
    environment = {**clean_environment(), **variables}
    subprocess.run([str(part) for part in command], cwd=DIST, env=environment, check=True)


def minor_version(name: str) -> int:
    """The minor version in the name of an interpreter, such as python3.12; 0 without one."""
    found = re.fullmatch(r"python3\.(\d+)", name)
    return int(found[1]) if found else 0


def find_pythons() -> dict[int, Path]:
    """The interpreters on PATH by minor version, in all versions that pyenv has installed."""
    environment = clean_environment()
    if shutil.which("pyenv"):
        listed = subprocess.run(
            ["pyenv", "versions", "--bare"], check=True, capture_output=True, text=True
        )
        # Without this, pyenv's commands start only the versions that the user has selected.
        environment["PYENV_VERSION"] = ":".join(listed.stdout.split())
    folders = [Path(folder) for folder in os.get_exec_path() if Path(folder).is_dir()]
    names = {path.name for folder in folders for path in folder.glob("python3.*")}
    found = {}
    for minor, name in sorted((minor_version(name), name) for name in names):
        if minor >= OLDEST:
            asked = subprocess.run(
                [name, "-c", "import sys; print(sys.executable)"],
                env=environment,
                check=False,
                capture_output=True,
                text=True,
            )
            if asked.returncode == 0:
                found[minor] = Path(asked.stdout.strip())
    return found


def new_environment(python: Path, folder: Path, packages: Sequence[str | Path]) -> Path:
    """Install packages in an empty environment without a compiler, and return its programs."""
    run(python, "-m", "venv", folder)
    only_wheels = ("--only-binary", ":all:", "--find-links", DIST)
    run(folder / "bin" / "pip", "install", "-q", *only_wheels, *packages, CC="/bin/false")
    run(folder / "bin" / "pip", "check")
    return folder / "bin"


def try_python(python: Path, sdists: Sequence[Path], version: str) -> None:
    """Build the wheels for one Python, install them and play."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        run(python, "-m", "venv", folder / "build")
        run(folder / "build" / "bin" / "pip", "wheel", "-q", "--no-deps", "-w", DIST, *sdists)
        client = new_environment(python, folder / "client", [f"tablier-client=={version}"])
        service = new_environment(python, folder / "service", [f"tablier=={version}"])
        adapters = [f"tablier-adapters[open-spiel]=={version}"]
        open_spiel = new_environment(python, folder / "adapters", adapters)
        run(service / "tablier", "--version")
        run(client / "python", "-I", ROOT / "release" / "play.py", service / "tablier")
        run(open_spiel / "python", "-I", ROOT / "release" / "play_open_spiel.py")


def main() -> None:
    version = (ROOT / "VERSION").read_text().strip()
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    for folder in FOLDERS:
        # The sdist has no compiled code, so nothing needs to be compiled for it.
        run(sys.executable, "-m", "build", "-s", "-o", DIST, ROOT / folder, TABLIER_BUILD="none")
    sdists = sorted(DIST.glob("*.tar.gz"))
    pythons = find_pythons()
    if not pythons:
        sys.exit("found no Python from 3.11 on PATH")
    for minor, python in pythons.items():
        print(f"Python 3.{minor}: {python}", flush=True)
        try_python(python, sdists, version)
    for minor in range(OLDEST, NEWEST + 1):
        if minor not in pythons:
            print(f"Python 3.{minor}: not on PATH, not tried")
    print(*sorted(path.name for path in DIST.iterdir()), sep="\n")


if __name__ == "__main__":
    main()
