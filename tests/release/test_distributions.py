"""The distributions contain what they should, have one version, and leave nothing behind."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from email.parser import BytesParser
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest
from build import ProjectBuilder

from release import dist
from tests.architecture.sources import ROOT

VERSION = (ROOT / "VERSION").read_text().strip()
NAMES = {".": "tablier", "clients/python": "tablier_client", "clients/adapters": "tablier_adapters"}
# Written by the tools that build sdists.
WRITTEN = ("PKG-INFO", "setup.cfg", "tablier.egg-info/*", ".gitignore")


def tracked(*folders: str) -> set[str]:
    """The files of the repository below some folders, including new ones."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *folders],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return {name for name in listed.splitlines() if (ROOT / name).exists()}


def copy(folder: Path, *names: str) -> Path:
    """Copy files of the repository, so that a build cannot find or leave anything else."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def sdists(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sdist of every distribution, unpacked, by the folder of its sources."""
    clone = copy(tmp_path_factory.mktemp("clone"), *tracked("."))
    built = tmp_path_factory.mktemp("sdists")
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TABLIER_BUILD", "none")
        for folder, name in NAMES.items():
            path = ProjectBuilder(clone / folder).build("sdist", built)
            with tarfile.open(path) as archive:
                archive.extractall(built, filter="data")
            found[folder] = built / f"{name}-{VERSION}"
    return found


@pytest.fixture(scope="module")
def wheels(sdists: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, ZipFile]:
    """The wheel that every sdist gives; that of the core is not compiled here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TABLIER_BUILD", "none")
        target = tmp_path_factory.mktemp("wheels")
        return {
            folder: ZipFile(ProjectBuilder(sdist).build("wheel", target))
            for folder, sdist in sdists.items()
        }


def content(sdist: Path) -> set[str]:
    """The files of an sdist that come from the repository."""
    files = {str(path.relative_to(sdist)) for path in sdist.rglob("*") if path.is_file()}
    return {name for name in files if not any(fnmatch(name, pattern) for pattern in WRITTEN)}


def test_the_sdist_of_the_service_has_all_sources(sdists: dict[str, Path]) -> None:
    needed = {"LICENSE", "MANIFEST.in", "README.md", "THIRD_PARTY.md", "VERSION"}
    needed |= {"pyproject.toml", "setup.py"} | tracked("core_ext", "service")
    assert content(sdists["."]) == needed
    assert sum(name.endswith(".pyx") for name in needed) > 50


@pytest.mark.parametrize("folder", ["clients/python", "clients/adapters"])
def test_the_sdists_of_the_clients_have_all_sources(sdists: dict[str, Path], folder: str) -> None:
    needed = {str(Path(name).relative_to(folder)) for name in tracked(folder)}
    assert content(sdists[folder]) == needed


def test_wheels_have_all_modules_and_data(wheels: dict[str, ZipFile]) -> None:
    for folder, roots in {
        ".": ("core_ext", "service"),
        "clients/python": ("clients/python",),
        "clients/adapters": ("clients/adapters",),
    }.items():
        packed = {name for name in wheels[folder].namelist() if ".dist-info/" not in name}
        for root in roots:
            sources = {str(Path(name).relative_to(root)) for name in tracked(root)}
            # Files directly in the folder are about the distribution, not part of a package.
            needed = {name for name in sources if "/" in name}
            assert sorted(needed - packed - {n for n in needed if n.endswith((".pyx", ".c"))}) == []


def test_wheels_have_the_licence_and_the_notices(wheels: dict[str, ZipFile]) -> None:
    for folder, name in NAMES.items():
        licences = f"{name}-{VERSION}.dist-info/licenses"
        assert wheels[folder].read(f"{licences}/LICENSE") == (ROOT / "LICENSE").read_bytes()
    notices = wheels["."].read(f"tablier-{VERSION}.dist-info/licenses/THIRD_PARTY.md").decode()
    assert notices == (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")


def test_the_notices_are_about_the_swagger_ui_that_is_installed() -> None:
    package = find_spec("swagger_ui")
    assert package is not None
    assert package.origin is not None
    bundle = Path(package.origin).parent / "static" / "swagger-ui-bundle.js"
    (version,) = re.findall(r'PACKAGE_VERSION:"([\d.]+)"', bundle.read_text(encoding="utf-8"))
    notices = (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")
    assert f"**Swagger UI {version}**" in notices


def test_all_distributions_have_the_same_version(wheels: dict[str, ZipFile]) -> None:
    needed = {}
    for folder, name in NAMES.items():
        text = wheels[folder].read(f"{name}-{VERSION}.dist-info/METADATA")
        metadata = BytesParser().parsebytes(text)
        assert metadata["Version"] == VERSION
        needed[folder] = metadata.get_all("Requires-Dist", [])
    assert f"tablier-client=={VERSION}" in needed["."]
    assert f"tablier=={VERSION}" in needed["clients/adapters"]


def test_the_version_is_in_one_place() -> None:
    for folder in NAMES:
        project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]
        assert "version" in project["dynamic"]
    places = ("*.toml", "*.yaml", "*.py", "*.md", "Dockerfile", "Makefile")
    # Other packages may have the same version.
    ours = re.compile(rf"(tablier\S*(==|:)|version = .|newTag: ){re.escape(VERSION)}\b")
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in tracked(*places)}
    assert [name for name, text in texts.items() if ours.search(text)] == []


def test_all_distributions_name_their_home_and_their_pythons() -> None:
    homes = set()
    for folder in NAMES:
        project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]
        homes.add(project["urls"]["Source"])
        for minor in range(dist.OLDEST, dist.NEWEST + 1):
            assert f"Programming Language :: Python :: 3.{minor}" in project["classifiers"]
        assert project["requires-python"] == f">=3.{dist.OLDEST}"
    assert len(homes) == 1


def test_sources_without_cython_files_are_an_error(tmp_path: Path) -> None:
    copy(tmp_path, "setup.py", "pyproject.toml", "VERSION", "core_ext/tablier_core/__init__.py")
    done = subprocess.run(
        [sys.executable, "setup.py", "--name"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "found no .pyx file" in done.stderr


@pytest.mark.parametrize("folder", ["clients/python", "clients/adapters"])
def test_installing_from_the_checkout_leaves_nothing_behind(tmp_path: Path, folder: str) -> None:
    clone = copy(tmp_path / "clone", "VERSION", *tracked(folder))
    before = sorted(clone.rglob("*"))
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    # Bytecode would be written even if the build wrote nothing.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(
        [*command, "--target", tmp_path / "installed", clone / folder], env=environment, check=True
    )
    assert sorted(clone.rglob("*")) == before
    assert list((tmp_path / "installed").glob("tablier*"))


def test_wheels_are_built_for_every_supported_python() -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "cibuildwheel", "--print-build-identifiers", "--platform", "linux"],
        cwd=ROOT,
        env={**os.environ, "CIBW_ARCHS": "x86_64"},
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    supported = range(dist.OLDEST, dist.NEWEST + 1)
    assert listed == [f"cp3{minor}-manylinux_x86_64" for minor in supported]
