"""The OpenAPI document is valid and complete, and its examples are real."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import jsonschema
import pytest
from google.api import annotations_pb2
from google.protobuf import json_format
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import Message
from google.rpc import status_pb2
from openapi_spec_validator import OpenAPIV31SpecValidator
from tablier.v1 import advisor_service_pb2, game_service_pb2
from tablier_core.registry import GAMES
from tablier_service.message_json.bindings import Binding, bindings
from tablier_service.openapi.comments import comments_of, read_comments
from tablier_service.openapi.document import openapi_document
from tablier_service.openapi.examples import Examples
from tablier_service.service import Service

from tests.options.values import good_options

PROTOS = Path(__file__).parents[3] / "proto" / "tablier" / "v1"
# The calls that have HTTP forms.
CALLS = [
    method.name
    for file in (game_service_pb2, advisor_service_pb2)
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
    if method.GetOptions().HasExtension(annotations_pb2.http)
]
Document = dict[str, Any]


@pytest.fixture(scope="module")
def forms(service: Service) -> list[Binding]:
    return [form for method in service.methods for form in bindings(method)]


@pytest.fixture(scope="module")
def document(service: Service, forms: list[Binding]) -> Document:
    loaded: Document = json.loads(openapi_document(forms, Examples(service.methods)))
    return loaded


def operations(document: Document) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for http_method, operation in item.items():
            yield path, http_method, operation


def test_is_valid_openapi(document: Document) -> None:
    assert document["openapi"].startswith("3.1")
    OpenAPIV31SpecValidator(document).validate()


def test_has_every_call(document: Document, forms: list[Binding]) -> None:
    served = {(form.path, form.http_method.lower()) for form in forms}
    assert {(path, method) for path, method, _ in operations(document)} == served
    names = [operation["operationId"] for *_, operation in operations(document)]
    assert len(set(names)) == len(names) == len(forms)


def test_everything_is_described(document: Document, service: Service) -> None:
    comments = read_comments()
    for method in service.methods:
        assert comments[method.descriptor.full_name]
    for name, schema in document["components"]["schemas"].items():
        assert schema["description"], name
        for field, inner in schema.get("properties", {}).items():
            assert inner.get("description"), f"{name}.{field}"


def test_reads_the_comments_of_the_protocol() -> None:
    comments = read_comments()
    source = (PROTOS / "game.proto").read_text() + (PROTOS / "game_service.proto").read_text()
    # The same words in the same order, without the line breaks.
    words = " ".join(source.replace("//", " ").split())
    for name in ("Move.action", "MoveDetail.MOVE_DETAIL_COUNT", "GameService.ListGames"):
        assert comments[f"tablier.v1.{name}"] in words
    paragraphs = comments["tablier.v1.GameService"].split("\n\n")
    assert len(paragraphs) > 1
    assert all(paragraph in words for paragraph in paragraphs)


def test_reads_the_comments_of_nested_elements() -> None:
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


def check(document: Document, schema: dict[str, Any], value: object) -> None:
    jsonschema.Draft202012Validator(
        {**schema, "components": document["components"]},
        format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER,
    ).validate(value)


@pytest.mark.parametrize("call", CALLS)
def test_examples_are_real(call: str, document: Document, forms: list[Binding]) -> None:
    own = [form for form in forms if form.method.descriptor.name == call]
    assert own
    for form in own:
        check_example(form, document)


def check_example(form: Binding, document: Document) -> None:
    operation = document["paths"][form.path][form.http_method.lower()]
    values, query = (
        {
            parameter["name"]: parameter["example"]
            for parameter in operation["parameters"]
            if parameter["in"] == place and "example" in parameter
        }
        for place in ("path", "query")
    )
    # They need no encoding in a URL.
    assert quote("".join(query.values()), safe="") == "".join(query.values())
    body = b""
    if form.has_body:
        content = operation["requestBody"]["content"]["application/json"]
        check(document, content["schema"], content["example"])
        body = json.dumps(content["example"]).encode()
    request = form.read(values, urlencode(query).encode(), body)
    assert isinstance(request, Message)
    answer = form.method.ask(request)
    content = operation["responses"]["200"]["content"]
    if form.method.streaming:
        events = content["text/event-stream"]
        check(document, events["schema"], events["example"])
        schema = events["schema"]["properties"]["data"]["contentSchema"]
        example = json.loads(events["example"]["data"])
    else:
        schema = content["application/json"]["schema"]
        example = content["application/json"]["example"]
    check(document, schema, example)
    assert example
    # Only the duration of a search differs from run to run.
    answered = json_format.MessageToDict(answer)
    assert answered.keys() == example.keys()
    answered["milliseconds"] = example["milliseconds"] = 0
    assert answered == example


@pytest.mark.parametrize("call", ["start", "replay"])
def test_bodies_describe_the_options_of_every_game(call: str, document: Document) -> None:
    body = document["paths"][f"/v1/games/{{game}}:{call}"]["post"]["requestBody"]
    schema = body["content"]["application/json"]["schema"]
    for game in GAMES:
        for options in good_options(game):
            check(document, schema, {"options": options})
    bad: list[object] = [{"nonsense": 1}, {"seats": True}, {"first": "nobody"}, {"deck": []}, []]
    for wrong in bad:
        with pytest.raises(jsonschema.ValidationError):
            check(document, schema, {"options": wrong})


def test_every_failure_is_a_status(document: Document) -> None:
    responses = document["components"]["responses"]
    for response in responses.values():
        content = response["content"]["application/json"]
        assert content["schema"] == {"$ref": "#/components/schemas/Status"}
        check(document, content["schema"], content["example"])
        status = json_format.ParseDict(content["example"], status_pb2.Status())
        assert status.code
        assert status.details
    for _, http_method, operation in operations(document):
        wanted = {"200", *responses} - ({"413", "415"} if http_method == "get" else set())
        assert operation["responses"].keys() == wanted


def test_schemas_reject_what_the_codec_rejects(document: Document) -> None:
    schema = {"$ref": "#/components/schemas/ApplyMovesRequest"}
    check(document, schema, {"state": "AAAA", "moves": [{"seat": -1, "action": 4}]})
    rejected: list[dict[str, Any]] = [
        {"moves": [{"action": -1}]},
        {"moves": [{"seat": 2**31}]},
        {"moves": {}},
        {"state": 5},
        {"stat": "AAAA"},
        {"includeSteps": "true"},
    ]
    for wrong in rejected:
        with pytest.raises(jsonschema.ValidationError):
            check(document, schema, wrong)
        assert json_rejects(wrong)
    with pytest.raises(jsonschema.ValidationError):
        check(
            document, {"$ref": "#/components/schemas/Operation"}, {"getGame": {}, "startGame": {}}
        )
    check(document, {"$ref": "#/components/schemas/Operation"}, {"getGame": {}, "id": "7"})
    check(document, {"$ref": "#/components/schemas/Operation"}, {"id": "7"})


def json_rejects(value: dict[str, Any]) -> bool:
    try:
        json_format.ParseDict(value, game_service_pb2.ApplyMovesRequest())
    except json_format.ParseError:
        return True
    return False
