"""Options through every interface: the core, gRPC, REST, the client and the command line.

All accept the same values, which start the same game, and all reject the same values with
INVALID_OPTION and the same path.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import grpc
import httpx
import pytest
from click.testing import CliRunner
from google.protobuf.struct_pb2 import Struct
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from tablier.v1 import game_service_pb2 as pb
from tablier.v1.game_service_pb2_grpc import GameServiceStub
from tablier_cli import main
from tablier_client import Client, TablierError
from tablier_core import codec
from tablier_core.errors import OptionError
from tablier_core.registry import GAMES
from tablier_core.testing.perft import perft

from tests.live_server import LiveServer
from tests.options.values import bad_options, good_options

Options = Mapping[str, Any]
# The token of the game that starts, or the reason and the path of the error.
Outcome = bytes | tuple[str, str]
Interface = Callable[[str, Options], Outcome]

SEED = 7
PREFIX = "options."


def through_core(game: str, options: Options) -> Outcome:
    try:
        return codec.encode(GAMES[game].start(options, SEED))
    except OptionError as error:
        return error.reason, error.field


def argument(game: str, name: str, value: object) -> str:
    """An option as people type it: words without quotes, unless they would be other JSON values."""
    schema = GAMES[game].options.properties.get(name, {})
    if isinstance(value, str):
        try:
            json.loads(value)
        except ValueError:
            return value
        if schema.get("type") == "string":
            return value
    return json.dumps(value)


def through_command_line(game: str, options: Options) -> Outcome:
    pairs = [f"--option={name}={argument(game, name, value)}" for name, value in options.items()]
    command = ["perft", game, "--depth=1", f"--seed={SEED}", *pairs]
    result = CliRunner().invoke(main, command, env={"COLUMNS": "1000"})
    if result.exit_code == 0:
        # The command prints no token, but the number of first moves.
        position = GAMES[game].start(options, SEED)
        assert int(result.stdout.split("\t")[1]) == perft(position, 1)
        return codec.encode(position)
    assert result.exit_code == 2
    found = re.search(r"Invalid value for --option ([\w.\[\]]*): ", result.stderr)
    assert found is not None, result.stderr
    return "INVALID_OPTION", found[1]


def client_error(error: TablierError) -> Outcome:
    assert error.field.startswith(PREFIX)
    return error.reason, error.field.removeprefix(PREFIX)


@pytest.fixture(scope="module")
def interfaces(live_server: LiveServer) -> Iterator[dict[str, Interface]]:
    channel = grpc.insecure_channel(live_server.grpc_address)
    stub = GameServiceStub(channel)

    def through_grpc(game: str, options: Options) -> Outcome:
        struct = Struct()
        struct.update(options)
        try:
            return stub.StartGame(pb.StartGameRequest(game=game, options=struct, seed=SEED)).state
        except grpc.RpcError as error:
            status = rpc_status.from_call(cast("grpc.Call", error))
            assert status is not None
            info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
            assert status.details[0].Unpack(info)
            assert status.details[1].Unpack(bad)
            return info.reason, bad.field_violations[0].field.removeprefix(PREFIX)

    def through_rest(game: str, options: Options) -> Outcome:
        # It writes NaN and Infinity, as many libraries do.
        body = json.dumps({"seed": SEED, "options": options})
        headers = {"content-type": "application/json"}
        reply = web.post(f"/v1/games/{game}:start", content=body, headers=headers)
        answer = reply.json()
        if reply.status_code == 200:
            return base64.b64decode(answer["state"])
        assert reply.status_code == 400
        info, bad = answer["details"]
        path: str = bad["fieldViolations"][0]["field"]
        return info["reason"], path.removeprefix(PREFIX)

    def through_client(game: str, options: Options) -> Outcome:
        try:
            return client.start(game, options, seed=SEED).token
        except TablierError as error:
            return client_error(error)

    def through_replay(game: str, options: Options) -> Outcome:
        try:
            return client.replay(game, [], options, seed=SEED).state.token
        except TablierError as error:
            return client_error(error)

    def through_batch(game: str, options: Options) -> Outcome:
        answer = client.batch([client.calls.start(game, options, seed=SEED)])[0]
        return client_error(answer) if isinstance(answer, TablierError) else answer.token

    with (
        httpx.Client(base_url=live_server.rest_url) as web,
        Client(live_server.grpc_address) as client,
    ):
        yield {
            "core": through_core,
            "command line": through_command_line,
            "gRPC": through_grpc,
            "REST": through_rest,
            "client": through_client,
            "replay": through_replay,
            "batch": through_batch,
        }
    channel.close()


every_game = pytest.mark.parametrize("game", sorted(GAMES))


@every_game
def test_every_interface_accepts_the_same_options(
    game: str, interfaces: dict[str, Interface]
) -> None:
    for options in good_options(game):
        token = codec.encode(GAMES[game].start(options, SEED))
        outcomes = {name: interface(game, options) for name, interface in interfaces.items()}
        wrong = {name: outcome for name, outcome in outcomes.items() if outcome != token}
        assert wrong == {}, options


@every_game
def test_every_interface_rejects_the_same_options(
    game: str, interfaces: dict[str, Interface]
) -> None:
    for options, path in bad_options(game):
        outcomes = {name: interface(game, options) for name, interface in interfaces.items()}
        wrong = {
            name: outcome
            for name, outcome in outcomes.items()
            if outcome != ("INVALID_OPTION", path)
        }
        assert wrong == {}, options


@pytest.mark.parametrize(
    ("game", "options", "path"),
    [
        ("contigo-alignment", {"beads": [0] * 28}, "beads"),
        ("contigo-alignment", {"beads": [6] * 28}, "beads"),
        ("contigo-alignment", {"layout": "RRRR../....../....../....../....../......"}, "layout"),
        ("contigo-capture", {"layout": "R...../....../....../....../....../......"}, "layout"),
        ("contract", {"seats": 4, "mafiosi": {
            "brakova": [], "yakaz": [], "rodrigos": [], "costa": [], "blackmat": []}}, "mafiosi"),
        ("contrast", {"deck": [[0.5] * 12] * 22}, "deck"),
        ("mafia-de-cuba", {"cleaner": True, "tokens": {"fbi": 1}}, "cleaner"),
    ],
)  # fmt: skip
def test_every_interface_checks_what_a_schema_cannot_state(
    game: str, options: Options, path: str, interfaces: dict[str, Interface]
) -> None:
    for interface in interfaces.values():
        assert interface(game, options) == ("INVALID_OPTION", path)


def test_the_first_error_does_not_depend_on_the_order_of_the_options(
    interfaces: dict[str, Interface],
) -> None:
    for options in ({"seats": 9, "expert": 1}, {"expert": 1, "seats": 9}):
        for interface in interfaces.values():
            assert interface("contrast", options) == ("INVALID_OPTION", "seats")
        for interface in interfaces.values():
            assert interface("contrast", {**options, "b": 1, "a": 1}) == ("INVALID_OPTION", "a")
