"""A reader who follows a page: runs its commands and Python in a scratch folder.

Printed addresses are replaced by those of servers on free ports. Some commands cannot run here; the
table of `Reader.commands` says why, and what is checked instead.
"""

from __future__ import annotations

import base64
import doctest
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kubernetes_validate
import yaml
from tablier_client import Client

from tests.documents.pages import Kind, Piece
from tests.live_server import PATHS, ROOT, TIMEOUT_SECONDS, LiveServer, start_server

PRINTED_GRPC = "127.0.0.1:50051"
PRINTED_REST = "http://127.0.0.1:8080"
# A command of a page may play games or search; a match takes longest.
COMMAND_SECONDS = 5 * TIMEOUT_SECONDS
# The script that pip installs for the command. Unlike `python -m`, it does not import from the
# current folder.
TABLIER = "from tablier_cli import main\n\nif __name__ == '__main__':\n    main()\n"
DISTRIBUTIONS = {"tablier-client": "clients/python", "tablier-adapters": "clients/adapters"}
GROUPS = "dependency-groups"
MANIFESTS = ROOT / "deploy" / "kubernetes" / "base"
# A comment after a command that is expected to fail.
REFUSED = "# refused"


class Reader:
    """Follows a page in a folder; `live_server` answers until the page starts a server."""

    def __init__(self, folder: Path, live_server: LiveServer) -> None:
        self.folder = folder
        self.names: dict[str, object] = {}
        self.grpc_address = live_server.grpc_address
        self.rest_url = live_server.rest_url
        self.servers: list[LiveServer] = []
        self.images: set[str] = set()
        self.environment = {
            **os.environ,
            "PATH": os.pathsep.join([str(folder / ".venv" / "bin"), os.environ["PATH"]]),
            "PYTHONPATH": os.pathsep.join(str(ROOT / path) for path in PATHS),
            "TABLIER_GRPC_PORT": "0",
            "TABLIER_HTTP_PORT": "0",
        }
        self.commands: dict[str, Callable[[str], None]] = {
            # These would build the project, run all tests, or run for minutes.
            "make": self.dry_run_make,
            "python -m bench": self.ask_for_help,
            "python -m examples": self.ask_for_help,
            # These need a daemon or a cluster.
            "docker build": self.check_image,
            "docker push": self.check_built,
            r"\(cd deploy/kubernetes/base && kustomize": self.check_built,
            "kubectl apply": self.check_manifests,
            "kubectl -n": self.check_secret,
            "kubernetes-validate": self.validate_manifests,
            # These do not end by themselves.
            "tablier serve": self.serve,
            "tablier analyze": self.interrupt,
            "tablier play": self.play,
            # This ends with status 0 even if the call fails.
            "curl": self.curl,
            # These need a package index. The benchmark documents the first; `make build` installs
            # the same as the others.
            "pip install --target": self.check_benchmark,
            "pip install": self.check_distribution,
        }
        self.prepare()

    def prepare(self) -> None:
        """Make a folder like a checkout after `make build`, with a token that somebody stored."""
        programs = self.folder / ".venv" / "bin"
        programs.mkdir(parents=True)
        (programs / "activate").write_text('PATH="$PWD/.venv/bin:$PATH"\n')
        for name, text in (
            ("python", f'#!/bin/sh\nexec {sys.executable} "$@"\n'),
            ("pip", f'#!/bin/sh\nexec {sys.executable} -m pip "$@"\n'),
            ("tablier", f"#!{sys.executable}\n{TABLIER}"),
        ):
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        with Client(self.grpc_address, timeout=TIMEOUT_SECONDS) as client:
            token = client.start("contigo-alignment", seed=7).token
        (self.folder / "game.token").write_text(base64.b64encode(token).decode())

    def close(self) -> None:
        """Stop the servers that the page started."""
        for server in self.servers:
            if server.process.poll() is None:
                assert server.stop() == 0
            server.close()

    def follow(self, piece: Piece) -> None:
        """Do what a piece of the page says."""
        text = piece.text.replace(PRINTED_REST, self.rest_url)
        text = text.replace(PRINTED_GRPC, self.grpc_address)
        if piece.kind is Kind.FILE:
            (self.folder / piece.name).write_text(text)
        elif piece.kind is Kind.PYTHON:
            self.run_python(text, f"line {piece.line}")
        elif piece.kind is Kind.MENTION and re.fullmatch(r"tablier [a-z]+", text):
            # The name of a command, rather than something to type.
            self.run(f"{text} --help")
        else:
            self.run_command(text)

    def run_command(self, command: str) -> None:
        """Run a command of the page, or check it if it is one of those that cannot run."""
        special = [run for start, run in self.commands.items() if re.match(rf"{start}\b", command)]
        (special[0] if special else self.run)(command)

    def run(self, command: str, typed: str = "") -> str:
        """Run a command and return its output. It must succeed, unless the page says otherwise."""
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=self.folder,
            env=self.environment,
            input=typed,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        assert (done.returncode != 0) == (REFUSED in command), command + done.stdout + done.stderr
        return done.stdout

    def run_python(self, source: str, where: str) -> None:
        """Run a block of Python; lines after `>>>` are compared with what is printed."""
        if source.startswith(">>>"):
            run_session(source, self.names, where)
        else:
            exec(compile(source, where, "exec"), self.names)

    def dry_run_make(self, command: str) -> None:
        """Check that make has the target; `make serve` then runs what it would run."""
        target = shlex.split(command, comments=True)[1:]
        done = subprocess.run(
            ["make", "-n", "-C", str(ROOT), *target], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        if target == ["serve"]:
            recipe = [line for line in done.stdout.splitlines() if line.startswith(".venv")]
            self.serve(recipe[-1].removeprefix(".venv/bin/"))

    def ask_for_help(self, command: str) -> None:
        """Check that a module of this repository is a command, and knows its flags."""
        arguments = shlex.split(command, comments=True)[1:]
        subprocess.run(
            [sys.executable, *arguments, "--help"], cwd=ROOT, check=True, capture_output=True
        )

    def check_image(self, command: str) -> None:
        """Compare the image that is built with the one that the manifests use, in this version."""
        words = expand(command)
        name, _, tag = words[words.index("-t") + 1].rpartition(":")
        assert name.rpartition("/")[2] in deployed_images()
        assert tag == (ROOT / "VERSION").read_text().strip()
        dockerfile = (ROOT / words[-1] / "Dockerfile").read_text()
        for word in words:
            if re.match(r"[A-Z]+=", word):
                assert re.search(rf"^ARG {word.split('=')[0]}\b", dockerfile, re.MULTILINE)
        self.images.add(f"{name}:{tag}")

    def check_built(self, command: str) -> None:
        """Check that the page has built the image that it pushes, or puts into the manifests."""
        folder = ROOT
        if command.startswith("(cd "):
            to, _, command = command[len("(cd ") : -1].partition(" && ")
            folder = ROOT / to
        image = expand(command, folder)[-1]
        replaced, _, built = image.rpartition("=")
        assert built in self.images
        assert not replaced or replaced in deployed_images()

    def check_manifests(self, command: str) -> None:
        """Validate the manifest, or every manifest of the kustomization."""
        path = ROOT / shlex.split(command)[-1]
        if path.is_dir():
            # tests/deploy checks what the overlay changes.
            assert path.parent == MANIFESTS.parent / "overlays"
            overlay = yaml.safe_load((path / "kustomization.yaml").read_text())
            assert [(path / base).resolve() for base in overlay["resources"]] == [MANIFESTS]
            manifests = [MANIFESTS / name for name in kustomization()["resources"]]
        else:
            manifests = [path]
        for manifest in manifests:
            kubernetes_validate.validate(yaml.safe_load(manifest.read_text()), "1.33", strict=True)

    def check_secret(self, command: str) -> None:
        """Compare the secret with the volume and the file that the deployment reads."""
        _, _, namespace, *create, name, content = shlex.split(command)
        assert create == ["create", "secret", "generic"]
        assert namespace == kustomization()["namespace"]
        deployment = yaml.safe_load((MANIFESTS / "deployment.yaml").read_text())
        pod = deployment["spec"]["template"]["spec"]
        volume = [each for each in pod["volumes"] if each["secret"]["secretName"] == name]
        mounts = {each["name"]: each["mountPath"] for each in pod["containers"][0]["volumeMounts"]}
        key = content.removeprefix("--from-file=").split("=")[0]
        values = [each["value"] for each in pod["containers"][0]["env"]]
        assert f"{mounts[volume[0]['name']]}/{key}" in values

    def validate_manifests(self, command: str) -> None:
        """Run the validator on all manifests, which the page leaves out."""
        names = [str(MANIFESTS / name) for name in kustomization()["resources"]]
        program = [sys.executable, "-m", "kubernetes_validate", *shlex.split(command)[1:]]
        subprocess.run([*program, *names], check=True, capture_output=True)

    def serve(self, command: str) -> None:
        """Start a server, which answers from now on, unless the command ends by itself."""
        if REFUSED in command or re.search(r" --(help|check)\b", command):
            self.run(command)
            return
        arguments = shlex.split(command, comments=True)[1:]
        arguments = ["2" if argument == "N" else argument for argument in arguments]
        server = start_server(program=("-m", "tablier_cli", *arguments))
        self.servers.append(server)
        self.grpc_address, self.rest_url = server.grpc_address, server.rest_url

    def interrupt(self, command: str) -> None:
        """Press Ctrl-C after the first report, unless the command has a budget."""
        arguments = shlex.split(command, comments=True)
        with subprocess.Popen(
            # Reports as lines of JSON can be waited for.
            [*arguments, "--json"],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            assert json.loads(process.stdout.readline())["suggestions"]
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=COMMAND_SECONDS)
        assert process.returncode == 0

    def play(self, command: str) -> None:
        """Ask for help, save the game, then leave it."""
        assert "quit" in self.run(command, typed="help\nsave game.txt\nquit\n")

    def curl(self, command: str) -> None:
        """Check that the answer is not an error, which has a code."""
        assert "code" not in json.loads(self.run(command))

    def check_benchmark(self, command: str) -> None:
        """Check that the benchmark asks for the same command."""
        assert f"`{command}`" in (ROOT / "bench" / "learning.py").read_text(encoding="utf-8")

    def check_distribution(self, command: str) -> None:
        """Check that this project has the distribution with its extra, or the group."""
        *_, option, wanted = shlex.split(command)
        if option == "--group":
            assert wanted in tomllib.loads((ROOT / "pyproject.toml").read_text())[GROUPS]
            return
        name, _, extra = wanted.removesuffix("]").partition("[")
        folder = ROOT / name if name.startswith("./") else ROOT / DISTRIBUTIONS[name]
        project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
        assert name.startswith("./") or name == project["name"]
        assert not extra or extra in project["optional-dependencies"]


def expand(command: str, folder: Path = ROOT) -> list[str]:
    """Return the words of a command as the shell passes them on, in a folder of the checkout."""
    done = subprocess.run(
        ["bash", "-c", f"printf '%s\\n' {command}"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.splitlines()


def deployed_images() -> set[str]:
    """The names of the images in the deployment."""
    deployment = yaml.safe_load((MANIFESTS / "deployment.yaml").read_text())
    containers = deployment["spec"]["template"]["spec"]["containers"]
    return {container["image"].partition(":")[0] for container in containers}


def kustomization() -> dict[str, Any]:
    """Return what ties the manifests together."""
    content: dict[str, Any] = yaml.safe_load((MANIFESTS / "kustomization.yaml").read_text())
    return content


def run_session(source: str, names: dict[str, object], where: str) -> None:
    """Run a block of `>>>` lines and compare its output with the printed one."""
    report: list[str] = []
    session = doctest.DocTestParser().get_doctest(source, names, where, where, 0)
    runner = doctest.DocTestRunner()
    runner.run(session, out=report.append, clear_globs=False)
    # doctest works on a copy of the names, but later blocks need those of earlier ones.
    names.update(session.globs)
    assert runner.failures == 0, "".join(report)
