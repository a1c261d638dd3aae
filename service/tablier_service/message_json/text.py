"""JSON text to values, stricter than the parsers."""

from __future__ import annotations

import json
from typing import Any

import orjson
from tablier_core.elements import count_keys, count_members

from tablier_service.errors import InvalidField

# The fault of a longer text is not described as well: that would take longer than reading it.
MAX_DESCRIBED = 16_384


def parse_json(data: bytes) -> Any:
    """Parse JSON text in which no object has the same key twice."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        value = _parse_not_finite(data) if len(data) <= MAX_DESCRIBED else None
        if value is None:
            raise InvalidField("", f"the body is not JSON: {error}") from None
    members = count_members(value)
    if members < 0:
        raise InvalidField("", "the body is nested too deeply")
    # orjson silently keeps the last of two equal keys.
    if count_keys(data) != members:
        if len(data) <= MAX_DESCRIBED:
            json.loads(data, object_pairs_hook=_check_keys, parse_int=str, parse_float=str)
        raise InvalidField("", "an object has the same key twice")
    return value


def not_json(data: bytes) -> InvalidField:
    """The error for text whose brackets do not match, or too many of them."""
    try:
        orjson.loads(data)
    except orjson.JSONDecodeError as error:
        return InvalidField("", f"the body is not JSON: {error}")
    return InvalidField("", "the body is nested too deeply")


def _parse_not_finite(data: bytes) -> Any:
    """Parse an object that is JSON but for NaN, infinity or 1e999; None if it has other faults.

    Some libraries write such numbers. Every reader rejects them, and the error names the field.
    """
    try:
        value = json.loads(data.decode())
        orjson.dumps(value)  # rejects the rest of what json accepts and orjson does not
    except (ValueError, RecursionError, orjson.JSONEncodeError):
        return None
    return value if type(value) is dict else None


def _check_keys(pairs: list[tuple[str, object]]) -> None:
    seen = set()
    for key, _ in pairs:
        if key in seen:
            raise InvalidField(key, "appears twice")
        seen.add(key)
