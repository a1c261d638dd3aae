"""States and other values as texts, pictures, copies and pickles."""

import asyncio
import base64
import copy
import pickle
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest
from tablier_client import AsyncClient, Client, Move, State, TablierError
from tablier_client.errors import Closed, Detached, IllegalMove, InvalidField
from tablier_client.state import Advice, Outcome, Simulation, Suggestion

from tests.live_server import running

GAME: Final = "contigo-alignment"
HIDDEN = "contrat500"


@pytest.fixture(scope="module")
def client(address: str) -> Iterator[Client]:
    with Client(address, api_key="the-key") as client:
        yield client


@pytest.fixture(scope="module")
def state(client: Client) -> State:
    return client.start(GAME, seed=7, first=0)


def test_a_move_is_printed_as_its_notation(state: State) -> None:
    move = next(move for move in state.moves() if move.notation == "a6-a4")
    assert f"{move}" == str(move) == "a6-a4"
    assert repr(move) == f"Move(notation='a6-a4', seat=0, action={move.action})"
    assert str(Move("", 0, 3)) == "action 3"
    assert f"{Move('a6-a4'):>7}" == "  a6-a4"


def test_texts_of_a_state(client: Client, state: State) -> None:
    assert str(state) == "contigo-alignment, ply 0: seat 0 is to move (pawn)"
    assert repr(state) == (
        "State('contigo-alignment', ply=0, phase='pawn', actors=(0,), scores=(0.0, 0.0))"
    )
    several = client.start("contrast", seed=1, seats=3)
    assert str(several) == "contrast, ply 0: seats 0, 1, 2 are to move (choose)"
    over = client.start(GAME, seed=7, first=0, turn_limit=1).play("a6-a4", "13+1.1")
    assert str(over) == "contigo-alignment, over at ply 2: returns +0, +0"
    assert repr(over).endswith("actors=(), scores=(0.0, 0.0), returns=(0.0, 0.0))")


def test_texts_do_not_reveal_secrets(client: Client) -> None:
    state = client.start(HIDDEN, seed=987654321)
    for text in (
        repr(state),
        str(state),
        repr(client),
        repr(client._connection),
        repr(client.calls.moves(state)),
    ):
        assert "987654321" not in text
        assert "the-key" not in text


def test_texts_of_clients_sessions_and_calls(address: str) -> None:
    with Client(address) as client, client.session() as session:
        assert repr(client) == f"<Client: {address}, plain text>"
        assert repr(session) == f"<Session: {address}, plain text>"
        assert repr(client.calls.game(GAME)) == "Call(method='GetGame')"
    assert repr(client) == f"<Client: {address}, closed>"
    remote = Client("tablier.example:443")
    assert repr(remote) == "<Client: tablier.example:443, TLS>"
    remote.close()


def test_texts_of_advice_and_simulations() -> None:
    best = Suggestion(Move("a6-a4", 1, 9), 1200, (-0.25, 0.25), 0.9, (), 0.0)
    other = best._replace(move=Move("e1-c1", 1, 8), visits=1)
    assert str(Advice((best, other), 1201, 0.0, "iterations")) == (
        "a6-a4  value +0.25  visits 1200\ne1-c1  value +0.25  visits 1"
    )
    outcome = Outcome(0.5, 3.0, 3, 0.75, ())
    simulation = Simulation(4, (outcome, outcome._replace(mean_return=-0.5)), 40.25, 30, 50, ())
    assert str(simulation) == "games 4  mean length 40.2  mean returns +0.50, -0.50"


def test_a_notebook_shows_a_state_as_a_picture(client: Client, state: State) -> None:
    assert state._repr_svg_() == state.svg()
    drawing = state.svg(1)
    assert drawing.startswith("<svg")
    assert drawing._repr_svg_() == drawing


def test_a_notebook_shows_a_view_token_as_its_seat_sees_it(client: Client) -> None:
    state = client.start(HIDDEN, seed=7)
    mine = client.state(state.view_token(1))
    assert mine._repr_svg_() == state.svg(1) != state.svg()


