"""Both clients have the same names, parameters, types, docstrings and answers."""

import asyncio
import inspect
import re
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from tablier_client import (
    Advice,
    AsyncClient,
    AsyncMatch,
    AsyncState,
    BotTurn,
    Client,
    Match,
    Replay,
    ReplayStep,
    State,
    Step,
)
from tablier_client.calls import Calls
from tablier_client.channel import SERVICES
from tablier_client.state import Snapshot

PAIRS = [(Client, AsyncClient), (State, AsyncState), (Match, AsyncMatch)]
LINE = ("a6-a4", "13+1.1")
RECORD = """\
Tablier game record 1
[Game "contigo-alignment"]
[Rules "1"]
[Options {"first":0}]
[Seed "7"]
[Result "*"]

1. seat 0: a6-a4
2. seat 0: 13+1.1
end
"""


def through_session(client: Any, state: Any) -> Any:
    """Send a call through a session."""
    call = client.calls.play(state, *LINE)
    if isinstance(client, Client):
        with client.session() as session:
            return session.submit(call).result()

    async def answer() -> object:
        async with client.session() as session:
            return await session.submit(call)

    return answer()


# Every public method of clients and states, called with either client and one of its states.
SCENARIOS: dict[str, Callable[[Any, Any], Any]] = {
    "games": lambda client, state: client.games(),
    "game": lambda client, state: client.game("contigo-alignment"),
    "rules": lambda client, state: client.rules("contigo-alignment", language="fr-CA"),
    "start": lambda client, state: client.start("contigo-alignment", seed=3, advanced=True),
    "state": lambda client, state: client.state(state.token),
    "replay": lambda client, state: client.replay(
        "contigo-alignment", LINE, seed=7, first=0, steps=True, transcript=True, viewer=1
    ),
    "replay_record": lambda client, state: client.replay_record(
        RECORD, steps=True, transcript=True, viewer=1
    ),
    "record": lambda client, state: client.record(
        "contigo-alignment", LINE, seed=7, first=0, viewer=1
    ),
    "batch": lambda client, state: client.batch(
        [client.calls.count_moves(state), client.calls.play(state, *LINE)]
    ),
    "session": through_session,
    "send": lambda client, state: client.send(client.calls.moves(state)),
    "moves": lambda client, state: state.moves(),
    "count_moves": lambda client, state: state.count_moves(0),
    "interpret": lambda client, state: state.interpret("A6 to A4", 0, language="fr"),
    "play": lambda client, state: state.play(*LINE),
    "steps": lambda client, state: state.steps(*LINE),
    "suggest": lambda client, state: state.suggest(0, iterations=300, level=9, seed=3, limit=2),
    "analyze": lambda client, state: state.analyze(0, iterations=300, interval=1000, seed=3),
    "stream": lambda client, state: client.stream(client.calls.analyze(state, iterations=9)),
    "simulate": lambda client, state: state.simulate(3, levels=[1, 0], seat=0, sample=True),
    "play_bot": lambda client, state: state.play_bot(0, level=2, viewer=1, seed=3, language="fr"),
    "view": lambda client, state: state.view(1),
    "view_token": lambda client, state: state.view_token(1),
    "observation": lambda client, state: state.observation(1),
    "draw": lambda client, state: state.draw(0),
    "svg": lambda client, state: state.svg(),
    "png": lambda client, state: state.png(),
    "previous": lambda client, state: state.previous(),
}


def own_methods(cls: type) -> dict[str, Callable[..., object]]:
    """The public and special methods that a class defines itself, by name."""
    rename = {"__aenter__": "__enter__", "__aexit__": "__exit__"}
    return {
        rename.get(name, name): value
        for name, value in vars(cls).items()
        for value in [getattr(value, "__func__", value)]
        if inspect.isfunction(value) and (name[0] != "_" or name.startswith("__"))
    }


def signature(method: Callable[..., object]) -> str:
    """The parameters and annotations, without asyncio's wrappers."""
    return re.sub(r"\bAsync(?=Client|State|Session|Iterator)", "", str(inspect.signature(method)))


