"""The commands of docs/walkthrough.md, on free ports."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.deploy.shell import Block, Shell, blocks, shell
from tests.live_server import ROOT

PAGE = ROOT / "docs" / "walkthrough.md"
# The ports on the page: gRPC, HTTP, Prometheus.
PORTS = ("50051", "8080", "9090")


def free_ports() -> list[str]:
    """Three free ports."""
    with ExitStack() as stack:
        held = [stack.enter_context(socket.socket()) for _ in PORTS]
        for each in held:
            each.bind(("0.0.0.0", 0))
        return [str(each.getsockname()[1]) for each in held]


def commands() -> list[Block]:
    """The blocks of the page with other ports."""
    text = PAGE.read_text()
    assert all(port in text for port in PORTS)
    free = dict(zip(PORTS, free_ports(), strict=True))

    def replace(found: re.Match[str]) -> str:
        # Longer numbers must not move the columns of a table.
        in_table = len(found[2]) > 1
        return free[found[1]].ljust(len(found[0])) if in_table else free[found[1]] + found[2]

    return blocks(re.sub(rf"\b({'|'.join(PORTS)})\b( *)", replace, text))


@contextmanager
def beginning(folder: Path) -> Iterator[Shell]:
    """A shell in a new folder that looks like the root of this repository to the page."""
    work = folder / "work"
    work.mkdir()
    (work / "deploy").symlink_to(ROOT / "deploy")
    with shell(folder, work) as started:
        yield started