@pytest.mark.service
def test_a_notebook_shows_text_if_the_service_does_not_draw(tmp_path: Path) -> None:
    """A host may not see everything in a game with hidden information."""
    callers = tmp_path / "callers.toml"
    key = sha256(b"host").hexdigest()
    callers.write_text(f'[[callers]]\nname = "a"\nroles = ["host"]\nkey_sha256 = ["{key}"]\n')
    seal = f"1:{base64.b64encode(bytes(32)).decode()}"
    with (
        running(callers_file=callers, seal_keys=seal) as server,
        Client(server.grpc_address, api_key="host") as client,
    ):
        state = client.start(HIDDEN)
        with pytest.raises(TablierError):
            state.svg()
        assert state._repr_svg_() is None
        mine = client.state(state.view_token(0))
        assert mine._repr_svg_() == state.svg(0)


def test_a_copy_of_a_state_is_the_state(state: State) -> None:
    assert copy.copy(state) is state
    copied = copy.deepcopy({"states": [state]})
    assert copied["states"][0].play("a6-a4").ply == 1


def test_a_pickle_has_everything_but_the_client(client: Client, state: State) -> None:
    pickled = pickle.dumps(state)
    assert b"the-key" not in pickled
    loaded = pickle.loads(pickled)
    assert loaded == state
    assert repr(loaded) == repr(state)
    assert loaded.seed == state.seed
    with pytest.raises(Detached, match=r"state\.attach\(client\)"):
        loaded.play("a6-a4")
    assert loaded._repr_svg_() is None
    with pytest.raises(InvalidField, match="is not a client"):
        loaded.attach("127.0.0.1:50051")
    # Calls take the client that they are sent with.
    assert client.send(client.calls.play(loaded, "a6-a4")).ply == 1
    assert loaded.attach(client).play("a6-a4") == state.play("a6-a4")


def test_answers_can_be_pickled(state: State) -> None:
    for answer in (
        state.moves(),
        state.steps("a6-a4"),
        state.suggest(iterations=50),
        state.simulate(2, seed=1),
        state.view(0),
        state.svg(),
    ):
        assert pickle.loads(pickle.dumps(answer)) == answer


OTHER_PROCESS = """
import pickle, sys
from tablier_client import Client
state = pickle.load(sys.stdin.buffer)
with Client(sys.argv[1]) as client:
    pickle.dump(state.attach(client).play("a6-a4"), sys.stdout.buffer)
"""


def test_a_state_travels_between_processes(address: str, client: Client, state: State) -> None:
    command = [sys.executable, "-c", OTHER_PROCESS, address]
    done = subprocess.run(command, input=pickle.dumps(state), stdout=subprocess.PIPE, check=True)
    back = pickle.loads(done.stdout).attach(client)
    assert back == state.play("a6-a4")
    assert back.play("13+1.1").ply == 2


def test_an_asynchronous_state_can_be_pickled(address: str) -> None:
    async def main() -> None:
        async with AsyncClient(address) as client:
            state = await client.start(GAME, seed=7, first=0)
            loaded = pickle.loads(pickle.dumps(state))
            assert (await loaded.attach(client).play("a6-a4")).ply == 1
            assert (await copy.deepcopy(state).svg())._repr_svg_().startswith("<svg")

    asyncio.run(main())


def test_an_error_can_be_pickled(state: State) -> None:
    with pytest.raises(IllegalMove) as caught:
        state.play("a6-a4", "a6-a4")
    loaded = pickle.loads(pickle.dumps(caught.value))
    assert type(loaded) is IllegalMove
    assert str(loaded) == str(caught.value)
    assert vars(loaded) == vars(caught.value)
    closed = pickle.loads(pickle.dumps(Closed("x", code=caught.value.code)))
    assert isinstance(closed, Closed)
    assert isinstance(copy.copy(InvalidField("x", code=caught.value.code)), InvalidField)
