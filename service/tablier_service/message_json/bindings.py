"""The HTTP forms of calls, from the `google.api.http` options of the protocol.

A rule has a path of literal segments and `{field}` segments, possibly a custom verb after a colon,
and either the body `*` or none; without a body, the remaining fields are query parameters. Rules
that use other features are rejected when the service starts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote

from google.api import annotations_pb2, http_pb2
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from tablier_core.elements import count_json

from tablier_service.calls.elements import SMALL_BYTES, most_elements, too_many_elements
from tablier_service.calls.messages import MAX_STRING
from tablier_service.calls.methods import Method
from tablier_service.calls.slices import Work
from tablier_service.errors import InvalidField, TooLarge
from tablier_service.message_json.converter import JsonConverter
from tablier_service.message_json.pieces import PIECE_BYTES, PIECE_VALUES
from tablier_service.message_json.text import parse_json

# The query parameter of calls that can answer with the document alone.
MEDIA = b"alt=media"
# No call has this many fields, so more parameters are an attack.
MAX_PARAMETERS = 100


class Template(NamedTuple):
    """A path: its segments, None in place of the value of a field, and its verb if it has one."""

    segments: tuple[str | None, ...]
    fields: tuple[str, ...]
    verb: str

    @classmethod
    def parse(cls, path: str) -> Template:
        """Parse the path of a rule, e.g. `/v1/games/{game}:start`."""
        if not path.startswith("/") or "*" in path or "=" in path:
            raise ValueError(f"{path}: only literal segments and {{field}} are supported")
        segments, verb = split_path(path)
        fields = tuple(part[1:-1] for part in segments if part.startswith("{"))
        return cls(tuple(None if part[0] == "{" else part for part in segments), fields, verb)

    def match(self, segments: Sequence[str]) -> dict[str, str] | None:
        """The values of the fields in a path with as many segments; None if a literal differs."""
        values = []
        for own, given in zip(self.segments, segments, strict=True):
            if own is None:
                values.append(given)
            elif own != given:
                return None
        return dict(zip(self.fields, values, strict=True))


def split_path(path: str) -> tuple[list[str], str]:
    """The segments of a path, and the verb after the last colon of the last one."""
    *segments, last = path[1:].split("/")
    last, _, verb = last.rpartition(":") if ":" in last else (last, "", "")
    return [*segments, last], verb


def unescape(name: str, text: str) -> str:
    """Decode the percent signs in a value; raises InvalidField."""
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise InvalidField(name, "is not UTF-8") from None


@dataclass(frozen=True)
class Binding:
    """One HTTP form of a method: where the fields of its request come from."""

    method: Method
    http_method: str
    path: str
    has_body: bool
    # Whether it is an additional form of its method.
    additional: bool
    path_fields: Mapping[str, FieldDescriptor]
    query_fields: Mapping[str, FieldDescriptor]
    converter: JsonConverter[Message]

    def read(self, values: Mapping[str, str], query: bytes, body: bytes) -> Message | Work[Message]:
        """Read a request, or return the work of reading a large one; raises InvalidField."""
        fields: Any = self._read_query(query) if query else {}
        if body:
            if len(body) > PIECE_BYTES and self.has_lists:
                return self._read_large(values, body)
            if len(body) > SMALL_BYTES and self._count(body) > PIECE_VALUES and self.has_lists:
                return self._read_large(values, body)
            fields = parse_json(body)
        self._add_path_values(values, fields)
        return self.converter.from_value(fields)

    def _read_large(self, values: Mapping[str, str], body: bytes) -> Work[Message]:
        count = self._count(body)
        yield
        add_path = partial(self._add_path_values, values)
        return (yield from self.converter.from_json_in_pieces(body, count, add_path))

    def _count(self, body: bytes) -> int:
        """The number of values in a body; raises TooLarge."""
        count = count_json(body, most_elements(self.method), MAX_STRING)
        if count == -1:
            raise too_many_elements(self.method)
        if count == -2:
            raise TooLarge("", f"a string or number in the body has more than {MAX_STRING} bytes")
        return count

    def _add_path_values(self, values: Mapping[str, str], fields: Any) -> None:
        """Add the values in the path to the fields of the body."""
        if type(fields) is not dict:
            name = self.method.descriptor.input_type.full_name
            raise InvalidField("", f"the body must be a JSON object, a {name}")
        for name, text in values.items():
            field = self.path_fields[name]
            for key in {field.json_name, field.name} & fields.keys():
                if fields.pop(key) != text:
                    raise InvalidField(key, "differs from the value in the path")
            fields[name] = text

    @cached_property
    def has_lists(self) -> bool:
        """Whether a request or its answer can be long: it contains a list of messages."""
        return any(
            field.is_repeated and field.message_type is not None
            for field in self.method.descriptor.input_type.fields
        )

    @cached_property
    def has_document(self) -> bool:
        """Whether the answer contains a document, which can also be sent alone."""
        return "media_type" in self.method.descriptor.output_type.fields_by_name

    def _read_query(self, query: bytes) -> dict[str, Any]:
        try:
            pairs = parse_qsl(
                query.decode("latin-1"),
                keep_blank_values=True,
                errors="strict",
                max_num_fields=MAX_PARAMETERS,
            )
        except ValueError:
            raise InvalidField(
                "", f"the query string is not UTF-8, or has more than {MAX_PARAMETERS} parameters"
            ) from None
        fields: dict[str, Any] = {}
        for key, text in pairs:
            field = self.query_fields.get(key)
            if field is None:
                raise InvalidField(key, "is not a parameter of this call")
            value: object = text
            if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
                value = {"true": True, "false": False}.get(text, text)
            if field.is_repeated:
                fields.setdefault(field.name, []).append(value)
            elif field.name in fields:
                raise InvalidField(key, "appears twice")
            else:
                fields[field.name] = value
        return fields


def bindings(method: Method) -> Iterator[Binding]:
    """The HTTP forms of a method; a stream of requests has none."""
    if method.descriptor.client_streaming:
        return
    main = method.descriptor.GetOptions().Extensions[annotations_pb2.http]
    converter = JsonConverter(method.request_type)
    yield bind(method, main, converter, additional=False)
    for rule in main.additional_bindings:
        yield bind(method, rule, converter, additional=True)


def whole_message(method: Method) -> Binding:
    """The HTTP form of a method whose body is the whole request, at the path of its name."""
    converter = JsonConverter(method.request_type)
    return Binding(method, "POST", method.path, True, False, {}, {}, converter)


def bind(
    method: Method, rule: http_pb2.HttpRule, converter: JsonConverter[Message], *, additional: bool
) -> Binding:
    """Make one HTTP form of a method; raises ValueError for an unsupported rule."""
    verb = rule.WhichOneof("pattern")
    name = method.descriptor.full_name
    if verb in (None, "custom") or rule.body not in ("", "*") or rule.response_body:
        raise ValueError(f"{name}: only an HTTP method and the body `*` are supported")
    path = str(getattr(rule, verb))
    named = Template.parse(path).fields
    fields = method.descriptor.input_type.fields_by_name
    path_fields = {field: fields[field] for field in named}
    query_fields = {}
    if not rule.body:
        for field in fields.values():
            if field.name not in path_fields:
                query_fields[field.name] = query_fields[field.json_name] = field
    for field in (*path_fields.values(), *query_fields.values()):
        if field.message_type is not None:
            raise ValueError(f"{name}: {field.name} is a message, which can only be in a body")
    return Binding(
        method,
        verb.upper(),
        path,
        bool(rule.body),
        additional,
        path_fields,
        query_fields,
        converter,
    )
