"""One suite, two doors: gRPC and REST give the same answers and the same errors."""

from __future__ import annotations

import grpc
import httpx
import pytest
from google.api import annotations_pb2
from google.protobuf import json_format, message_factory
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2, status_pb2
from tablier_service.errors import HTTP_STATUS
from tablier_service.servicer import GAME_SERVICE

from tests.contract.scenarios import SCENARIOS, Scenario
from tests.live_server import LiveServer


@pytest.fixture(scope="module")
def http(live_server: LiveServer):
    with httpx.Client(base_url=live_server.rest_url) as client:
        yield client


def over_grpc(channel: grpc.Channel, scenario: Scenario) -> Message | status_pb2.Status:
    method = GAME_SERVICE.methods_by_name[scenario.method]
    answer = message_factory.GetMessageClass(method.output_type)
    call = channel.unary_unary(
        f"/{GAME_SERVICE.full_name}/{method.name}",
        request_serializer=lambda request: request.SerializeToString(),
        response_deserializer=answer.FromString,
    )
    if scenario.code == "OK":
        answered: Message = call(scenario.request)
        return answered
    with pytest.raises(grpc.RpcError) as failure:
        call(scenario.request)
    trailers = {item.key: item.value for item in failure.value.trailing_metadata()}
    details = trailers["grpc-status-details-bin"]
    status = status_pb2.Status.FromString(details)
    assert status.code == failure.value.code().value[0]
    assert status.message == failure.value.details()
    return status


def over_rest(client: httpx.Client, scenario: Scenario) -> tuple[int, dict[str, object]]:
    method = GAME_SERVICE.methods_by_name[scenario.method]
    rule = method.GetOptions().Extensions[annotations_pb2.http]
    body = json_format.MessageToDict(scenario.request)
    path = (rule.get or rule.post).replace("{game}", str(body.pop("game", "")))
    response = client.get(path) if rule.get else client.post(path, json=body)
    return response.status_code, response.json()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_both_doors_answer_alike(
    channel: grpc.Channel, http: httpx.Client, scenario: Scenario
) -> None:
    by_grpc = over_grpc(channel, scenario)
    status, by_rest = over_rest(http, scenario)
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
        # The same content has another number of bytes as JSON, and the message says how many.
        assert by_rest["details"][0]["reason"] == "TOO_LARGE"  # type: ignore[index]
    else:
        assert json_format.ParseDict(by_rest, status_pb2.Status()) == by_grpc
