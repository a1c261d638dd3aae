"""Every example runs against a real service and shows what it promises."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from packaging.requirements import Requirement
from tablier_client import Client
from tablier_client.errors import IllegalMove, ViewToken, WrongSeat

from examples.host import Host, Refused
from tests.documents.reader import PRINTED_GRPC, PRINTED_REST
from tests.live_server import ROOT, TIMEOUT_SECONDS, LiveServer, running

EXAMPLES = ROOT / "examples"
# The programs, with something that their output must contain.
OUTPUTS = {
    "bot.py": r"(Red|Blue) wins \(1\.0, -1\.0\)|\(-1\.0, 1\.0\)|\(0\.0, 0\.0\)",
    "many_games.py": r"\d wins in 8 games, mean result [+-]\d\.\d\d",
    "tournament.py": r"level 1: \d+\nlevel 3: \d+\nlevel 5: \d+\n",
    "evaluate.py": r"the policy won \d+ of 24 games",
    "host.py": r"\d+ moves, scores .*\nrefused: this is not the newest view of the seat\n",
    "curl.sh": r'"suggestions":.*\n(.*\n)+Blue moves a pawn, turn 2 of 200\n',
    "buf-curl.sh": r'"suggestions":(.*\n)+Blue moves a pawn, turn 2 of 200\n',
}


def run(name: str, folder: Path, server: LiveServer) -> str:
    """Run an example in a folder and return what it prints."""
    source = (EXAMPLES / name).read_text(encoding="utf-8")
    source = source.replace(PRINTED_GRPC, server.grpc_address)
    (folder / name).write_text(source.replace(PRINTED_REST, server.rest_url))
    done = subprocess.run(
        [sys.executable if name.endswith(".py") else "bash", name],
        cwd=folder,
        env={
            **os.environ,
            # buf is installed next to Python.
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "PYTHONPATH": str(ROOT / "clients" / "python"),
        },
        capture_output=True,
        text=True,
        timeout=5 * TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", OUTPUTS)
def test_an_example_runs(name: str, tmp_path: Path, live_server: LiveServer):
    assert re.search(OUTPUTS[name], run(name, tmp_path, live_server))
    if name == "tournament.py":
        assert (tmp_path / "ratings.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_notebook_runs(tmp_path: Path, live_server: LiveServer, monkeypatch: Any):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "clients" / "python"))
    source = (EXAMPLES / "notebook.ipynb").read_text(encoding="utf-8")
    notebook = nbformat.reads(source.replace(PRINTED_GRPC, live_server.grpc_address), 4)
    NotebookClient(
        notebook, timeout=5 * TIMEOUT_SECONDS, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown = [
        kind
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        for kind in output.get("data", ())
    ]
    assert shown.count("image/svg+xml") == 2
    assert "image/png" in shown


def test_the_notebook_is_stored_without_outputs():
    notebook = nbformat.read(EXAMPLES / "notebook.ipynb", 4)
    assert not any(cell.get("outputs") for cell in notebook.cells)


def test_every_example_has_a_line_in_the_readme_and_is_run():
    names = {path.name for path in EXAMPLES.iterdir() if path.is_file()} - {"README.md"}
    assert names == {*OUTPUTS, "notebook.ipynb"}
    listed = re.findall(r"^\| \[([\w.-]+)\]\(\1\)", (EXAMPLES / "README.md").read_text(), re.M)
    assert set(listed) == names


def code_lines(node: ast.AST) -> int:
    """Count the lines of some Python without docstrings, comments and blank lines."""
    for inner in ast.walk(node):
        kinds = (ast.ClassDef, ast.FunctionDef, ast.Module)
        if isinstance(inner, kinds) and ast.get_docstring(inner) is not None:
            del inner.body[0]
    return len([line for line in ast.unparse(node).splitlines() if line.strip()])


def test_the_bot_has_ten_lines_and_the_host_thirty():
    bot = ast.parse((EXAMPLES / "bot.py").read_text())
    assert code_lines(bot) <= 10
    module = ast.parse((EXAMPLES / "host.py").read_text())
    host = next(node for node in module.body if isinstance(node, ast.ClassDef) and node.bases == [])
    assert host.name == "Host"
    assert code_lines(host) <= 30


@pytest.fixture(params=["plain", "sealed"])
def client(request: pytest.FixtureRequest, live_server: LiveServer) -> Any:
    """A client of a service that issues plain or sealed tokens."""
    if request.param == "plain":
        with Client(live_server.grpc_address, timeout=TIMEOUT_SECONDS) as client:
            yield client
    else:
        with (
            running(seal_keys=f"1:{'A' * 43}=") as server,
            Client(server.grpc_address, timeout=TIMEOUT_SECONDS) as client,
        ):
            yield client


def test_the_host_accepts_a_move_only_for_the_newest_view(client: Client):
    host = Host()
    host.add(client.start("contrat500", match="friday", seats=3, seed=1))
    first = host.view("friday", 0)
    seen = client.state(first, match="friday")
    seat = seen.actors[0]
    view = host.view("friday", seat)
    move = client.state(view, match="friday").moves(seat)[0].notation
    with pytest.raises(Refused):
        host.play("friday", seat, host.view("friday", (seat + 1) % 3), move)
    with pytest.raises(Refused):
        host.play("friday", 7, view, move)
    host.play("friday", seat, view, move)
    # Neither the same move again nor another one for the old view.
    with pytest.raises(Refused):
        host.play("friday", seat, view, move)
    with pytest.raises(Refused):
        host.add(client.start("contrast", match="friday"))
    assert client.state(host.view("friday", 0), match="friday").ply == seen.ply + 1


def test_a_rejected_move_leaves_the_match_as_it_was(client: Client):
    host = Host()
    host.add(client.start("contigo-alignment", match="friday", seed=7, first=0))
    views = [host.view("friday", seat) for seat in range(2)]
    with pytest.raises(IllegalMove):
        host.play("friday", 0, views[0], "a1-a2")
    with pytest.raises(WrongSeat):
        host.play("friday", 1, views[1], "a6-a4")
    assert [host.view("friday", seat) for seat in range(2)] == views
    host.play("friday", 0, views[0], "a6-a4")


def test_players_of_the_host_get_their_own_views_only(client: Client):
    host = Host()
    host.add(client.start("contrat500", match="friday", seats=3, seed=1))
    mine = client.state(host.view("friday", 0), match="friday")
    with pytest.raises(ViewToken):
        mine.view(1)
    with pytest.raises(ViewToken):
        mine.view(-1)
    with pytest.raises(ViewToken):
        mine.play(mine.moves()[0] if mine.actors == (0,) else "pass", seat=mine.actors[0])
    # What a player gets does not depend on what the others hold.
    state = client.start("contrat500", seats=3, seed=1)
    assert mine.draw(0) == state.draw(0)


def closure(wanted: list[str]) -> dict[str, Distribution]:
    """Return the distributions that requirements lead to, by name."""
    found: dict[str, Distribution] = {}
    todo = [Requirement(text) for text in wanted]
    while todo:
        requirement = todo.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        if requirement.name not in found:
            each = found[requirement.name] = distribution(requirement.name)
            todo += [Requirement(text) for text in each.requires or ()]
    return found


def clean_environment(folder: Path) -> Path:
    """Make an environment with the client and what the examples need, and nothing else.

    Everything is linked from this environment, so that no package index is needed.
    """
    venv.create(folder, with_pip=False)
    site = next(folder.glob("lib/python*/site-packages"))
    client = tomllib.loads((ROOT / "clients" / "python" / "pyproject.toml").read_text())
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    wanted = [*client["project"]["dependencies"], *groups["examples"]]
    for each in closure(wanted).values():
        for file in each.files or ():
            if ".." not in file.parts and file.suffix in (".py", ".pyi", ".typed", ".so"):
                link = site / file
                link.parent.mkdir(parents=True, exist_ok=True)
                if not link.exists():
                    link.symlink_to(file.locate())
    for package in ("tablier", "tablier_client"):
        (site / package).symlink_to(ROOT / "clients" / "python" / package)
    return folder / "bin" / "python"


def check_types(folder: Path, python: Path) -> str:
    """Check the types of the Python files in a folder, and return the report."""
    cache = f"--cache-dir={folder.parent / 'cache'}"
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", cache]
    done = subprocess.run(
        [*command, "--python-executable", str(python), *sorted(map(str, folder.glob("*.py")))],
        cwd=folder,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.slow
def test_the_examples_pass_strict_type_checks_in_a_clean_environment(tmp_path: Path):
    python = clean_environment(tmp_path / "environment")
    sources = tmp_path / "sources"
    shutil.copytree(EXAMPLES, sources)
    assert check_types(sources, python).startswith("Success")
    # The types of the client and of matplotlib must be known, or nothing was checked.
    (sources / "bot.py").write_text(
        "from matplotlib.figure import Figure\n"
        "from tablier_client import Client\n"
        "with Client('') as client:\n"
        "    client.nonsense()\n"
        "Figure().nonsense()\n"
    )
    report = check_types(sources, python)
    assert '"Client" has no attribute "nonsense"' in report
    assert '"Figure" has no attribute "nonsense"' in report
