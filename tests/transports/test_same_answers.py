"""All transports give the same answers and the same errors to the same scenarios."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from typing import Any

import grpc
import httpx
import pytest
from connectrpc.client import ConnectClientSync
from connectrpc.codec import Codec
from connectrpc.compat import google_protobuf_binary_codec, google_protobuf_json_codec
from connectrpc.compression import Compression
from connectrpc.compression.gzip import GzipCompression
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.protocol import ProtocolType
from google.api import annotations_pb2, http_pb2
from google.protobuf import any_pb2, json_format, message_factory
from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2, status_pb2
from tablier_service.calls.advisor import ADVISOR_SERVICE
from tablier_service.calls.servicer import GAME_SERVICE
from tablier_service.errors import HTTP_STATUS

from tests.live_server import LiveServer
from tests.transports.scenarios import SCENARIOS, Scenario


@pytest.fixture(scope="module")
def http(live_server: LiveServer):
    with httpx.Client(base_url=live_server.rest_url) as client:
        yield client


METHODS = {
    method.name: method for service in (GAME_SERVICE, ADVISOR_SERVICE) for method in service.methods
}


def last_of(answers: Iterator[Message]) -> Message:
    """The last answer of a stream: the number of answers before it depends on time."""
    *_, last = answers
    # The only field that depends on time.
    last.ClearField("milliseconds")
    return last


def over_grpc(channel: grpc.Channel, scenario: Scenario) -> Message | status_pb2.Status:
    method = METHODS[scenario.method]
    answer = message_factory.GetMessageClass(method.output_type)
    connect = channel.unary_stream if method.server_streaming else channel.unary_unary
    call: Any = connect(
        f"/{method.containing_service.full_name}/{method.name}",
        request_serializer=lambda request: request.SerializeToString(),
        response_deserializer=answer.FromString,
    )

    def ask() -> Message:
        answered: Any = call(scenario.request)
        return last_of(answered) if method.server_streaming else answered

    if scenario.code == "OK":
        return ask()
    with pytest.raises(grpc.RpcError) as failure:
        ask()
    trailers = {item.key: item.value for item in failure.value.trailing_metadata()}
    details = trailers["grpc-status-details-bin"]
    status = status_pb2.Status.FromString(details)
    assert status.code == failure.value.code().value[0]
    assert status.message == failure.value.details()
    return status


def over_rest(
    client: httpx.Client, scenario: Scenario, rule: http_pb2.HttpRule
) -> tuple[int, dict[str, object]]:
    """Make a call in one of its HTTP forms; tokens in a URL are base64url without padding."""
    fields = json_format.MessageToDict(scenario.request)
    path = (rule.get or rule.post).replace("{game}", str(fields.pop("game", "")))
    if rule.get:
        if "state" in fields:
            fields["state"] = fields["state"].translate(str.maketrans("+/", "-_")).rstrip("=")
        # Booleans are written as in JSON.
        response = client.get(path, params=fields)
    else:
        response = client.post(path, json=fields)
    method = METHODS[scenario.method]
    if method.server_streaming and response.status_code == 200:
        answer = message_factory.GetMessageClass(method.output_type)
        lines = [line for line in response.text.splitlines() if line and line != ":"]
        assert all(line.startswith("data: ") for line in lines)
        events = (json_format.Parse(line.removeprefix("data: "), answer()) for line in lines)
        return 200, json_format.MessageToDict(last_of(events))
    return response.status_code, response.json()


@dataclass(frozen=True)
class Speaker:
    """A client of connectrpc: a protocol, a form of its messages, and perhaps calls by GET."""

    protocol: ProtocolType
    codec: Codec[Any, Any]
    gets: bool = False
    compression: Compression | None = None

    def __str__(self) -> str:
        return "-".join(
            (
                self.protocol.name.lower(),
                self.codec.name(),
                *(("get",) if self.gets else ()),
                *(("gzip",) if self.compression else ()),
            )
        )


CODECS = (google_protobuf_binary_codec(), google_protobuf_json_codec(ignore_unknown_fields=False))
SPEAKERS = [
    *(
        Speaker(protocol, codec)
        for protocol in (ProtocolType.CONNECT, ProtocolType.GRPC_WEB)
        for codec in CODECS
    ),
    *(Speaker(ProtocolType.CONNECT, codec, gets=True) for codec in CODECS),
    *(
        Speaker(protocol, CODECS[0], compression=GzipCompression())
        for protocol in (ProtocolType.CONNECT, ProtocolType.GRPC_WEB)
    ),
]


def speaks(speaker: Speaker, scenario: Scenario) -> bool:
    """Whether a call can be made like this."""
    options = METHODS[scenario.method].GetOptions()
    pure = options.idempotency_level == MethodOptions.NO_SIDE_EFFECTS
    # A proxy would not let longer requests pass in a URL, and neither does the service.
    short = scenario.request.ByteSize() < 2000
    unary = not METHODS[scenario.method].server_streaming
    return not speaker.gets or (pure and short and unary)


@pytest.fixture(scope="module")
def connect(live_server: LiveServer) -> Iterator[Callable[[Speaker], ConnectClientSync]]:
    """Makes clients, one for each way to speak."""
    with ExitStack() as stack:

        @cache
        def make(speaker: Speaker) -> ConnectClientSync:
            client = ConnectClientSync(
                live_server.rest_url,
                codec=speaker.codec,
                protocol=speaker.protocol,
                send_compression=speaker.compression,
            )
            return stack.enter_context(client)

        yield make


def over_connect(
    client: ConnectClientSync, speaker: Speaker, scenario: Scenario
) -> Message | status_pb2.Status:
    method = METHODS[scenario.method]
    streaming = method.server_streaming
    info = MethodInfo(
        name=method.name,
        service_name=method.containing_service.full_name,
        input=type(scenario.request),
        output=message_factory.GetMessageClass(method.output_type),
        idempotency_level=IdempotencyLevel.NO_SIDE_EFFECTS,
        stream_type=StreamType.SERVER_STREAM if streaming else StreamType.UNARY,
    )
    try:
        if streaming:
            return last_of(client.execute_server_stream(request=scenario.request, method=info))
        return client.execute_unary(request=scenario.request, method=info, use_get=speaker.gets)
    except ConnectError as error:
        code = "CANCELLED" if error.code.value == "canceled" else error.code.value.upper()
        details = [any_pb2.Any(type_url=d._any.type_url, value=d._any.value) for d in error.details]
        return status_pb2.Status(
            code=code_pb2.Code.Value(code), message=error.message, details=details
        )


@pytest.mark.parametrize(
    ("speaker", "scenario"),
    [
        pytest.param(speaker, scenario, id=f"{scenario.name}-{speaker}")
        for scenario in SCENARIOS
        for speaker in SPEAKERS
        if speaks(speaker, scenario)
    ],
)
def test_connect_and_grpc_web_answer_like_grpc(
    channel: grpc.Channel,
    connect: Callable[[Speaker], ConnectClientSync],
    speaker: Speaker,
    scenario: Scenario,
) -> None:
    by_grpc = over_grpc(channel, scenario)
    answer = over_connect(connect(speaker), speaker, scenario)
    if scenario.reason == "TOO_LARGE":
        # The message contains the number of bytes, which is different for JSON.
        assert isinstance(answer, status_pb2.Status)
        assert isinstance(by_grpc, status_pb2.Status)
        assert (answer.code, answer.details[0]) == (by_grpc.code, by_grpc.details[0])
    else:
        assert answer == by_grpc


def forms_of(scenario: Scenario) -> list[http_pb2.HttpRule]:
    """All HTTP forms of the call of a scenario."""
    options = METHODS[scenario.method].GetOptions()
    main = options.Extensions[annotations_pb2.http]
    return [main, *main.additional_bindings]


EVERY_FORM = [(scenario, rule) for scenario in SCENARIOS for rule in forms_of(scenario)]


@pytest.mark.parametrize(
    ("scenario", "rule"),
    EVERY_FORM,
    ids=[f"{scenario.name}-{rule.WhichOneof('pattern')}" for scenario, rule in EVERY_FORM],
)
def test_both_transports_answer_alike(
    channel: grpc.Channel, http: httpx.Client, scenario: Scenario, rule: http_pb2.HttpRule
) -> None:
    by_grpc = over_grpc(channel, scenario)
    status, by_rest = over_rest(http, scenario, rule)
    if scenario.code == "OK":
        assert not isinstance(by_grpc, status_pb2.Status)
        assert status == 200
        assert json_format.ParseDict(by_rest, type(by_grpc)()) == by_grpc
        return
    assert isinstance(by_grpc, status_pb2.Status)
    assert code_pb2.Code.Name(by_grpc.code) == scenario.code  # type: ignore[arg-type]
    info = error_details_pb2.ErrorInfo()
    assert by_grpc.details[0].Unpack(info)
    assert (info.reason, info.domain) == (scenario.reason, "tablier")
    assert info.metadata.get("field", "") == scenario.field
    if scenario.field:
        bad = error_details_pb2.BadRequest()
        assert by_grpc.details[1].Unpack(bad)
        assert bad.field_violations[0].field == scenario.field
    assert status == (413 if scenario.reason == "TOO_LARGE" else HTTP_STATUS[by_grpc.code])
    if scenario.reason == "TOO_LARGE":
        # The message contains the number of bytes, which is different for JSON.
        assert by_rest["details"][0]["reason"] == "TOO_LARGE"  # type: ignore[index]
    else:
        assert json_format.ParseDict(by_rest, status_pb2.Status()) == by_grpc


def test_every_call_has_scenarios_that_succeed_and_fail() -> None:
    served = {
        name: method.GetOptions().Extensions[annotations_pb2.http].WhichOneof("pattern")
        for name, method in METHODS.items()
    }
    calls = {name for name, verb in served.items() if verb}
    assert {scenario.method for scenario in SCENARIOS if scenario.code == "OK"} == calls
    # Asking for the whole catalogue cannot fail.
    wrong = {scenario.method for scenario in SCENARIOS if scenario.code != "OK"}
    assert wrong == calls - {"ListGames"}
