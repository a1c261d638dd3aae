"""Routes and bindings: from `google.api.http` options to requests."""

from __future__ import annotations

from typing import Any

import pytest
from google.api import annotations_pb2, http_pb2
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.message import Message
from tablier.v1 import game_service_pb2 as pb
from tablier_service.calls.methods import Method
from tablier_service.errors import InvalidField
from tablier_service.message_json.bindings import Binding, Template, bind, bindings
from tablier_service.message_json.converter import JsonConverter
from tablier_service.service import Service
from tablier_service.transports.http.router import Router


def router() -> Router[str]:
    made: Router[str] = Router()
    made.add("GET", "/v1/games", "list")
    made.add("GET", "/v1/games/{game}", "get")
    made.add("POST", "/v1/games/{game}:start", "start")
    made.add("POST", "/v1/games/{game}:replay", "replay")
    made.add("POST", "/v1/states:describe", "describe")
    made.add("GET", "/v1/{kind}/of/{game}", "two")
    return made


@pytest.mark.parametrize(
    ("path", "targets", "values"),
    [
        ("/v1/games", {"GET": "list"}, {}),
        ("/v1/games/x", {"GET": "get"}, {"game": "x"}),
        ("/v1/games/x:start", {"POST": "start"}, {"game": "x"}),
        ("/v1/games/x:y:start", {"POST": "start"}, {"game": "x:y"}),
        ("/v1/games/x%3Astart", {"GET": "get"}, {"game": "x:start"}),
        ("/v1/games/a%2Fb%20%C3%A9", {"GET": "get"}, {"game": "a/b é"}),
        ("/v1/states:describe", {"POST": "describe"}, {}),
        ("/v1/a/of/b", {"GET": "two"}, {"kind": "a", "game": "b"}),
        ("/v1/games/", {}, {}),
        ("/v1/games/:start", {}, {}),
        ("/v1/games/x:stop", {}, {}),
        ("/v1/games/x/y", {}, {}),
        ("/v1/states", {}, {}),
        ("/v1/games:start", {}, {}),
        ("/v2/games/x", {}, {}),
        ("/", {}, {}),
        ("", {}, {}),
        ("*", {}, {}),
    ],
)
def test_finds_a_path(path: str, targets: dict[str, str], values: dict[str, str]) -> None:
    assert router().find(path, path.encode()) == (targets, values)


def test_names_a_path_field_that_is_not_utf8() -> None:
    with pytest.raises(InvalidField) as caught:
        router().find("/v1/games/\ufffd", b"/v1/games/%FF")
    assert caught.value.field == "game"


def test_a_path_has_one_target() -> None:
    with pytest.raises(ValueError, match="two targets"):
        router().add("POST", "/v1/games/{game}:start", "again")


@pytest.mark.parametrize("path", ["v1/games", "/v1/{name=games/*}", "/v1/**", "/v1/*"])
def test_rejects_other_templates(path: str) -> None:
    with pytest.raises(ValueError, match="supported"):
        Template.parse(path)


def binding(service: Service, name: str) -> Binding:
    return next(bindings(service.method(name)))


def test_every_call_has_its_route(service: Service) -> None:
    forms = {}
    for method in service.methods:
        if method.descriptor.client_streaming:
            continue
        name = method.descriptor.name
        form = next(bindings(method))
        forms[name] = (form.http_method, form.path)
        rule = method.descriptor.GetOptions().Extensions[annotations_pb2.http]
        verb = rule.WhichOneof("pattern")
        assert verb is not None
        assert forms[name] == (verb.upper(), getattr(rule, verb))
    assert forms["StartGame"] == ("POST", "/v1/games/{game}:start")
    assert list(bindings(service.method("Play"))) == []


def test_path_and_body_make_one_request(service: Service) -> None:
    start = binding(service, "StartGame")
    expected = pb.StartGameRequest(game="g", seed=5)
    assert start.read({"game": "g"}, b"", b'{"seed":5}') == expected
    assert start.read({"game": "g"}, b"", b'{"seed":5,"game":"g"}') == expected
    assert start.read({"game": "g"}, b"", b"") == pb.StartGameRequest(game="g")


