"""Which HTTP request is which call, and what of it is where: read from `google.api.http`.

A rule may have a path of literal segments and `{field}` segments, a custom verb behind a colon, and
either the body `*` or none; without a body the remaining fields are query parameters. Other forms
of the language of these rules are refused when the service starts, not misread when it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import parse_qsl, unquote

from google.api import annotations_pb2, http_pb2
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from tablier_service.calls.methods import Method
from tablier_service.errors import InvalidField
from tablier_service.message_json.codec import JsonCodec, parse_json

T = TypeVar("T")

# More parameters than any call has fields are an attack.
MAX_PARAMETERS = 100


class Template(NamedTuple):
    """A path: its segments, None where a field's value stands, and its verb or an empty string."""

    segments: tuple[str | None, ...]
    fields: tuple[str, ...]
    verb: str

    @classmethod
    def parse(cls, path: str) -> Template:
        """Of a rule's path, e.g. `/v1/games/{game}:start`."""
        if not path.startswith("/") or "*" in path or "=" in path:
            raise ValueError(f"{path}: only literal segments and {{field}} are understood")
        segments, verb = split_path(path)
        fields = tuple(part[1:-1] for part in segments if part.startswith("{"))
        return cls(tuple(None if part[0] == "{" else part for part in segments), fields, verb)

    def match(self, segments: Sequence[str]) -> dict[str, str] | None:
        """The fields' values in a path of as many segments; None if a literal differs."""
        values = []
        for mine, given in zip(self.segments, segments, strict=True):
            if mine is None:
                values.append(given)
            elif mine != given:
                return None
        return dict(zip(self.fields, values, strict=True))


def split_path(path: str) -> tuple[list[str], str]:
    """A path's segments, and the verb behind the last one's last colon."""
    *segments, last = path[1:].split("/")
    last, _, verb = last.rpartition(":") if ":" in last else (last, "", "")
    return [*segments, last], verb


class Router(Generic[T]):
    """Finds what was added for a path: by one look-up, or among the few templates of its shape."""

    def __init__(self) -> None:
        self._exact: dict[str, dict[str, T]] = {}
        self._shapes: dict[tuple[int, str], dict[Template, dict[str, T]]] = {}

    def add(self, http_method: str, path: str, target: T) -> None:
        """Serve a path, or all paths of a template, to a method."""
        if "{" in path:
            template = Template.parse(path)
            shape = self._shapes.setdefault((len(template.segments), template.verb), {})
            targets = shape.setdefault(template, {})
        else:
            targets = self._exact.setdefault(path, {})
        if http_method in targets:
            raise ValueError(f"{http_method} {path} is served twice")
        targets[http_method] = target

    def find(self, path: str, raw_path: bytes) -> tuple[Mapping[str, T], Mapping[str, str]]:
        """What a path serves to which HTTP method, and the fields in it; nothing if unknown.

        Fields are taken from the path as it was sent: `%2F` and `%3A` in a value separate nothing.
        """
        exact = self._exact.get(path)
        if exact is not None:
            return exact, {}
        segments, verb = split_path(raw_path.decode("latin-1"))
        for template, targets in self._shapes.get((len(segments), verb), {}).items():
            values = template.match(segments)
            if values is not None and all(values.values()):
                return targets, {name: unescape(name, text) for name, text in values.items()}
        return {}, {}


def unescape(name: str, text: str) -> str:
    """A path segment's or parameter's value without its percent signs."""
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise InvalidField(name, "is not UTF-8") from None


@dataclass(frozen=True)
class Binding:
    """One HTTP form of a call: where its request's fields come from."""

    method: Method
    http_method: str
    path: str
    has_body: bool
    # Whether it stands beside the call's first form.
    additional: bool
    path_fields: Mapping[str, FieldDescriptor]
    query_fields: Mapping[str, FieldDescriptor]
    codec: JsonCodec[Message]

    def read(self, values: Mapping[str, str], query: bytes, body: bytes) -> Message:
        """The request; raises InvalidField."""
        fields: Any = self._read_query(query) if query else {}
        if body:
            fields = parse_json(body)
            if type(fields) is not dict:
                name = self.method.descriptor.input_type.full_name
                raise InvalidField("", f"the body must be a JSON object, a {name}")
        for name, text in values.items():
            field = self.path_fields[name]
            for key in {field.json_name, field.name} & fields.keys():
                if fields.pop(key) != text:
                    raise InvalidField(key, "is given by the path, and differs from it")
            fields[name] = text
        return self.codec.from_value(fields)

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
                raise InvalidField(key, "is no parameter of this call")
            value: object = text
            if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
                value = {"true": True, "false": False}.get(text, text)
            if field.is_repeated:
                fields.setdefault(field.name, []).append(value)
            elif field.name in fields:
                raise InvalidField(key, "comes twice")
            else:
                fields[field.name] = value
        return fields


def bindings(method: Method) -> Iterator[Binding]:
    """The HTTP forms of a call, as its options in the proto say; a stream of requests has none."""
    if method.descriptor.client_streaming:
        return
    main = method.descriptor.GetOptions().Extensions[annotations_pb2.http]
    codec = JsonCodec(method.request_type)
    yield bind(method, main, codec, additional=False)
    for rule in main.additional_bindings:
        yield bind(method, rule, codec, additional=True)


def bind(
    method: Method, rule: http_pb2.HttpRule, codec: JsonCodec[Message], *, additional: bool
) -> Binding:
    """One HTTP form of a call; raises ValueError for what a Binding cannot do."""
    verb = rule.WhichOneof("pattern")
    name = method.descriptor.full_name
    if verb in (None, "custom") or rule.body not in ("", "*") or rule.response_body:
        raise ValueError(f"{name}: only an HTTP method and the body `*` are understood")
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
            raise ValueError(f"{name}: {field.name} is a message, and so can come in a body only")
    return Binding(
        method,
        verb.upper(),
        path,
        bool(rule.body),
        additional,
        path_fields,
        query_fields,
        codec,
    )
