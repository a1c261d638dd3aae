"""The OpenAPI document: valid, complete, and its examples are what the service does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlencode

import jsonschema
import pytest
from google.protobuf import json_format
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.rpc import status_pb2
from openapi_spec_validator import OpenAPIV31SpecValidator
from tablier.v1 import game_service_pb2 as pb
from tablier_core.registry import GAMES
from tablier_service.calls.advisor import AdvisorServicer
from tablier_service.calls.servicer import GameServicer
from tablier_service.calls.use_cases import UseCases
from tablier_service.message_json.bindings import bindings
from tablier_service.openapi.comments import comments_of, read_comments
from tablier_service.openapi.document import openapi_document
from tablier_service.openapi.examples import Examples
from tablier_service.security.sealing import PlainTokens

ENGINE = UseCases(GAMES, PlainTokens(GAMES))
METHODS = (*GameServicer(ENGINE).methods, *AdvisorServicer(ENGINE, 1.0).methods)
FORMS = [binding for method in METHODS for binding in bindings(method)]
DOCUMENT: dict[str, Any] = json.loads(openapi_document(FORMS, Examples(METHODS)))


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in DOCUMENT["paths"].items():
        for http_method, operation in item.items():
            yield path, http_method, operation


def test_is_valid_openapi() -> None:
    assert DOCUMENT["openapi"].startswith("3.1")
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_has_every_call() -> None:
    served = {(form.path, form.http_method.lower()) for form in FORMS}
    assert {(path, method) for path, method, _ in operations()} == served
    names = [operation["operationId"] for *_, operation in operations()]
    assert len(set(names)) == len(names) == len(FORMS)


def test_everything_is_described() -> None:
    comments = read_comments()
    for method in METHODS:
        assert comments[method.descriptor.full_name]
    for name, schema in DOCUMENT["components"]["schemas"].items():
        assert schema["description"], name
        for field, inner in schema.get("properties", {}).items():
            assert inner.get("description"), f"{name}.{field}"


def test_comments_go_with_what_they_are_about() -> None:
    comments = read_comments()
    assert comments["tablier.v1.Move.action"].startswith("Action number: index")
    assert comments["tablier.v1.MoveDetail.MOVE_DETAIL_COUNT"] == "Only the number of moves."
    assert comments["tablier.v1.GameService.ListGames"].startswith("Lists the games")
    assert "\n\n" in comments["tablier.v1.GameService"]


def test_comments_of_what_is_nested() -> None:
    data = files("tablier.v1").joinpath("protocol.binpb").read_bytes()
    file = next(
        file for file in FileDescriptorSet.FromString(data).file if file.name.endswith("game.proto")
    )
    inner = file.message_type[0].nested_type.add(name="Inner")
    inner.enum_type.add(name="Kind").value.add(name="ONE")
    file.source_code_info.location.add(path=[4, 0, 3, 0], leading_comments=" Inside.\n")
    file.source_code_info.location.add(path=[4, 0, 3, 0, 4, 0, 2, 0], leading_comments=" Deep.\n")
    comments = dict(comments_of(file))
    outer = f"{file.package}.{file.message_type[0].name}"
    assert comments[f"{outer}.Inner"] == "Inside."
    assert comments[f"{outer}.Inner.Kind.ONE"] == "Deep."


def check(schema: dict[str, Any], value: object) -> None:
    jsonschema.Draft202012Validator(
        {**schema, "components": DOCUMENT["components"]},
        format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER,
    ).validate(value)


@pytest.mark.parametrize(
    "form", FORMS, ids=[f"{form.http_method}-{form.method.descriptor.name}" for form in FORMS]
)
def test_examples_are_what_the_service_does(form: Any) -> None:
    operation = DOCUMENT["paths"][form.path][form.http_method.lower()]
    values, query = (
        {
            parameter["name"]: parameter["example"]
            for parameter in operation["parameters"]
            if parameter["in"] == place and "example" in parameter
        }
        for place in ("path", "query")
    )
    # What a URL takes as it is needs no encoding.
    assert quote("".join(query.values()), safe="") == "".join(query.values())
    body = b""
    if form.has_body:
        content = operation["requestBody"]["content"]["application/json"]
        check(content["schema"], content["example"])
        body = json.dumps(content["example"]).encode()
    answer = form.method.ask(form.read(values, urlencode(query).encode(), body))
    content = operation["responses"]["200"]["content"]
    if form.method.streaming:
        events = content["text/event-stream"]
        check(events["schema"], events["example"])
        schema = events["schema"]["properties"]["data"]["contentSchema"]
        example = json.loads(events["example"]["data"])
    else:
        schema = content["application/json"]["schema"]
        example = content["application/json"]["example"]
    check(schema, example)
    assert example
    # How long a search took is the one thing that differs from run to run.
    answered = json_format.MessageToDict(answer)
    assert answered.keys() == example.keys()
    answered["milliseconds"] = example["milliseconds"] = 0
    assert answered == example


def test_every_failure_is_a_status() -> None:
    responses = DOCUMENT["components"]["responses"]
    for response in responses.values():
        content = response["content"]["application/json"]
        assert content["schema"] == {"$ref": "#/components/schemas/Status"}
        check(content["schema"], content["example"])
        status = json_format.ParseDict(content["example"], status_pb2.Status())
        assert status.code
        assert status.details
    for _, http_method, operation in operations():
        wanted = {"200", *responses} - ({"413", "415"} if http_method == "get" else set())
        assert operation["responses"].keys() == wanted


def test_schemas_refuse_what_the_codec_refuses() -> None:
    schema = {"$ref": "#/components/schemas/ApplyMovesRequest"}
    check(schema, {"state": "AAAA", "moves": [{"seat": -1, "action": 4}]})
    refused: list[dict[str, Any]] = [
        {"moves": [{"action": -1}]},
        {"moves": [{"seat": 2**31}]},
        {"moves": {}},
        {"state": 5},
        {"stat": "AAAA"},
        {"includeSteps": "true"},
    ]
    for wrong in refused:
        with pytest.raises(jsonschema.ValidationError):
            check(schema, wrong)
        assert json_refused(wrong)
    with pytest.raises(jsonschema.ValidationError):
        check({"$ref": "#/components/schemas/Operation"}, {"getGame": {}, "startGame": {}})
    check({"$ref": "#/components/schemas/Operation"}, {"getGame": {}, "id": "7"})
    check({"$ref": "#/components/schemas/Operation"}, {"id": "7"})


def json_refused(value: dict[str, Any]) -> bool:
    try:
        json_format.ParseDict(value, pb.ApplyMovesRequest())
    except json_format.ParseError:
        return True
    return False
