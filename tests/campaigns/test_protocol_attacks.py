"""The attacks on protocols do what they say, and the service refuses what it should."""

from __future__ import annotations

import asyncio

import pytest

from campaigns.attacks import forms
from campaigns.attacks.protocol_rows import PROTOCOL_ROWS
from campaigns.attacks.rows import ROWS, Row
from campaigns.attacks.stage import Figures, Stage, Target
from tests.live_server import LiveServer

DIRECT = [row for row in PROTOCOL_ROWS if not row.setup.proxy and not row.setup.keys]


class Moment(Stage):
    """A stage on which an attack is over when it has been under way for a moment."""

    def __init__(self) -> None:
        self._begun: list[float] = []

    def begin(self) -> None:
        self._begun.append(asyncio.get_running_loop().time())

    @property
    def ended(self) -> bool:
        return bool(self._begun) and asyncio.get_running_loop().time() > self._begun[0] + 0.5


def attack(row: Row, server: LiveServer) -> Figures:
    """What an attack of a moment obtains."""
    rest = server.rest_url.rpartition("/")[2]
    target = Target(server.grpc_address, rest, server.process.pid)

    async def run() -> Figures:
        return await row.attack(target, Moment())

    return asyncio.run(run())


@pytest.mark.parametrize("row", DIRECT, ids=lambda row: row.name)
def test_the_service_survives_every_attack(row: Row, live_server: LiveServer) -> None:
    figures = attack(row, live_server)
    assert max(figures.values()) > 0
    own = row.own(figures)
    assert own.fine, own.figure
    assert "grpc_server_started_total" in str(live_server.metrics())


def test_rows_judge_odd_answers() -> None:
    rows = {row.name: row for row in PROTOCOL_ROWS}
    for name in ("odd-json", "bombs", "long-heads", "smuggling", "smuggling-nginx"):
        assert rows[name].own({"expected": 5, "other": 0}).fine
        assert not rows[name].own({"expected": 5, "other": 1}).fine
    evasion = rows["quota-evasion"]
    assert evasion.own({"served": 1000, "rejected": 5, "lasted": 10}).fine
    assert not evasion.own({"served": 2000, "rejected": 5, "lasted": 10}).fine


def test_names_are_unique() -> None:
    names = [row.name for row in (*ROWS, *PROTOCOL_ROWS)]
    assert len(set(names)) == len(names)


def test_names_collide_as_they_should() -> None:
    def simple(name: str) -> int:
        total = 0
        for letter in name:
            total = (31 * total + ord(letter)) % 2**32
        return total

    names = forms.colliding(100)
    assert len(set(names)) == 100
    assert len({simple(name) for name in names}) == 1