def plain(value: object) -> object:
    """An answer without its client and without durations."""
    if isinstance(value, Snapshot):
        return [getattr(value, name) for name in value.__dataclass_fields__ if name != "_client"]
    if isinstance(value, Advice):
        return value._replace(milliseconds=0.0)
    if isinstance(value, BotTurn | Replay | ReplayStep | Step | list | Iterator):
        return [plain(item) for item in value]
    return value


@pytest.mark.parametrize(("sync", "asynchronous"), PAIRS)
def test_both_clients_have_the_same_methods(sync: type, asynchronous: type) -> None:
    ours, theirs = own_methods(sync), own_methods(asynchronous)
    assert ours.keys() == theirs.keys()
    for name, method in theirs.items():
        assert signature(method) == signature(ours[name])
        if inspect.isgeneratorfunction(ours[name]):
            assert inspect.isasyncgenfunction(method)
        else:
            assert inspect.iscoroutinefunction(method) is (
                name not in ("__init__", "__repr__", "session")
            )
            assert not inspect.iscoroutinefunction(ours[name])
        # Only the summaries of the classes may differ.
        assert name.startswith("__") or method.__doc__ == ours[name].__doc__


def test_calls_has_every_method_of_clients_and_states() -> None:
    offered = {*own_methods(Client), *own_methods(State)}
    assert {name for name in own_methods(Calls) if not name.startswith("_")} == {
        name
        for name in offered
        if not name.startswith("__") and name not in ("close", "send", "session", "stream")
    }


class Noting(dict[str, Any]):
    """The methods of a client, which records those that were looked up."""

    def __init__(self, methods: dict[str, Any]) -> None:
        super().__init__(methods)
        self.used: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.used.add(name)
        return super().__getitem__(name)


def test_the_client_uses_every_method_of_the_services(address: str) -> None:
    with Client(address) as client:
        client._methods = noting = Noting(client._methods)
        state = client.start("contigo-alignment", seed=7, first=0)
        for scenario in SCENARIOS.values():
            plain(scenario(client, state))
    methods = [method.name for service in SERVICES for method in service.methods]
    assert noting.used == set(methods)
    # Clients find a method by its name alone, so names must be unique.
    assert len(methods) == len(set(methods))


def test_scenarios_cover_every_method() -> None:
    offered = {*own_methods(Client), *own_methods(State)}
    assert set(SCENARIOS) == {n for n in offered if not n.startswith("__")} - {"close"}


@pytest.mark.parametrize("name", SCENARIOS)
def test_both_clients_return_the_same_answer(name: str, address: str) -> None:
    with Client(address) as client:
        state = client.start("contigo-alignment", seed=7, first=0)
        expected = plain(SCENARIOS[name](client, state))

    async def answer() -> object:
        async with AsyncClient(address) as client:
            state = await client.start("contigo-alignment", seed=7, first=0)
            answer = SCENARIOS[name](client, state)
            if isinstance(answer, AsyncIterator):
                return [plain(part) async for part in answer]
            return plain(await answer)

    assert asyncio.run(answer()) == expected
    # Plain tokens do not contain the hash of their predecessor.
    assert name == "previous" or expected not in (None, "", b"", 0, [])


@pytest.mark.service
def test_no_game_option_has_the_name_of_a_parameter() -> None:
    parameters = {*inspect.signature(Client.start).parameters}
    parameters |= {*inspect.signature(Client.replay).parameters}
    parameters |= {*inspect.signature(Client.record).parameters}
    # The first parameters are positional only, so they cannot clash.
    parameters -= {"self", "game", "moves", "options", "keywords"}
    # Imported here because most tests of clients do without the core.
    from tablier_core.registry import GAMES

    names = {name for game in GAMES.values() for name in game.options.properties}
    assert "advanced" in names
    assert not names & parameters


def test_a_state_is_immutable(address: str) -> None:
    with Client(address) as client:
        state = client.start("contigo-alignment")
    for name in ("token", "over", "anything"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(state, name, b"other")
