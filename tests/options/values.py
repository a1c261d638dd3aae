"""Good and bad values for the options of every game, made from the schemas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tablier_core.options import Schema
from tablier_core.registry import GAMES

from tests.core.variants import VARIANTS

NAN, INFINITY = float("nan"), float("inf")
# One value of each type, for the options that do not accept the type.
BY_TYPE: dict[str, list[object]] = {
    "null": [None],
    "boolean": [True, False],
    "number": [0, 1, 3, 0.25, -1, NAN, INFINITY, -INFINITY, 2**64],
    "string": ["", "nonsense", "1", "true", "NaN"],
    "array": [[], [1], [[]], [None]],
    "object": [{}, {"nonsense": 1}],
}

# Values that also keep the rules that a schema cannot state; for options that are not scalars.
GOOD: dict[str, list[dict[str, object]]] = {
    "contigo-alignment": [
        {"layout": "R...../....../....../....../....../.....B"},
        {"beads": [0] * 27 + [1]},
        {"beads": [6] * 27 + [5]},
        {"beads": [2.0] * 28, "first": 1.0},
    ],
    "contigo-capture": [
        {"layout": "R....B/....../....../....../....../Y....G"},
        {"beads": [0] * 27 + [1]},
    ],
    "contract": [
        {"briefcases": []},
        {"briefcases": [{"sides": ["same-2", "same-3"], "worth": 0}]},
        {"briefcases": [{"sides": ["most-twos", "most-twos"], "worth": 20}] * 6},
        {"traffics": {"first": [0, 0, 0, 0], "second": [20, 20, 20, 20]}},
        {
            "mafiosi": {
                "brakova": list(range(3, 21)),
                "yakaz": [0, 2],
                "rodrigos": [],
                "costa": [1],
                "blackmat": [2],
            }
        },
    ],
    "contrast": [
        {"deck": [[0.5] * 12] * 120},
        {"deck": [[0] * 11 + [1]] * 15, "seats": 6},
    ],
    "mafia-de-cuba": [
        {"tokens": {}},
        {"tokens": {"loyal": 5, "fbi": 1, "cia": 1, "driver": 2, "cleaner": 1}},
        {"tokens": {"fbi": 0, "cleaner": 1}, "cleaner": True},
    ],
}


def good_options(game: str) -> list[dict[str, Any]]:
    """Options that a game accepts: every form of every option, alone, and all variants."""
    properties = GAMES[game].options.properties
    scalars = [
        {name: value} for name, schema in properties.items() for value in good_scalars(schema)
    ]
    defaults = {
        name: schema["default"] for name, schema in properties.items() if "default" in schema
    }
    variants = [dict(options) for options in VARIANTS[game]]
    return [{}, defaults, *scalars, *GOOD.get(game, []), *variants]


def good_scalars(schema: Schema) -> Iterator[object]:
    """The values of a flag, and the limits of numbers and words."""
    if "anyOf" in schema:
        for one in schema["anyOf"]:
            yield from good_scalars(one)
    elif schema["type"] == "boolean":
        yield from (True, False)
    elif "enum" in schema:
        yield from schema["enum"]
    elif schema["type"] in ("integer", "number"):
        yield from (schema["minimum"], schema["maximum"], float(schema["maximum"]))


def bad_options(game: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Options that a game rejects, each with the path that the error must have."""
    yield {"nonsense": 1}, "nonsense"
    for name, schema in GAMES[game].options.properties.items():
        for value, path in bad_values(schema):
            yield {name: value}, name + path


def bad_values(schema: Schema) -> Iterator[tuple[object, str]]:
    """Values that a schema rejects, with the path of the error within the value."""
    alternatives = schema.get("anyOf", [schema])
    accepted = {"number" if one["type"] == "integer" else one["type"] for one in alternatives}
    for kind, values in BY_TYPE.items():
        if kind not in accepted:
            yield from ((value, "") for value in values)
    for one in alternatives:
        yield from bad_of_type(one)


def bad_of_type(schema: Schema) -> Iterator[tuple[object, str]]:
    """Values of the right type that a schema rejects."""
    kind = schema["type"]
    if kind in ("integer", "number"):
        low, high = schema["minimum"], schema["maximum"]
        bad = [low - 1, high + 1, low - 0.5, NAN, INFINITY, -INFINITY, 2**64, 1e300]
        bad += [low + 0.5] if kind == "integer" else []
        bad += [low + schema["multipleOf"] / 2] if "multipleOf" in schema else []
        yield from ((value, "") for value in bad)
    elif kind == "string":
        yield from ((text, "") for text in ("", "nonsense", "é", " ", "random\n"))
    elif kind == "array":
        yield from bad_lists(schema)
    elif kind == "object":
        yield from bad_objects(schema)


def bad_lists(schema: Schema) -> Iterator[tuple[object, str]]:
    """Lists that are too short or too long, or that have bad items."""
    fewest, most = schema.get("minItems", 0), schema["maxItems"]
    distinct = schema.get("uniqueItems", False)
    item = a_value(schema["items"])
    if fewest:
        yield [], ""
        yield [item] * (fewest - 1), ""
    yield [item] * (most + 1), ""
    if distinct:
        yield [item, item], ""
    others = [] if distinct else [item] * max(fewest - 1, 0)
    yield [*others, None], f"[{len(others)}]"
    for bad, path in bad_values(schema["items"]):
        yield [bad, *others], f"[0]{path}"


def bad_objects(schema: Schema) -> Iterator[tuple[object, str]]:
    """Objects with a missing, an unknown or a bad property."""
    whole = {name: a_value(one) for name, one in schema["properties"].items()}
    yield {**whole, "nonsense": 1}, ".nonsense"
    tried: list[Schema] = []
    for name, one in schema["properties"].items():
        if name in schema.get("required", ()):
            yield {key: value for key, value in whole.items() if key != name}, f".{name}"
        # Properties often have equal schemas, and one of each is enough.
        for bad, path in bad_values(one) if one not in tried else [(None, "")]:
            yield {**whole, name: bad}, f".{name}{path}"
        tried.append(one)


def a_value(schema: Schema) -> Any:
    """A value that a schema accepts."""
    if schema["type"] == "array":
        return [a_value(schema["items"])] * schema.get("minItems", 0)
    if schema["type"] == "object":
        return {name: a_value(one) for name, one in schema["properties"].items()}
    return next(good_scalars(schema))
