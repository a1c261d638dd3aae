"""The invariants of ARCHITECTURE.md about imports, beyond the order of the code map."""

from __future__ import annotations

import re
import sys
import tomllib

import pytest

from tests.architecture.sources import CLI, CORE, ROOT, SERVICE, files, imports, is_in

CORE_SOURCES = files(CORE, ".py", ".pyx", ".pxd")
GAME_SOURCES = files(CORE / "games", ".py", ".pyx", ".pxd")
CLIENT_SOURCES = files(ROOT / "clients" / "python" / "tablier_client", ".py")
SERVICE_SOURCES = files(SERVICE, ".py")
CLI_SOURCES = files(CLI, ".py")
OURS = (
    "tablier",
    "tablier_cli",
    "tablier_client",
    "tablier_core",
    "tablier_service",
    "tablier_web",
)
# Packages whose modules have other names, and packages that are needed without an import: uvicorn
# loads its parser itself, and the service serves the files of Swagger UI.
PACKAGES = {
    "markdown_it": "markdown-it-py",
    "google.api": "googleapis-common-protos",
    "google.protobuf": "protobuf",
    "google.rpc": "googleapis-common-protos",
    "grpc": "grpcio",
    "grpc_health": "grpcio-health-checking",
    "grpc_reflection": "grpcio-reflection",
    "grpc_status": "grpcio-status",
    "jwt": "pyjwt",
    "opentelemetry.exporter": "opentelemetry-exporter-otlp-proto-http",
    "opentelemetry.sdk": "opentelemetry-sdk",
    "opentelemetry.trace": "opentelemetry-sdk",
}
NOT_IMPORTED = {"httptools", "pyvips-binary", "swagger-ui-py"}


def violations(sources, *forbidden):
    return [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources
        for name in sorted(imports(path))
        if is_in(name, *forbidden)
    ]


def test_finds_imports_in_every_form(tmp_path):
    source = tmp_path / "a.pyx"
    source.write_text(
        "import os\n"
        "cimport grpc\n"
        "from libc.stdint cimport (\n    uint8_t, uint64_t,\n)\n"
        "from tablier_core.search import mcts  # why\n"
        "def f():\n    import asyncio\n"
    )
    assert imports(source) == {
        "os", "grpc", "libc.stdint.uint8_t", "libc.stdint.uint64_t", "tablier_core.search.mcts",
        "asyncio",
    }  # fmt: skip


def test_the_core_imports_no_network_logging_or_environment():
    outside = ("grpc", "google", "asyncio", "logging", "os", "socket", "structlog", "threading")
    above = ("tablier", "tablier_cli", "tablier_service", "tablier_client", "tablier_adapters")
    assert CORE_SOURCES
    assert violations(CORE_SOURCES, *outside, *above) == []


def test_the_core_needs_no_other_package():
    third_party = ("numpy", "orjson", "pydantic", "rich", "click", "hypothesis", "pytest")
    assert violations(CORE_SOURCES, *third_party) == []


def test_games_import_neither_each_other_nor_search():
    assert GAME_SOURCES
    assert violations(GAME_SOURCES, "tablier_core.search", "tablier_core.testing") == []
    found = []
    for path in GAME_SOURCES:
        package = path.relative_to(CORE / "games").parts[0]
        for name in sorted(imports(path)):
            if not is_in(name, "tablier_core.games") or name == "tablier_core.games":
                continue
            other = name.split(".")[2]
            # A family's folder serves the games whose names begin with its name.
            if other != package and not package.startswith(f"{other}_"):
                found.append(f"{path.relative_to(ROOT)} imports {name}")
    assert found == []


def test_search_imports_only_the_interface_and_its_basics():
    allowed = ("abi", "rng", "budget", "arena", "movelist", "playout", "search")
    modules = tuple(f"tablier_core.{name}" for name in allowed)
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files(CORE / "search", ".py", ".pyx", ".pxd")
        for name in sorted(imports(path))
        if is_in(name, "tablier_core") and not is_in(name, *modules)
    ]
    assert found == []


