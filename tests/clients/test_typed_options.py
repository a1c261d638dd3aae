"""Type checkers know the options of every game: mypy finds what the service would reject."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live_server import ROOT

# Every line with the comment `bad` must be an error, and no other line.
PROGRAM = """
import asyncio
from typing import assert_type

from tablier_client import AsyncClient, AsyncState, Client, GameName, State


def play(client: Client, name: str) -> None:
    assert_type(client.start("contrast", seats=2, seed=1, timeout=5), State)
    assert_type(client.replay("contrast", ["red"], seed=1, expert=True).state, State)
    client.start("contigo-alignment", first="random", beads=[1] * 28)
    client.start("contigo-alignment", first=0)
    client.start("contract", briefcases=[{"sides": ["same-2", "same-3"], "worth": 2}])
    client.start("contract", copper_card=0.5)
    client.start("mafia-de-cuba", tokens={"loyal": 2}, jokers="table")
    client.batch([client.calls.start("contrast", expert=True)])
    client.start(name, {"seats": 2}, seed=1)
    client.start("contrast", sets=2)  # bad: misspelt
    client.start("contrast", seats="two")  # bad: wrong type
    client.start("contrast", expert=1)  # bad: wrong type
    client.start("contrast", deck=[0.5])  # bad: wrong type of an item
    client.start("contrast", first=0)  # bad: option of another game
    client.start("contigo-alignment", first="rnadom")  # bad: wrong word
    client.start("contract", briefcases=[{"sides": ["same-2", "same-3"]}])  # bad: missing key
    client.start("mafia-de-cuba", tokens={"agent": 2})  # bad: unknown key
    client.replay("contrast", ["red"], seed=1, exprt=True)  # bad: misspelt
    client.calls.start("contrast", seatz=2)  # bad: misspelt
    client.calls.replay("contrast", [], seed=1, seatz=2)  # bad: misspelt
    client.start(name, seats=2)  # bad: not known to be an option of this game


async def play_async(client: AsyncClient) -> None:
    assert_type(await client.start("contrast", seats=2), AsyncState)
    await asyncio.create_task(client.start("contrast"))
    await client.start("contrast", set=3)  # bad: misspelt


good: GameName = "contrast"
bad: GameName = "chess"  # bad: no such game
"""


@pytest.mark.slow
def test_mypy_finds_misspelt_options(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-pretty", str(program)]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    found = {int(line) for line in re.findall(r"program\.py:(\d+): error", shown)}
    lines = enumerate(PROGRAM.splitlines(), 1)
    assert found == {number for number, line in lines if "# bad" in line}, shown
