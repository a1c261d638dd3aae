"""Games on a Tablier service instead of in this process, with identical results.

    source = ServiceSource("contrast", {"seats": 3}, address="127.0.0.1:50051")
    env = aec_env("contrast", source=source)

Calls travel on one stream, `Play`. The facts of the games come from the core in this process, which
must have the same version of the game's features.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
from tablier.v1.game_service_pb2 import Observation as Seen
from tablier_client import Client, Move, Session, State
from tablier_core import codec
from tablier_core.position import Game, Position

from tablier_adapters.turns import ALL_GAMES, Observation, Turn, find_game


@cache
def connect(address: str) -> tuple[Client, Session]:
    """Open a connection and a stream, which all games at this address share."""
    client = Client(address)
    return client, client.session()


@dataclass(frozen=True)
class ServiceSource:
    """Starts games on a service. Keys and authorities are those that `Client` finds by itself."""

    name: str
    options: Mapping[str, object] = field(default_factory=dict)
    address: str = "127.0.0.1:50051"

    @cached_property
    def game(self) -> Game:
        """The game."""
        return find_game(self.name)

    @cached_property
    def seats(self) -> int:
        """The number of seats, which the options decide."""
        return self._start(0).seats

    def start(self, seed: int) -> ServiceTurn:
        """Start a game."""
        return ServiceTurn(self, self._start(seed))

    def _start(self, seed: int) -> State:
        client, session = connect(self.address)
        return session.submit(client.calls.start(self.name, self.options, seed=seed)).result()

    def __deepcopy__(self, memo: object) -> ServiceSource:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return ServiceSource, (self.name, dict(self.options), self.address)


class ServiceTurn(Turn):
    """A state that a service has returned. What a seat observes is asked for once, when needed."""

    def __init__(self, source: ServiceSource, state: State, waited: int = 0) -> None:
        self.source = source
        self.state = state
        self.waited = waited
        self.game = source.game
        self.phase = state.phase
        self.actors = state.actors
        self.returns = state.returns
        self._seen: dict[int, Seen] = {}

    @property
    def position(self) -> Position:
        return codec.decode(self.state.token, ALL_GAMES)

    def _describe(self, seat: int) -> Seen:
        """Return what a seat observes, and its mask."""
        if seat not in self._seen:
            client, session = connect(self.source.address)
            seen = session.submit(client.calls.observation(self.state, seat)).result()
            if seen.features_version != self.game.features_version:
                raise ValueError(
                    f"the service has features {seen.features_version} of {self.game.name}, "
                    f"this process has {self.game.features_version}"
                )
            self._seen[seat] = seen
        return self._seen[seat]

    def moves(self, seat: int) -> list[int]:
        mask = np.frombuffer(self._describe(seat).mask, np.uint8)
        if self.game.mask_has_bits:
            mask = np.unpackbits(mask, count=self.game.num_actions, bitorder="little")
        actions: list[int] = np.flatnonzero(mask).tolist()
        return actions

    def observe(self, seat: int) -> Observation:
        return np.frombuffer(self._describe(seat).features, "<f4")

    def apply(self, seat: int, action: int) -> ServiceTurn:
        client, session = connect(self.source.address)
        move = Move("", seat, action)
        after = session.submit(client.calls.play(self.state, move)).result()
        return ServiceTurn(self.source, after)

    def wait(self, waited: int) -> ServiceTurn:
        after = ServiceTurn(self.source, self.state, waited)
        after._seen = self._seen
        return after

    def advise(self, level: int, seed: int) -> int:
        client, _ = connect(self.source.address)
        call = client.calls.suggest(self.state, self.asked, level=level, seed=seed, limit=1)
        chosen = client.send(call).suggestions[0].move.action
        assert chosen is not None, "moves from the service have all fields"
        return chosen

    def draw_text(self, viewer: int) -> str:
        client, session = connect(self.source.address)
        return session.submit(client.calls.draw(self.state, viewer)).result()

    def draw_svg(self, viewer: int) -> str:
        client, session = connect(self.source.address)
        return str(session.submit(client.calls.svg(self.state, viewer)).result())

    def __reduce__(self) -> tuple[Any, ...]:
        return restore_turn, (self.source, self.state, self.waited)


def restore_turn(source: ServiceSource, state: State, waited: int) -> ServiceTurn:
    """Restore a pickled turn."""
    client, _ = connect(source.address)
    return ServiceTurn(source, state.attach(client), waited)
