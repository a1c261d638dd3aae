"""The OpenAPI 3.1 document of the REST API, from the descriptors and their comments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from google.protobuf.descriptor import FieldDescriptor
from google.rpc import status_pb2
from tablier_core.errors import MoveIllegal, UnknownGame
from tablier_core.registry import GAMES

from tablier_service.calls.pictures import MEDIA_TYPES
from tablier_service.errors import InvalidField, TooLarge, status_of
from tablier_service.message_json.bindings import Binding
from tablier_service.message_json.converter import JsonConverter
from tablier_service.message_json.descriptors import descriptor_of, message_class
from tablier_service.openapi.comments import read_comments
from tablier_service.openapi.examples import Examples, NoExamples
from tablier_service.openapi.schemas import Schema, Schemas

# The failures of every call: when each occurs, and the error in its example.
ERRORS: Mapping[str, tuple[str, Exception]] = {
    "400": (
        "The request is invalid, or not possible in this state.",
        MoveIllegal("moves[0]", "a6-a1 is not legal for seat 0 now (pawn)"),
    ),
    "404": ("There is no such game.", UnknownGame("game", "there is no game with this name")),
    "413": ("The request is larger than this call accepts.", TooLarge("", "has too many bytes")),
    "415": (
        "The body is not sent as application/json.",
        InvalidField("", "the body must be application/json, and not compressed"),
    ),
    "default": ("Any other failure.", RuntimeError()),
}
BODY_ERRORS = frozenset({"413", "415"})
# The version of the protocol, `tablier.v1`: the document changes with it, not with every release.
VERSION = "v1"
# From the standard alphabet of base64 to that of base64url.
# How to ask for a document by its address alone.
ALT: Schema = {
    "name": "alt",
    "in": "query",
    "required": False,
    "description": "`media`: the answer is the document alone, as for clients that prefer its "
    "media type to JSON in the header Accept.",
    "schema": {"type": "string", "enum": ["media"]},
}
URL_SAFE = str.maketrans("+/", "-_")
ABOUT = (
    "Rules of games as a service. A state is one opaque token that the caller keeps; the service "
    "keeps nothing. Bytes are base64: answers use the standard alphabet; requests may use it or "
    "base64url, padded or not; URLs require base64url. 64-bit integers are strings. Fields with "
    "their default value are omitted. Every failure is a google.rpc.Status."
)


def openapi_document(forms: Sequence[Binding], examples: Examples | NoExamples) -> bytes:
    """Write the document as JSON."""
    comments = read_comments()
    options = {name: game.options.document for name, game in sorted(GAMES.items())}
    schemas = Schemas(comments, options)
    paths: dict[str, dict[str, object]] = {}
    services = {}
    for form in forms:
        service = form.method.descriptor.containing_service
        services[service.name] = comments.get(service.full_name, "")
        about = comments.get(form.method.descriptor.full_name, "")
        operation = describe(form, about, schemas, examples)
        paths.setdefault(form.path, {})[form.http_method.lower()] = operation
    status = schemas.message(descriptor_of(status_pb2.Status))
    write_status = JsonConverter(status_pb2.Status).to_value
    return orjson.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": "Tablier", "version": VERSION, "description": ABOUT},
            "tags": [{"name": name, "description": text} for name, text in services.items()],
            "paths": paths,
            "components": {
                "schemas": dict(sorted(schemas.components.items())),
                "responses": {
                    code: {
                        "description": text,
                        "content": {
                            "application/json": {
                                "schema": status,
                                "example": write_status(status_of(error)),
                            }
                        },
                    }
                    for code, (text, error) in ERRORS.items()
                },
            },
        }
    )


def describe(
    form: Binding, about: str, schemas: Schemas, examples: Examples | NoExamples
) -> Schema:
    """Describe one operation."""
    method = form.method
    name = method.descriptor.name
    request = form.converter.to_value(examples.request(method))
    operation: Schema = {
        # Unique in the document: a call may have several forms.
        "operationId": f"{name[0].lower()}{name[1:]}{'ByGet' if form.additional else ''}",
        "summary": about.partition(". ")[0].removesuffix("."),
        "description": about,
        "tags": [method.descriptor.containing_service.name],
        "parameters": [
            *(parameter(field, "path", schemas, request) for field in form.path_fields.values()),
            *(
                parameter(field, "query", schemas, request)
                for key, field in form.query_fields.items()
                if key == field.json_name
            ),
            *([ALT] if form.has_document and not form.has_body else ()),
        ],
        "responses": {
            "200": {
                "description": "The answers, one per event." if method.streaming else "The answer.",
                "content": answers(form, schemas, examples),
            },
            **{
                code: {"$ref": f"#/components/responses/{code}"}
                for code in ERRORS
                if form.has_body or code not in BODY_ERRORS
            },
        },
    }
    if form.has_body:
        operation["requestBody"] = request_body(form, schemas, request)
    return operation


def answers(form: Binding, schemas: Schemas, examples: Examples | NoExamples) -> Schema:
    """Describe the answers of a call by media type."""
    method = form.method
    schema = schemas.message(method.descriptor.output_type)
    converter = JsonConverter(message_class(method.descriptor.output_type))
    answer = examples.answer(method)
    if not method.streaming:
        documents: Schema = {
            media_type: {} for media_type in MEDIA_TYPES.values() if form.has_document
        }
        json_answer = {"schema": schema, "example": converter.to_value(answer)}
        return {"application/json": json_answer, **documents}
    text = (
        "One server-sent event, whose data is one answer. If the call fails after the first, the "
        "last event has the type `error`, and its data is a Status."
    )
    data = {"type": "string", "contentMediaType": "application/json", "contentSchema": schema}
    event: Schema = {
        "type": "object",
        "description": text,
        "required": ["data"],
        "properties": {"data": data, "event": {"type": "string", "enum": ["message", "error"]}},
    }
    example = {"data": converter.to_json(answer).decode()}
    return {"text/event-stream": {"schema": event, "example": example}}


def parameter(
    field: FieldDescriptor, place: str, schemas: Schemas, request: dict[str, Any]
) -> Schema:
    """Describe a field in the path or the query string."""
    schema = schemas.field(field)
    in_url = {"contentEncoding": "base64url"} if "contentEncoding" in schema else {}
    described: Schema = {
        "name": field.name if place == "path" else field.json_name,
        "in": place,
        "required": place == "path",
        "description": schema.pop("description", ""),
        "schema": {**schema, **in_url},
    }
    if field.json_name in request:
        example = request[field.json_name]
        described["example"] = example.translate(URL_SAFE).rstrip("=") if in_url else example
    return described


def request_body(form: Binding, schemas: Schemas, request: dict[str, Any]) -> Schema:
    """Describe the body: the fields of the request that are not in the path."""
    descriptor = form.method.descriptor.input_type
    in_path = frozenset(form.path_fields)
    names = {field.json_name for field in form.path_fields.values()}
    schema = schemas.fields(descriptor, in_path) if in_path else schemas.message(descriptor)
    example = {name: value for name, value in request.items() if name not in names}
    return {"content": {"application/json": {"schema": schema, "example": example}}}