@pytest.mark.parametrize(
    ("query", "body", "field"),
    [
        (b"", b'{"game":"h"}', "game"),
        (b"", b"[]", ""),
        (b"", b"{", ""),
        (b"seed=5", b"{}", "seed"),
        (b"x=1", b"", "x"),
    ],
)
def test_rejects_contradictions(service: Service, query: bytes, body: bytes, field: str) -> None:
    with pytest.raises(InvalidField) as caught:
        binding(service, "StartGame").read({"game": "g"}, query, body)
    assert caught.value.field == field


def test_an_empty_query_leaves_the_body_alone(service: Service) -> None:
    read = binding(service, "StartGame").read({"game": "g"}, b"&", b'{"seed":5}')
    assert read == pb.StartGameRequest(game="g", seed=5)


def search_method() -> tuple[Method, Any]:
    """A method with every kind of query parameter, which the protocol does not have."""
    file = descriptor_pb2.FileDescriptorProto(
        name="tests/search.proto", package="tests", syntax="proto3"
    )
    request = file.message_type.add(name="SearchRequest")
    for number, (name, kind, label) in enumerate(
        [
            ("shelf", Field.TYPE_STRING, 1),
            ("page_size", Field.TYPE_INT32, 1),
            ("with_text", Field.TYPE_BOOL, 1),
            ("seed", Field.TYPE_UINT64, 1),
            ("words", Field.TYPE_STRING, 3),
        ],
        start=1,
    ):
        field = request.field.add(name=name, number=number)
        field.type = kind  # type: ignore[assignment]
        field.label = label  # type: ignore[assignment]
    nested = request.field.add(name="inner", number=6, type_name=".tests.SearchRequest")
    nested.type = Field.TYPE_MESSAGE  # type: ignore[assignment]
    nested.label = 1  # type: ignore[assignment]
    flat = file.message_type.add(name="FlatRequest")
    flat.field.extend(field for field in request.field if field.name != "inner")
    service = file.service.add(name="Search")
    for name in ("Search", "Flat"):
        service.method.add(
            name=name, input_type=f".tests.{name}Request", output_type=f".tests.{name}Request"
        )
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    made = pool.FindServiceByName("tests.Search").methods_by_name
    types = [message_factory.GetMessageClass(made[name].input_type) for name in ("Search", "Flat")]
    deep = Method(made["Search"], types[0], lambda request: request, False, False)
    return Method(made["Flat"], types[1], lambda request: request, False, False), deep


FLAT, DEEP = search_method()


def bound(method: Method, **rule: str) -> Binding:
    converter: JsonConverter[Message] = JsonConverter(method.request_type)
    return bind(method, http_pb2.HttpRule(**rule), converter, additional=False)  # type: ignore[arg-type]


def test_query_parameters_are_fields() -> None:
    form = bound(FLAT, get="/v1/{shelf}")
    query = b"pageSize=3&with_text=true&seed=18446744073709551615&words=a+b&words=%C3%A9"
    assert form.read({"shelf": "s"}, query, b"") == FLAT.request_type(
        shelf="s", page_size=3, with_text=True, seed=2**64 - 1, words=["a b", "é"]
    )


@pytest.mark.parametrize(
    ("query", "field"),
    [
        (b"pageSize=x", "page_size"),
        (b"with_text=1", "with_text"),
        (b"seed=-1", "seed"),
        (b"pageSize=1&page_size=1", "page_size"),
        (b"shelf=t", "shelf"),
        (b"nothing=1", "nothing"),
        (b"words=%FF", ""),
        (b"&".join([b"words=a"] * 101), ""),
    ],
)
def test_names_invalid_query_parameters(query: bytes, field: str) -> None:
    with pytest.raises(InvalidField) as caught:
        bound(FLAT, get="/v1/{shelf}").read({"shelf": "s"}, query, b"")
    assert caught.value.field == field


@pytest.mark.parametrize(
    "rule",
    [
        {"get": "/v1/{shelf}"},
        {"post": "/v1/{inner}", "body": "*"},
        {"post": "/v1/x", "body": "inner"},
        {"post": "/v1/x", "body": "*", "response_body": "inner"},
        {},
    ],
)
def test_rejects_rules_that_are_not_supported(rule: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"supported|message"):
        bound(DEEP, **rule)
