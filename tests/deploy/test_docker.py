"""The image: its build context has what it needs and little else, and its health check works."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from docker.utils.build import exclude_paths

from tests.certificates import Authority
from tests.live_server import LiveServer, running

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
IGNORED = [
    line
    for line in (ROOT / ".dockerignore").read_text().splitlines()
    if line and not line.startswith("#")
]
HEALTH_CHECK = ROOT / "deploy" / "docker" / "healthcheck.py"


def instructions(name: str) -> list[str]:
    """The arguments of an instruction, each time it is used."""
    return re.findall(rf"^{name} (.+)$", DOCKERFILE, re.MULTILINE)


def copied() -> list[str]:
    """The paths that are copied from the build context."""
    lines = [shlex.split(line) for line in instructions("COPY") if not line.startswith("--from")]
    return [source for line in lines for source in line[:-1]]


@pytest.fixture(scope="module")
def context() -> set[str]:
    """The files that Docker sends to a build; it always sends the Dockerfile."""
    names = exclude_paths(str(ROOT), IGNORED, dockerfile="Dockerfile")
    return {name for name in names if (ROOT / name).is_file()}


def tracked(*paths: str) -> set[str]:
    """The files of the repository below some paths, including new ones."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *paths]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {name for name in listed.splitlines() if (ROOT / name).exists()}


def test_the_context_is_what_the_image_copies(context: set[str]) -> None:
    assert len(copied()) > 10
    assert [path for path in copied() if not (ROOT / path).exists()] == []
    # Docker always sends these two.
    assert context - {"Dockerfile", ".dockerignore"} == tracked(*copied())


def test_the_context_is_small(context: set[str]) -> None:
    assert sum((ROOT / name).stat().st_size for name in context) < 4_000_000


def test_has_labels_and_notices() -> None:
    (labels,) = instructions("LABEL")
    described = dict(pair.split("=", 1) for pair in shlex.split(labels))
    prefix = "org.opencontainers.image."
    assert {name.removeprefix(prefix) for name in described} == {
        *("title", "description", "version", "licenses", "source", "documentation"),
    }
    assert described[f"{prefix}licenses"] == "Apache-2.0"
    assert "LICENSE THIRD_PARTY.md /usr/share/doc/tablier/" in instructions("COPY")


def check_health(server: LiveServer, **settings: object) -> subprocess.CompletedProcess[str]:
    """Run the health check as the image does, with the settings of the service."""
    variables = {f"TABLIER_{name.upper()}": str(value) for name, value in settings.items()}
    variables["TABLIER_HTTP_PORT"] = server.rest_url.rpartition(":")[2]
    return subprocess.run(
        [sys.executable, str(HEALTH_CHECK)],
        env={**os.environ, **variables},
        check=False,
        capture_output=True,
        text=True,
    )


def test_the_health_check_is_the_one_in_the_image() -> None:
    (check,) = instructions("HEALTHCHECK")
    path = str(HEALTH_CHECK.relative_to(ROOT))
    assert [line.split()[1] for line in instructions("COPY") if path in line] == [
        re.findall(r'"(/[^"]+)"', check)[0]
    ]


def test_the_health_check_follows_the_service() -> None:
    with running() as server:
        assert check_health(server).returncode == 0
        assert check_health(server, host="0.0.0.0").returncode == 0
        server.stop()
        stopped = check_health(server)
        assert stopped.returncode == 1
        assert "does not answer" in stopped.stderr


def test_the_health_check_uses_tls_like_the_service(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    certificate, key = authority.sign("server")
    secured: dict[str, Any] = {"tls_cert_file": certificate, "tls_key_file": key}
    with running(**secured) as server:
        assert check_health(server, **secured).returncode == 0
    mutual = {**secured, "tls_client_ca_file": authority.file}
    with running(**mutual) as server:
        assert check_health(server, **mutual).returncode == 0
        server.stop()
        assert check_health(server, **mutual).returncode == 1