def test_the_use_cases_import_no_transport_and_no_message():
    assert violations([SERVICE / "calls" / "use_cases.py"], "grpc", "google", "tablier") == []


def test_only_views_import_a_game():
    others = [path for path in (*SERVICE_SOURCES, *CLI_SOURCES) if path.parent.name != "views"]
    assert violations(others, "tablier_core.games") == []


def test_no_other_part_of_the_core_imports_a_game():
    others = [path for path in CORE_SOURCES if path not in GAME_SOURCES]
    assert violations(others, "tablier_core.games") == []


def test_only_sealing_imports_tokens_and_keys():
    others = [path for path in (*SERVICE_SOURCES, *CLI_SOURCES) if path.stem != "sealing"]
    assert violations(others, "tablier_core.codec", "cryptography.hazmat") == []


def test_a_view_imports_one_game():
    for path in files(SERVICE / "views", ".py"):
        if path.stem not in ("__init__", "message"):
            games = [name for name in imports(path) if is_in(name, "tablier_core.games")]
            assert games
            assert all(is_in(name, f"tablier_core.games.{path.stem}") for name in games), path


def test_only_the_settings_read_the_environment():
    readers = [
        str(path.relative_to(SERVICE.parent))
        for path in (*SERVICE_SOURCES, *CLI_SOURCES)
        if any(word in path.read_text(encoding="utf-8") for word in ("os.environ", "os.getenv"))
    ]
    # The package itself sets a variable for gRPC.
    assert set(readers) <= {"tablier_service/settings.py", "tablier_service/__init__.py"}


def test_the_service_does_not_import_the_command_line():
    assert violations(SERVICE_SOURCES, "tablier_cli") == []


@pytest.mark.parametrize("module", ["tablier_core", "tablier_service", "tablier_cli", "Cython"])
def test_the_client_installs_without_a_compiler(module: str):
    assert violations(CLIENT_SOURCES, module) == []


def packages_of(sources) -> set[str]:
    """Return the third-party packages that some sources import."""
    found = set()
    for name in (name for path in sources for name in imports(path)):
        top = name.split(".")[0]
        if top not in (*OURS, *sys.stdlib_module_names):
            known = next((package for at, package in PACKAGES.items() if is_in(name, at)), top)
            found.add(known.replace("_", "-"))
    return found


def declared_in(folder: str) -> set[str]:
    """Return the packages that a distribution requires, including its extras."""
    content = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())
    project = content["project"]
    needed = project.get("dependencies") or content["tool"]["tablier"]["dependencies"]
    extras = [each for extra in project.get("optional-dependencies", {}).values() for each in extra]
    names = {re.split(r"[<>=]", text)[0] for text in (*needed, *extras)}
    # Stub packages are for the type checkers of users; see `make client-types`.
    return {name for name in names if not name.startswith("types-")} - {"tablier-client"}


def test_distributions_require_exactly_what_they_import():
    for_client, for_service = declared_in("clients/python"), declared_in(".")
    assert packages_of(CLIENT_SOURCES) == for_client
    # The service requires the client, and so everything that the client requires.
    needed = packages_of([*files(CORE, ".py"), *SERVICE_SOURCES, *CLI_SOURCES])
    assert needed - for_client == for_service - for_client - NOT_IMPORTED


# IEEE 754 defines these to the last bit; other functions of libm differ between machines.
EXACT = {f"libc.math.{name}" for name in ("INFINITY", "NAN", "isfinite", "sqrt")}


def test_the_core_uses_only_math_that_is_the_same_on_every_machine():
    used = {name for path in files(CORE, ".pyx", ".pxd") for name in imports(path)}
    assert "libc.math.sqrt" in used
    assert {name for name in used if name.startswith("libc.math")} <= EXACT
