"""Game options: one JSON Schema per game, from which everything about its options is made.

A game declares its options as the properties of a JSON Schema (draft 2020-12). `OptionSchema` reads
the values of callers with it. The catalogue, the OpenAPI document, the types of the client and the
tables in the documentation are made from the same schema. The game's own `pack_options` then checks
what a schema cannot state well, such as rules about several options; the descriptions mention them.

Schemas use a small part of JSON Schema, so that reading is fast and errors can say in words what is
accepted. A keyword that is not read here is an error at import.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tablier_core.errors import OptionError
from tablier_core.languages import Language

# A JSON value: None, bool, int, float, str, list or tuple, or a mapping from str.
Value = object
Schema = Mapping[str, Any]
# Checks a value and returns it in one form; raises OptionError with a path within the value.
Reader = Callable[[Value], Any]

DRAFT = "https://json-schema.org/draft/2020-12/schema"
# The keywords of each type that state which values are accepted.
KEYWORDS = {
    "boolean": (),
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum", "multipleOf"),
    "string": ("enum", "pattern"),
    "array": ("items", "minItems", "maxItems", "uniqueItems"),
    "object": ("properties", "required", "additionalProperties"),
}
ANNOTATIONS = ("type", "description", "default")
# As tuples, because a union would be made again for every value.
NUMBERS = (int, float)
LISTS = (list, tuple)
# The context of the titles of options in the catalogues.
TITLE = "option"
# Callers choose the names of unknown options, so errors repeat only the beginning.
LONGEST_NAME = 64


def title_of(name: str) -> str:
    """What people read instead of the name of an option."""
    return name.replace("_", " ").capitalize()


class OptionSchema:
    """The options of a game, by name."""

    def __init__(self, properties: Mapping[str, Schema]) -> None:
        self.properties = properties
        self._read = object_reader(properties, ())
        # An option that is absent and has no default is None.
        self._defaults = dict.fromkeys(properties) | self._read(
            {name: schema["default"] for name, schema in properties.items() if "default" in schema}
        )

    @property
    def document(self) -> dict[str, Any]:
        """The whole JSON Schema."""
        return {
            "$schema": DRAFT,
            "type": "object",
            "properties": {
                name: {"title": title_of(name), **schema}
                for name, schema in self.properties.items()
            },
            "additionalProperties": False,
        }

    def translate(self, language: Language) -> dict[str, Any]:
        """The whole JSON Schema, with its titles and descriptions in a language."""
        document = self.document
        for name, schema in document["properties"].items():
            title, description = title_of(name), schema["description"]
            # A context: an option can have the same name as another thing.
            schema["title"] = language.pgettext(TITLE, title)
            schema["description"] = language.gettext(description)
        return document

    def read(self, given: Mapping[str, Value]) -> dict[str, Any]:
        """Return every option with its checked value or its default; raises OptionError."""
        return {**self._defaults, **self._read(given)}

    def parse(self, name: str, text: str) -> Value:
        """Return the value of a command-line argument: JSON, or text where that is accepted."""
        schema = self.properties.get(name, {})
        if schema.get("type") == "string":
            return text
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text


def reader(schema: Schema) -> Reader:
    """Compile the reader of a schema; raises ValueError for one that cannot be read."""
    if "anyOf" in schema:
        return alternatives_reader(schema)
    kind = schema["type"]
    unread = set(schema) - {*KEYWORDS[kind], *ANNOTATIONS}
    if unread:
        raise ValueError(f"these keywords are not read: {', '.join(sorted(unread))}")
    if kind == "boolean":
        return read_boolean
    if kind in ("integer", "number"):
        return number_reader(schema)
    if kind == "string":
        return string_reader(schema)
    if kind == "array":
        return array_reader(schema)
    if schema["additionalProperties"] is not False:
        raise ValueError("additionalProperties must be false")
    return object_reader(schema["properties"], schema.get("required", ()))


def read_boolean(value: Value) -> bool:
    """Read true or false."""
    if value is True or value is False:
        return value
    raise OptionError("", "must be true or false")


def number_reader(schema: Schema) -> Reader:
    """Compile the reader of numbers in a range. As in JSON Schema, 2.0 is a whole number."""
    whole = schema["type"] == "integer"
    step = 1 if whole else schema.get("multipleOf")
    low, high = schema["minimum"], schema["maximum"]
    wrong = f"must be {describe(schema)}"

    def read(value: Value) -> int | float:
        # NaN and infinity fail the comparison.
        if (
            not isinstance(value, NUMBERS)
            or isinstance(value, bool)
            or not low <= value <= high
            or (step is not None and value % step != 0)
        ):
            raise OptionError("", wrong)
        return int(value) if whole else value

    return read


def string_reader(schema: Schema) -> Reader:
    """Compile the reader of some words, or of text with a pattern."""
    words = schema.get("enum")
    # In Python, `$` would also match before a final line feed.
    pattern = re.compile(schema.get("pattern", "").removesuffix("$"))
    wrong = f"must be {describe(schema)}"

    def read(value: Value) -> str:
        if not isinstance(value, str) or not (
            value in words if words is not None else pattern.fullmatch(value)
        ):
            raise OptionError("", wrong)
        return value

    return read


def array_reader(schema: Schema) -> Reader:
    """Compile the reader of lists."""
    read_item = reader(schema["items"])
    fewest, most = schema.get("minItems", 0), schema["maxItems"]
    distinct = schema.get("uniqueItems", False)
    wrong = f"must be {describe(schema)}"

    def read(value: Value) -> list[Any]:
        if not isinstance(value, LISTS) or not fewest <= len(value) <= most:
            raise OptionError("", wrong)
        items = []
        try:
            for item in value:
                items.append(read_item(item))  # noqa: PERF401
        except OptionError as error:
            raise error.within(f"[{len(items)}]") from None
        if distinct and len(set(items)) < len(items):
            raise OptionError("", wrong)
        return items

    return read


def object_reader(properties: Mapping[str, Schema], required: Sequence[str]) -> Reader:
    """Compile the reader of objects without other properties."""
    readers = {name: reader(schema) for name, schema in properties.items()}
    names = ", ".join(properties) or "none"

    def read(value: Value) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise OptionError("", f"must be an object of: {names}")
        # In a fixed order, because not every caller has one: all learn of the same error.
        if value.keys() - readers.keys():
            unknown = min(str(name) for name in value.keys() - readers.keys())[:LONGEST_NAME]
            wrong = "is unknown" if unknown else "has an empty name"
            raise OptionError(unknown, f"{wrong}; choose from: {names}")
        for name in required:
            if name not in value:
                raise OptionError(name, "is missing")
        given = {}
        for name, read_property in readers.items():
            if name in value:
                try:
                    given[name] = read_property(value[name])
                except OptionError as error:
                    raise error.within(name) from None
        return given

    return read


def alternatives_reader(schema: Schema) -> Reader:
    """Compile the reader of `anyOf`, whose schemas must be told apart by their types."""
    if set(schema) - {"anyOf", *ANNOTATIONS}:
        raise ValueError("anyOf cannot have other keywords next to it")
    readers = {json_type(one["type"]): reader(one) for one in schema["anyOf"]}
    if len(readers) < len(schema["anyOf"]):
        raise ValueError("the schemas of anyOf must have different types")
    wrong = f"must be {describe(schema)}"

    def read(value: Value) -> Any:
        read_one = readers.get(type_of(value))
        try:
            if read_one is not None:
                return read_one(value)
        except OptionError as error:
            if error.field:
                raise
        raise OptionError("", wrong)

    return read


def json_type(name: str) -> str:
    """The type of the values of a schema: JSON itself has only one type of numbers."""
    return "number" if name == "integer" else name


def type_of(value: Value) -> str:
    """The JSON type of a value."""
    for name, types in (
        ("boolean", bool),
        ("number", NUMBERS),
        ("string", str),
        ("array", LISTS),
        ("object", Mapping),
    ):
        if isinstance(value, types):
            return name
    return "null"


def describe(schema: Schema, several: bool = False) -> str:
    """Say in words which values a schema accepts: "a whole number from 2 to 6".

    For the items of a list, say it of several values: "whole numbers from 2 to 6".
    """
    if "anyOf" in schema:
        return ", or ".join(describe(one, several) for one in schema["anyOf"])
    kind = schema["type"]
    if kind == "boolean":
        return "true or false"
    if kind in ("integer", "number"):
        whole = "whole " if kind == "integer" else ""
        step = f" in steps of {schema['multipleOf']}" if "multipleOf" in schema else ""
        noun = f"{whole}numbers" if several else f"a {whole}number"
        return f"{noun} from {schema['minimum']} to {schema['maximum']}{step}"
    if kind == "string":
        if "enum" not in schema:
            return f"text that matches `{schema['pattern']}`"
        words = [f"`{word}`" for word in schema["enum"]]
        return join(words) if len(words) == 1 else f"{'' if several else 'one '}of {join(words)}"
    if kind == "array":
        fewest, most = schema.get("minItems", 0), schema["maxItems"]
        count = f"{most}" if fewest == most else f"{fewest} to {most}"
        distinct = " different" if schema.get("uniqueItems") else ""
        items = describe(schema["items"], several=True)
        return f"{'lists' if several else 'a list'} of {count}{distinct} {items}"
    # Properties with equal schemas are described together.
    groups: dict[str, list[str]] = {}
    for name, one in schema["properties"].items():
        groups.setdefault(describe(one), []).append(f"`{name}`")
    parts = [
        f"{join(names)} ({'each ' if len(names) > 1 else ''}{form})"
        for form, names in groups.items()
    ]
    optional = "" if schema.get("required") else " any of"
    return f"{'objects' if several else 'an object'} with{optional} {join(parts)}"


def join(words: Sequence[str]) -> str:
    """Join words as in a sentence."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
