"""Checks that schemathesis runs on every answer besides its own; it loads this file as a hook."""

from __future__ import annotations

from typing import Any

import schemathesis
from google.protobuf import json_format, message_factory
from google.protobuf.message import Message
from tablier.v1 import advisor_service_pb2, game_service_pb2

METHODS = {
    method.name[0].lower() + method.name[1:]: method
    for file in (game_service_pb2, advisor_service_pb2)
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}


@schemathesis.check
def accepts_messages_only(ctx: Any, response: Any, case: Any) -> None:
    """Accepted bodies are valid ProtoJSON requests.

    ProtoJSON allows more than the document describes: null for a default, numbers as strings, both
    names of a field.
    """
    if response.status_code != 200 or case.method != "POST":
        return
    method = METHODS[case.operation.definition.raw["operationId"]]
    body = case.body if isinstance(case.body, dict) else {}
    request: Message = message_factory.GetMessageClass(method.input_type)()
    json_format.ParseDict(body, request)


@schemathesis.check
def refuses_with_a_status(ctx: Any, response: Any, case: Any) -> None:
    """Every failure is a google.rpc.Status with a reason."""
    if response.status_code >= 400:
        status = response.json()
        assert status["code"], status
        assert status["details"][0]["reason"], status
